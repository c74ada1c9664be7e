package sql

import (
	"context"
	"errors"
	"slices"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// runAlterSetting is ALTER DATABASE and ALTER ROLE with SET and RESET: what sessions that begin later begin with.
func (s *Session) runAlterSetting(ctx context.Context, view *catalog.View, st *parse.AlterSettingStmt) (string, error) {
	change, err := s.settingChange(st)
	if err != nil {
		return "", err
	}
	who, err := view.Acting(ctx)
	if err != nil {
		return "", err
	}
	if st.Kind == parse.DatabaseObject {
		return "ALTER DATABASE", alterDatabaseSetting(ctx, view, who, st.Name, change)
	}
	return "ALTER ROLE", s.alterRoleSetting(ctx, view, who, st, change)
}

func alterDatabaseSetting(ctx context.Context, view *catalog.View, who *catalog.Acting, name string, change settingChange) error {
	db, err := view.Database(ctx, name)
	if err == nil {
		if err = view.LockTable(ctx, db.ID, kv.TableShareUpdateExclusive); err == nil {
			db, err = view.DatabaseByID(ctx, db.ID)
		}
	}
	switch {
	case errors.Is(err, catalog.ErrNotFound):
		return sqlerr.New(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", name)
	case err != nil:
		return err
	case !who.Has(db.Owner):
		return sqlerr.New(sqlerr.InsufficientPrivilege, "must be owner of database %s", name)
	}
	changed := *db
	changed.Settings = change.apply(db.Settings, 0)
	return view.UpdateDatabase(ctx, db, &changed, nil)
}

func (s *Session) alterRoleSetting(ctx context.Context, view *catalog.View, who *catalog.Acting, st *parse.AlterSettingStmt, change settingChange) error {
	if st.Name == "" {
		return sqlerr.Unsupported("ALTER ROLE ALL")
	}
	if err := view.LockTable(ctx, catalog.RolesLock, kv.TableShareRowExclusive); err != nil {
		return err
	}
	name := st.Name
	switch name {
	case "current_user", "current_role":
		name = s.derived.user
	case "session_user":
		name = s.sessionUser()
	}
	r, err := view.Role(ctx, name)
	switch {
	case errors.Is(err, catalog.ErrNotFound):
		return sqlerr.New(sqlerr.UndefinedObject, "role \"%s\" does not exist", name)
	case err != nil:
		return err
	case who.Role.Superuser:
	case r.Superuser:
		return sqlerr.New(sqlerr.InsufficientPrivilege, "must be superuser to alter superusers")
	case !who.Role.CreateRole && r.OID != who.Role.OID:
		return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied")
	}
	in := types.OID(0)
	if st.Database != "" {
		db, err := view.Database(ctx, st.Database)
		if errors.Is(err, catalog.ErrNotFound) {
			return sqlerr.New(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", st.Database)
		}
		if err != nil {
			return err
		}
		in = db.OID
	}
	changed := r.Clone()
	changed.Settings = change.apply(r.Settings, in)
	return view.UpdateRole(ctx, r, changed, nil)
}

// settingChange is what SET or RESET says of stored settings.
type settingChange struct {
	all   bool   // RESET ALL
	name  string // as the table of settings writes it
	value string
	reset bool
}

// settingChange checks what is to be stored. Errors: 42704, 22023, 55P02.
func (s *Session) settingChange(st *parse.AlterSettingStmt) (settingChange, error) {
	switch set := st.Set.(type) {
	case *parse.ResetStmt:
		if set.Name == "all" {
			return settingChange{all: true}, nil
		}
		name, _, err := storedName(set.Name)
		return settingChange{name: name, reset: true}, err
	case *parse.SetStmt:
		name, row, err := storedName(set.Name)
		if err != nil || set.Default {
			return settingChange{name: name, reset: true}, err
		}
		if set.FromCurrent {
			_, value, err := s.showVar(set.Name)
			return settingChange{name: name, value: value}, err
		}
		value, err := setText(set)
		if err == nil && row != nil {
			if _, bad := row.check(value); bad != nil {
				err = invalidValue(row.name, value, bad)
			}
		}
		return settingChange{name: name, value: value}, err
	}
	return settingChange{}, sqlerr.Unsupported("this form of ALTER … SET")
}

// storedName is a setting's name as it is written, and its row unless it is the client's own.
func storedName(name string) (string, *setting, error) {
	st := settingByName[strings.ToLower(name)]
	switch {
	case st == nil && !strings.Contains(name, "."):
		return "", nil, unknownSetting(name)
	case st == nil:
		return name, nil, nil
	case st.fixed || st.name == sessionSetting:
		return "", nil, sqlerr.New(sqlerr.CantChangeRuntimeParam, "parameter \"%s\" cannot be changed", st.name)
	}
	return st.name, st, nil
}

func (c settingChange) apply(list []catalog.Setting, database types.OID) []catalog.Setting {
	out := slices.Clone(list)
	i := slices.IndexFunc(out, func(x catalog.Setting) bool { return x.Database == database && x.Name == c.name })
	switch {
	case c.all:
		return slices.DeleteFunc(out, func(x catalog.Setting) bool { return x.Database == database })
	case c.reset && i >= 0:
		return slices.Delete(out, i, i+1)
	case c.reset:
		return out
	case i >= 0:
		out[i].Value = c.value
		return out
	}
	return append(out, catalog.Setting{Database: database, Name: c.name, Value: c.value})
}
