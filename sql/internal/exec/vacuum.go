package exec

import (
	"context"
	"errors"
	"slices"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
)

// vacuumOptions and analyzeOptions are the options of VACUUM and ANALYZE. Only full, analyze and skip_locked make a difference here.
var (
	vacuumOptions = map[string]bool{
		"full": true, "freeze": true, "verbose": true, "analyze": true, "disable_page_skipping": true, "skip_locked": true,
		"index_cleanup": true, "process_toast": true, "truncate": true, "parallel": true,
	}
	analyzeOptions = map[string]bool{"verbose": true, "skip_locked": true}
)

// Vacuum is VACUUM and ANALYZE. VACUUM gives back the space of what nobody can see any more, where that is worth the work; with FULL
// everywhere. ANALYZE collects the statistics that the planner uses.
func Vacuum(ctx context.Context, env *Env, st *parse.VacuumStmt) error {
	command, known := "ANALYZE", analyzeOptions
	if st.Vacuum {
		command, known = "VACUUM", vacuumOptions
	}
	full, skip := false, false
	for _, o := range st.Options {
		if !known[o.Name] {
			return env.At(sqlerr.New(sqlerr.SyntaxError, "unrecognized %s option \"%s\"", command, o.Name), o.Pos)
		}
		full = full || o.Name == "full" && isOn(o.Value)
		skip = skip || o.Name == "skip_locked" && isOn(o.Value)
	}
	if st.Vacuum && env.InBlock {
		return sqlerr.New(sqlerr.ActiveSQLTransaction, "VACUUM cannot run inside a transaction block")
	}
	v := vacuum{
		env: env, st: st, command: strings.ToLower(command), mode: kv.TableShareUpdateExclusive, skip: skip,
		collect: env.KV.CollectMuchGarbage,
	}
	if full {
		v.mode, v.collect = kv.TableAccessExclusive, env.KV.CollectGarbage
	}
	for _, o := range st.Options {
		v.analyze = v.analyze || o.Name == "analyze" && isOn(o.Value)
	}
	v.analyze = v.analyze || st.Analyze || !st.Vacuum
	if len(st.Tables) == 0 {
		return v.everything(ctx)
	}
	for i := range st.Tables {
		if err := v.table(ctx, &st.Tables[i]); err != nil {
			return err
		}
	}
	return nil
}

// isOn is the value of an option that is on or off.
func isOn(v *parse.OptionValue) bool {
	return v == nil || v.Text != "false" && v.Text != "off" && v.Text != "0"
}

// vacuum is a VACUUM or ANALYZE at work.
type vacuum struct {
	env     *Env
	st      *parse.VacuumStmt
	command string
	mode    kv.TableLock
	skip    bool // tables that somebody else has locked
	analyze bool
	collect func(context.Context, kv.Span) error
}

func (v *vacuum) table(ctx context.Context, item *parse.VacuumTable) error {
	if len(item.Columns) > 0 && !v.st.Analyze {
		return sqlerr.New(sqlerr.FeatureNotSupported, "ANALYZE option must be specified when a column list is provided")
	}
	r, _, err := plan.LookupRelation(ctx, v.env.View, v.env.Database, v.env.SearchPath, item.Table.Name, kv.TableAccessShare)
	if err != nil {
		return err
	}
	t := r.Table
	if r.Index != nil || t.Kind != catalog.KindTable {
		v.env.Notice(sqlerr.Warn(sqlerr.WrongObjectType, "skipping \"%s\" --- cannot %s non-tables or special system tables", item.Table.Name.Name, v.command))
		return nil
	}
	if ok, err := v.may(ctx, t); !ok || err != nil {
		return err
	}
	wait := kv.Block
	if v.skip {
		wait = kv.NoWait
	}
	switch err := v.env.LockTable(ctx, t, v.mode, wait); {
	case v.skip && errors.Is(err, kv.ErrLockNotAvailable):
		v.env.Notice(sqlerr.Warn(sqlerr.LockNotAvailable, "skipping %s of \"%s\" --- lock not available", v.command, t.Name))
		return nil
	case err != nil:
		return err
	}
	for i, name := range item.Columns {
		if t.ColumnByName(name) == nil {
			return sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, t.Name)
		}
		if slices.Contains(item.Columns[:i], name) {
			return sqlerr.New(sqlerr.DuplicateColumn, "column \"%s\" of relation \"%s\" appears more than once", name, t.Name)
		}
	}
	if v.st.Vacuum {
		if err := v.collect(ctx, rowenc.TableSpan(t.ID)); err != nil {
			return err
		}
	}
	if !v.analyze {
		return nil
	}
	return analyze(ctx, v.env, t)
}

// ownsDatabase reports whether whom the statement acts for has the privileges of the database's owner, who may work on all tables.
func (v *vacuum) ownsDatabase(ctx context.Context) (bool, error) {
	db, err := v.env.View.DatabaseByID(ctx, v.env.Database.ID)
	if err != nil {
		return false, err
	}
	who, err := v.env.View.Acting(ctx)
	return err == nil && who.Has(db.Owner), err
}

// may reports whether whom the statement acts for may work on a table, and warns him if not.
func (v *vacuum) may(ctx context.Context, t *catalog.Table) (bool, error) {
	if err := v.env.View.CheckTableOwner(ctx, t); sqlerr.CodeOf(err) != sqlerr.InsufficientPrivilege {
		return err == nil, err
	}
	ok, err := v.ownsDatabase(ctx)
	if err == nil && !ok {
		v.env.Notice(sqlerr.Warn(sqlerr.Warning, "skipping \"%s\" --- only table or database owner can %s it", t.Name, v.command))
	}
	return ok, err
}

// everything is the command without tables: all of the database, or what of it whom it acts for owns.
func (v *vacuum) everything(ctx context.Context) error {
	all, err := v.ownsDatabase(ctx)
	if err != nil {
		return err
	}
	if all && v.st.Vacuum {
		if err := v.collect(ctx, kv.Span{}); err != nil {
			return err
		}
	}
	if all && !v.analyze {
		return nil
	}
	contents, err := v.env.View.Contents(ctx)
	if err != nil {
		return err
	}
	mine := map[catalog.ID]bool{}
	for _, s := range contents.Schemas {
		mine[s.ID] = s.Database == v.env.Database.ID
	}
	for _, t := range contents.Tables {
		if t.Kind != catalog.KindTable || !mine[t.Schema] {
			continue
		}
		if err := v.one(ctx, t.ID, !all); err != nil {
			return err
		}
	}
	return nil
}

// one works on one of all tables. Who works on it at the moment keeps it from being worked on, but nothing else.
func (v *vacuum) one(ctx context.Context, id catalog.ID, collect bool) error {
	t, err := v.env.View.TableByID(ctx, id)
	if catalog.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if ok, err := v.may(ctx, t); !ok || err != nil {
		return err
	}
	if err := v.env.LockTable(ctx, t, v.mode, kv.NoWait); err != nil {
		if errors.Is(err, kv.ErrLockNotAvailable) {
			return nil
		}
		return err
	}
	if t, err = v.env.View.TableByID(ctx, id); catalog.IsNotFound(err) {
		return nil // dropped before it was locked
	}
	if err == nil && collect && v.st.Vacuum {
		err = v.collect(ctx, rowenc.TableSpan(id))
	}
	if err == nil && v.analyze {
		err = analyze(ctx, v.env, t)
	}
	return err
}
