package plan

import (
	"errors"
	"slices"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/pgcatalog"
	"minidb/sql/types"
)

// CatalogScan reads a system table. Its rows have a column for each of Relation.Columns and, if it is a table, one for tableoid; those
// that Want leaves out have no values.
type CatalogScan struct {
	columnNames
	Relation *pgcatalog.Relation
	Alias    string
	Want     []bool
	// Keys are columns of which each must have one of some values for Filter to be true. Values are evaluated when the scan opens;
	// they have no columns.
	Keys []CatalogKey
	// Filter, nil for none, is all that has to be true of a row.
	Filter expr.Expr
}

// tableOIDAttr is the number of tableoid among the columns of a table.
const tableOIDAttr = -6

// CatalogKey is the values that a column may have.
type CatalogKey struct {
	Column int
	Values []expr.Expr
}

// Types are those of the relation's columns.
func (n *CatalogScan) Types() []types.Type {
	ts := make([]types.Type, n.width())
	for i := range n.Relation.Columns {
		ts[i] = n.Relation.Columns[i].Type
	}
	if n.HasTableOID() {
		ts[len(ts)-1] = types.Oid
	}
	return ts
}

// HasTableOID reports whether the rows have a last column for tableoid.
func (n *CatalogScan) HasTableOID() bool { return n.Relation.Kind == 'r' }

func (n *CatalogScan) width() int {
	if n.HasTableOID() {
		return len(n.Relation.Columns) + 1
	}
	return len(n.Relation.Columns)
}

// restrict gives the scan its conditions and the columns that are needed above it.
func (n *CatalogScan) restrict(conds []expr.Expr, need []bool) {
	n.Filter = expr.JoinAnd(conds)
	n.Want = slices.Clone(need)
	n.Keys = nil
	for _, c := range conds {
		expr.Columns(c, func(c *expr.Column) { n.Want[c.Index] = true })
		m, ok := expr.MatchComparison(c)
		if !ok || m.Op != expr.OpEq || m.Array != nil || m.Column.Index >= len(n.Relation.Columns) {
			continue
		}
		values := m.List
		if values == nil {
			values = []expr.Expr{m.Value}
		}
		n.Keys = append(n.Keys, CatalogKey{Column: m.Column.Index, Values: values})
	}
}

// systemTable finds the system table that a name stands for; nil if it stands for something else, or nothing.
func (p *Planner) systemTable(name parse.ObjectName) (*pgcatalog.Relation, error) {
	if name.Schema != "" {
		if name.Catalog != "" && name.Catalog != p.Database.Name {
			return nil, nil
		}
		return pgcatalog.Find(name.Schema, name.Name), nil
	}
	path := pgcatalog.SearchOrder(p.SearchPath)
	for i, schema := range path {
		rel := pgcatalog.Find(schema, name.Name)
		if rel == nil {
			continue
		}
		taken, err := p.isTaken(path[:i], name.Name)
		if taken || err != nil {
			return nil, err
		}
		return rel, nil
	}
	return nil, nil
}

// isTaken reports whether any of the schemas has a relation of a name.
func (p *Planner) isTaken(schemas []string, name string) (bool, error) {
	for _, s := range schemas {
		schema, err := p.View.Schema(p.Ctx, p.Database.ID, s)
		if errors.Is(err, catalog.ErrNotFound) {
			continue
		}
		if err != nil {
			return false, err
		}
		if taken, err := p.View.HasRelation(p.Ctx, schema.ID, name); taken || err != nil {
			return taken, err
		}
	}
	return false, nil
}

// addSystemTable adds a system table.
func (p *Planner) addSystemTable(f *from, rel *pgcatalog.Relation, t *parse.TableRef) error {
	if err := p.checkSecret(rel); err != nil {
		return err
	}
	names := &expr.Source{Schema: rel.Schema, Table: rel.Name, Name: rel.Name}
	if t.Alias.Name != "" {
		names.Name, names.Schema, names.Table = t.Alias.Name, "", ""
	}
	for i := range rel.Columns {
		names.Columns = append(names.Columns, expr.SourceColumn{Name: rel.Columns[i].Name, Type: rel.Columns[i].Type, Index: i})
	}
	if err := p.renameColumns(names, len(rel.Columns), t.Alias); err != nil {
		return err
	}
	scan := &CatalogScan{Relation: rel, Alias: names.Name}
	if scan.HasTableOID() {
		names.Columns = append(names.Columns, expr.SourceColumn{Name: "tableoid", Type: types.Oid, Hidden: true, Index: len(rel.Columns)})
	}
	return p.add(f, &source{node: scan, width: scan.width(), names: names, shown: shownItem{system: rel, alias: t.Alias.Name != ""}}, t.Alias.Pos, t.Pos)
}
