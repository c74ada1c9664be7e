package exec

import (
	"context"
	"errors"

	"minidb/kv"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
)

// tableLocks are the modes of LOCK TABLE by name.
var tableLocks = map[string]kv.TableLock{
	"access share": kv.TableAccessShare, "row share": kv.TableRowShare, "row exclusive": kv.TableRowExclusive,
	"share update exclusive": kv.TableShareUpdateExclusive, "share": kv.TableShare, "share row exclusive": kv.TableShareRowExclusive,
	"exclusive": kv.TableExclusive, "access exclusive": kv.TableAccessExclusive,
}

// LockTables is LOCK TABLE.
func LockTables(ctx context.Context, env *Env, st *parse.LockStmt) error {
	if !env.InBlock {
		return sqlerr.New(sqlerr.NoActiveSQLTransaction, "LOCK TABLE can only be used in transaction blocks")
	}
	mode, ok := tableLocks[st.Mode]
	if !ok {
		return sqlerr.Internal("unknown lock mode %q", st.Mode)
	}
	for _, t := range st.Tables {
		r, _, err := plan.LookupRelation(ctx, env.View, env.Database, env.SearchPath, t.Name, kv.TableAccessShare)
		if err != nil {
			return env.At(err, t.Pos)
		}
		who, err := env.View.Acting(ctx)
		if err != nil {
			return err
		}
		if who.May(r.Table.Granted(), lockPrivileges(mode)) == 0 {
			return r.Table.Denied()
		}
		wait := kv.Block
		if st.NoWait {
			wait = kv.NoWait
		}
		err = env.LockTable(ctx, r.Table, mode, wait)
		if errors.Is(err, kv.ErrLockNotAvailable) {
			err = sqlerr.New(sqlerr.LockNotAvailable, "could not obtain lock on relation \"%s\"", r.Table.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
