package plan

import (
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// WriteCTE is an INSERT, UPDATE or DELETE in a WITH clause. It runs once, whether or not anything reads what it returns.
type WriteCTE struct {
	Name    string
	Root    Node // its rows are those of RETURNING
	columns []Column
}

// WithWrites runs Writes, one after the other, and then gives the rows of Input, which may read what they returned. None of them sees
// what the others wrote.
type WithWrites struct {
	Writes []*WriteCTE
	Input  Node
}

// Types are the input's.
func (n *WithWrites) Types() []types.Type { return n.Input.Types() }

// WriteScan gives the rows that a WriteCTE returned.
type WriteScan struct {
	columnNames
	CTE   *WriteCTE
	Alias string
}

// Types are those of RETURNING.
func (n *WriteScan) Types() []types.Type { return n.CTE.Root.Types() }

// writeCTE plans a statement of a WITH clause that writes. Only the WITH of the whole statement may have one.
func (p *Planner) writeCTE(w *parse.With, c *parse.CTE) (*WriteCTE, error) {
	if w != p.topWith {
		return nil, p.at(sqlerr.New(sqlerr.FeatureNotSupported, "WITH clause containing a data-modifying statement must be at the top level"), c.Pos)
	}
	done, err := p.with(withOf(c.Query), nil)
	if err != nil {
		return nil, err
	}
	defer done()
	sub, err := p.write(c.Query)
	if err == nil {
		err = p.checkUnused(withOf(c.Query))
	}
	if err != nil {
		return nil, err
	}
	out := &WriteCTE{Name: c.Name, Root: sub.Root, columns: sub.Columns}
	p.writes = append(p.writes, out)
	return out, nil
}

// write plans an INSERT, UPDATE or DELETE.
func (p *Planner) write(st parse.Stmt) (*Plan, error) {
	switch st := st.(type) {
	case *parse.InsertStmt:
		return p.insert(st)
	case *parse.UpdateStmt:
		return p.update(st)
	case *parse.DeleteStmt:
		return p.delete(st)
	}
	return nil, sqlerr.Internal("no plan for %T", st)
}

// withWrites puts the statements of the WITH clause that write before the others.
func (p *Planner) withWrites(out *Plan) *Plan {
	if len(p.writes) > 0 {
		out.Root, out.Writes = &WithWrites{Writes: p.writes, Input: out.Root}, true
	}
	return out
}

// addWriteCTE adds a reference to what a statement of the WITH clause returned.
func (p *Planner) addWriteCTE(f *from, c *cte, t *parse.TableRef) error {
	if c.write.columns == nil {
		return p.at(sqlerr.New(sqlerr.FeatureNotSupported, "WITH query \"%s\" does not have a RETURNING clause", c.query.Name), t.Pos)
	}
	names, err := p.cteNames(c, c.write.columns, t)
	if err != nil {
		return err
	}
	return p.add(f, &source{node: &WriteScan{CTE: c.write, Alias: names.Name}, width: len(c.write.columns), names: names}, t.Alias.Pos, t.Pos)
}

// cteNames is how a scope sees a query of a WITH clause.
func (p *Planner) cteNames(c *cte, columns []Column, t *parse.TableRef) (*expr.Source, error) {
	if err := p.checkNames(c, columns); err != nil {
		return nil, err
	}
	names := &expr.Source{Name: c.query.Name}
	for i, col := range columns {
		names.Columns = append(names.Columns, expr.SourceColumn{Name: col.Name, Type: col.Type, Index: i})
	}
	if err := p.renameColumns(names, len(columns), parse.Alias{Columns: c.query.Columns, Pos: c.query.Pos}); err != nil {
		return nil, err
	}
	if t.Alias.Name != "" {
		names.Name = t.Alias.Name
	}
	return names, p.renameColumns(names, len(columns), t.Alias)
}
