package plan

import (
	"errors"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/pgcatalog"
	"minidb/sql/sqlerr"
)

// Privileges are checked when a statement is planned, and a plan is good only for the user and the state of the catalog it was made
// under. PostgreSQL checks when it runs, so that there PREPARE succeeds for who may not EXECUTE.

// needs are the privileges that a use takes at least; those of writers are known when the statement is planned.
func (u Use) needs() catalog.Privileges {
	switch u {
	case UseRead:
		return catalog.Select
	case UseRowLock:
		return catalog.Select | catalog.Update
	}
	return 0
}

// needed notes the privileges that writing a table takes: those given and, if any of the expressions has a column of its old or new
// rows, which are the first ones of the expressions' rows, SELECT.
func (p *Planner) needed(t *catalog.Table, need catalog.Privileges, exprs ...[]expr.Expr) {
	for _, list := range exprs {
		for _, e := range list {
			if e == nil {
				continue
			}
			expr.Columns(e, func(c *expr.Column) {
				if c.Level == 0 && c.Index < len(t.Columns) {
					need |= catalog.Select
				}
			})
		}
	}
	for i := len(p.tables) - 1; i >= 0; i-- {
		if u := &p.tables[i]; u.Use == UseWrite && u.Table.ID == t.ID {
			u.Need |= need
			return
		}
	}
}

// values are the expressions of a SET list over the statement's rows.
func values(sets []Set) []expr.Expr {
	var out []expr.Expr
	for _, s := range sets {
		if s.Row != nil {
			out = append(out, s.Row)
		} else {
			out = append(out, s.Expr)
		}
	}
	return out
}

// checkPrivileges refuses the statement if a privilege is missing that it takes. Errors: 42501.
func (p *Planner) checkPrivileges() error {
	if p.defining {
		return nil
	}
	for _, u := range p.tables {
		if u.As == 0 {
			if err := p.View.CheckTable(p.Ctx, u.Table, u.Need); err != nil {
				return err
			}
			continue
		}
		who, err := p.View.ActingAs(p.Ctx, u.As)
		if err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return err
		}
		if err != nil || who.May(u.Table.Granted(), u.Need) != u.Need {
			return u.Table.Denied()
		}
	}
	return nil
}

// secret are the system tables that show passwords or samples of rows.
var secret = map[string]string{
	"pg_authid": "table", "pg_shadow": "view", "pg_user_mapping": "table", "pg_statistic": "table", "pg_stats": "view",
}

// checkSecret refuses to show them to others than superusers. PostgreSQL's pg_stats shows who may read a table its samples.
func (p *Planner) checkSecret(rel *pgcatalog.Relation) error {
	word, ok := secret[rel.Name]
	if !ok || rel.Schema != "pg_catalog" {
		return nil
	}
	who, err := p.View.Acting(p.Ctx)
	if err == nil && !who.Role.Superuser {
		if rel.Name == "pg_stats" {
			return sqlerr.Unsupported("pg_stats for others than superusers")
		}
		return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for %s %s", word, rel.Name)
	}
	return err
}
