package exec

import (
	"context"
	"slices"
	"strconv"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// planner makes a planner for a query inside the statement.
func (d *ddl) planner(ctx context.Context) *plan.Planner {
	return &plan.Planner{
		Ctx: ctx, View: d.env.View, Database: d.env.Database, SearchPath: d.env.SearchPath, Text: d.env.Text, Types: d.env.Eval.Types,
		Session: d.env.Eval.Session, Notice: d.env.Notice, NoParams: true,
	}
}

func (d *ddl) createView(ctx context.Context, st *parse.CreateViewStmt) error {
	switch {
	case st.Recursive:
		return d.unsupported("recursive views", st.Position())
	case st.CheckOption != "" || len(st.With) > 0:
		return d.unsupported("options of views", st.Position())
	}
	persistence := parse.Permanent
	if st.Temporary {
		persistence = parse.Temporary
	}
	schema, err := d.schemaFor(ctx, st.Name, persistence)
	if err != nil {
		return err
	}
	q, err := d.planner(ctx).PlanView(st.Query)
	if err != nil {
		return err
	}
	path := d.env.SearchPath
	if !isTempName(schema.Name) {
		temp, err := d.usesTemporary(ctx, q.Uses)
		if err != nil {
			return err
		}
		if temp {
			d.env.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "view \"%s\" will be a temporary view", st.Name.Name))
			if schema, err = d.tempSchema(ctx); err != nil {
				return err
			}
		} else {
			path = slices.DeleteFunc(slices.Clone(path), isTempName)
		}
	}
	owner, err := d.owner(ctx)
	if err != nil {
		return err
	}
	v := &catalog.Table{
		Schema: schema.ID, Name: st.Name.Name, Owner: owner, Kind: catalog.KindView,
		View: &catalog.Query{Text: q.Text, SearchPath: path, Uses: q.Uses},
	}
	if v.Columns, err = viewColumns(st, q.Columns); err != nil {
		return err
	}
	if st.Replace {
		if done, err := d.replaceView(ctx, schema, v); done || err != nil {
			return err
		}
	}
	return d.env.View.CreateView(ctx, v)
}

// viewColumns are the columns of a view, under the names that the statement gives.
func viewColumns(st *parse.CreateViewStmt, cols []plan.Column) ([]catalog.Column, error) {
	if len(st.Columns) > len(cols) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "CREATE VIEW specifies more column names than columns")
	}
	var out []catalog.Column
	for i, c := range cols {
		name := c.Name
		if i < len(st.Columns) {
			name = st.Columns[i]
		}
		for _, o := range out {
			if o.Name == name {
				return nil, sqlerr.New(sqlerr.DuplicateColumn, "column \"%s\" specified more than once", name)
			}
		}
		if err := checkStoredType(name, c.Type); err != nil {
			return nil, err
		}
		out = append(out, catalog.Column{ID: catalog.ColumnID(i + 1), Name: name, Type: c.Type})
	}
	return out, nil
}

// checkStoredType refuses a column of records: descriptors cannot say which fields they have.
func checkStoredType(name string, t types.Type) error {
	row := t
	if elem, ok := t.Elem(); ok {
		row = elem
	}
	switch {
	case !row.IsRecord():
		return nil
	case row.RowType().OID != 0:
		return sqlerr.Unsupported("a column of a composite type")
	}
	return sqlerr.New(sqlerr.InvalidTableDefinition, "column \"%s\" has pseudo-type %s", name, t.Format())
}

// replaceView gives a view that is there a new query; false if none is there.
func (d *ddl) replaceView(ctx context.Context, schema *catalog.Schema, v *catalog.Table) (bool, error) {
	r, err := d.env.View.Relation(ctx, schema.ID, v.Name, kv.TableAccessExclusive)
	if catalog.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if r.Index != nil || r.Table.Kind != catalog.KindView {
		return false, sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a view", v.Name)
	}
	if err := d.mustOwn(ctx, r); err != nil {
		return false, err
	}
	old := r.Table.Columns
	if len(v.Columns) < len(old) {
		return false, sqlerr.New(sqlerr.InvalidTableDefinition, "cannot drop columns from view")
	}
	for i := range old {
		switch now := v.Columns[i]; {
		case now.Name != old[i].Name:
			return false, sqlerr.New(sqlerr.InvalidTableDefinition, "cannot change name of view column \"%s\" to \"%s\"", old[i].Name, now.Name).
				WithHint("Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.")
		case now.Type != old[i].Type:
			return false, sqlerr.New(sqlerr.InvalidTableDefinition, "cannot change data type of view column \"%s\" from %s to %s",
				now.Name, old[i].Type.Format(), now.Type.Format())
		}
	}
	changed := r.Table.Clone()
	changed.Columns, changed.View = v.Columns, v.View
	return true, d.env.View.UpdateTable(ctx, r.Table, changed)
}

// createTableAs makes a table of a query's columns and puts its rows there.
func (d *ddl) createTableAs(ctx context.Context, st *parse.CreateTableStmt) (string, error) {
	query, ok := st.As.(*parse.SelectStmt)
	switch {
	case st.IsMatView:
		return "", d.unsupported("CREATE MATERIALIZED VIEW", st.Position())
	case !ok:
		return "", d.unsupported("CREATE TABLE AS EXECUTE", st.Position())
	}
	schema, err := d.schemaFor(ctx, st.Name, st.Persistence)
	if err != nil {
		return "", err
	}
	if st.IfNotExists {
		if found, err := d.exists(ctx, schema.ID, st.Name.Name); found || err != nil {
			return "CREATE TABLE AS", err
		}
	}
	if err := d.checkParameters(st.With); err != nil {
		return "", err
	}
	q, err := d.planner(ctx).Plan(query, nil)
	if err != nil {
		return "", err
	}
	if q.Err != nil {
		return "", q.Err
	}
	d.env.filled = q
	t, err := d.tableOfQuery(ctx, schema, st, q.Columns)
	if err == nil && !st.NoData {
		err = d.env.View.CheckTable(ctx, t, catalog.Insert)
	}
	if err != nil || st.NoData {
		return "CREATE TABLE AS", err
	}
	d.env.Txn.NextStatement()
	n, err := d.fill(ctx, t, q)
	return "SELECT " + strconv.FormatInt(n, 10), err
}

// tableOfQuery makes a table with the columns of a query.
func (d *ddl) tableOfQuery(ctx context.Context, schema *catalog.Schema, st *parse.CreateTableStmt, cols []plan.Column) (*catalog.Table, error) {
	if len(st.AsColumns) > len(cols) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "too many column names were specified")
	}
	b := d.env.View.NewBuilder(schema, st.Name.Name)
	var err error
	if b.Table().OnCommit, err = d.onCommit(schema, st.OnCommit); err != nil {
		return nil, err
	}
	if b.Table().Owner, err = d.owner(ctx); err != nil {
		return nil, err
	}
	for i, c := range cols {
		name := c.Name
		if i < len(st.AsColumns) {
			name = st.AsColumns[i]
		}
		if err := checkStoredType(name, c.Type); err != nil {
			return nil, err
		}
		if c.Type.Category() == 'P' {
			return nil, sqlerr.New(sqlerr.InvalidTableDefinition, "column \"%s\" has pseudo-type %s", name, c.Type.Format())
		}
		if err := d.useType(ctx, c.Type); err != nil {
			return nil, err
		}
		if err := b.AddColumn(catalog.Column{Name: name, Type: c.Type}); err != nil {
			return nil, err
		}
	}
	t, err := b.Build(ctx)
	if err != nil {
		return nil, err
	}
	return t, d.env.View.CreateTable(ctx, t)
}

// fill inserts the rows of a query into a new table and counts them.
func (d *ddl) fill(ctx context.Context, t *catalog.Table, q *plan.Plan) (int64, error) {
	n := plan.FillTable(t, q)
	op, err := Build(d.env, n)
	if err != nil {
		return 0, err
	}
	defer op.Close()
	if err := op.Open(ctx); err != nil {
		return 0, err
	}
	for {
		b, err := op.Next(ctx)
		if err != nil {
			return 0, err
		}
		if b == nil {
			return op.(Affected).Affected(), nil
		}
	}
}
