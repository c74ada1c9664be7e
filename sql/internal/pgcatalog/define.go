package pgcatalog

import (
	"strings"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/types"
)

// namer writes the names of tables as a definition wants them.
type namer func(o types.OID) string

// alwaysQualified writes the schema before every name.
func (s *Snapshot) alwaysQualified(o types.OID) string {
	obj, _ := s.relationObject(o)
	return obj.qualified()
}

// underPath writes the schema only where it is needed.
func (s *Snapshot) underPath(path []string) namer {
	return func(o types.OID) string {
		name, _ := s.relationName(path, o)
		return name
	}
}

// indexDef is the CREATE INDEX that makes an index; "" if there is none of that number.
func (s *Snapshot) indexDef(o types.OID, pretty bool, name namer) string {
	x, ok := s.indexParts(o, pretty)
	if !ok {
		return ""
	}
	var b strings.Builder
	b.WriteString("CREATE ")
	if x.unique {
		b.WriteString("UNIQUE ")
	}
	b.WriteString("INDEX " + parse.QuoteIdent(x.name) + " ON " + name(x.relation) + " USING btree (")
	b.WriteString(strings.Join(x.keys, ", ") + ")")
	if len(x.stored) > 0 {
		b.WriteString(" INCLUDE (" + strings.Join(x.stored, ", ") + ")")
	}
	if x.where != "" {
		b.WriteString(" WHERE " + x.where)
	}
	return b.String()
}

// indexParts is what a definition of an index says.
type indexParts struct {
	relation        types.OID
	name            string
	unique          bool
	keys            []string // with their order
	columns, stored []string // bare
	where           string
}

// indexParts is what the definition of an index says; if pretty, without the parentheses that a condition need not have.
func (s *Snapshot) indexParts(o types.OID, pretty bool) (indexParts, bool) {
	if x, ok := systemIndexes()[o]; ok {
		index := &x.relation.indexes[x.at]
		out := indexParts{relation: x.relation.OID, name: index.name, unique: index.unique}
		for _, n := range index.columns {
			out.columns = append(out.columns, parse.QuoteIdent(x.relation.Columns[n-1].Name))
		}
		out.keys = out.columns
		return out, true
	}
	r, ok := s.relations[o]
	if !ok || r.Index == nil {
		return indexParts{}, false
	}
	out := indexParts{relation: r.Table.OID, name: r.Index.Name, unique: r.Index.Unique}
	for _, k := range r.Index.Keys {
		column := s.keyText(r.Table, k.Column, pretty)
		out.columns = append(out.columns, column)
		if k.Class != "" {
			column += " " + k.Class
		}
		switch {
		case k.Desc && !k.NullsFirst:
			column += " DESC NULLS LAST"
		case k.Desc:
			column += " DESC"
		case k.NullsFirst:
			column += " NULLS FIRST"
		}
		out.keys = append(out.keys, column)
	}
	for _, id := range r.Index.Stored {
		out.stored = append(out.stored, columnName(r.Table, id))
	}
	if r.Index.Where != 0 {
		out.where = s.virtualText(r.Table.Column(r.Index.Where), r.Table, pretty)
	}
	return out, true
}

// keyText is a key column of an index: a name, or an expression, in parentheses unless it is the call of a function.
func (s *Snapshot) keyText(t *catalog.Table, id catalog.ColumnID, pretty bool) string {
	c := t.Column(id)
	if c == nil || !c.Virtual() {
		return columnName(t, id)
	}
	text := s.virtualText(c, t, pretty)
	if parse.LooksLikeCall(parseStored(c.Generated)) {
		return text
	}
	return "(" + text + ")"
}

// virtualText is the expression of a virtual column as PostgreSQL writes it.
func (s *Snapshot) virtualText(c *catalog.Column, t *catalog.Table, pretty bool) string {
	return deparse(c.Generated, pretty, func(b *expr.Builder, x parse.Expr) (expr.Expr, error) {
		return b.BuildValue(x, columnScope(t))
	})
}

func columnName(t *catalog.Table, id catalog.ColumnID) string {
	c := t.Column(id)
	if c == nil {
		return "?"
	}
	return parse.QuoteIdent(c.Name)
}

// constraintDef is a constraint as ALTER TABLE ADD takes it.
func (s *Snapshot) constraintDef(c *constraint, t *catalog.Table, pretty bool, name namer) string {
	var b strings.Builder
	switch c.kind {
	case 'c':
		b.WriteString("CHECK (" + s.checkText(t, c.check, pretty) + ")")
	case 'p', 'u':
		word := "UNIQUE"
		if c.kind == 'p' {
			word = "PRIMARY KEY"
		}
		x, _ := s.indexParts(c.index, pretty)
		b.WriteString(word + " (" + strings.Join(x.columns, ", ") + ")")
		if len(x.stored) > 0 {
			b.WriteString(" INCLUDE (" + strings.Join(x.stored, ", ") + ")")
		}
	case 'f':
		s.writeForeignKey(&b, c, t, name)
	}
	if c.deferrable {
		b.WriteString(" DEFERRABLE")
	}
	if c.deferred {
		b.WriteString(" INITIALLY DEFERRED")
	}
	if c.notValid {
		b.WriteString(" NOT VALID")
	}
	return b.String()
}

// writeForeignKey writes FOREIGN KEY … REFERENCES ….
func (s *Snapshot) writeForeignKey(b *strings.Builder, c *constraint, t *catalog.Table, name namer) {
	list := func(t *catalog.Table, numbers []int16) string {
		names := make([]string, len(numbers))
		for i, n := range numbers {
			names[i] = columnName(t, catalog.ColumnID(n))
		}
		return "(" + strings.Join(names, ", ") + ")"
	}
	b.WriteString("FOREIGN KEY " + list(t, c.columns) + " REFERENCES " + name(c.references))
	if to := s.relations[c.references].Table; to != nil {
		b.WriteString(list(to, c.refColumns))
	}
	if c.match == 'f' {
		b.WriteString(" MATCH FULL")
	}
	words := map[byte]string{'r': "RESTRICT", 'c': "CASCADE", 'n': "SET NULL", 'd': "SET DEFAULT"}
	if w := words[c.onUpdate]; w != "" {
		b.WriteString(" ON UPDATE " + w)
	}
	if w := words[c.onDelete]; w != "" {
		b.WriteString(" ON DELETE " + w)
		if c.setColumns != nil {
			b.WriteString(" " + list(t, c.setColumns))
		}
	}
}

// findConstraint finds a constraint by its number. Table is nil for one of a system table.
func (s *Snapshot) findConstraint(o types.OID) (constraint, *catalog.Table, bool) {
	for _, t := range s.tables {
		for _, c := range s.constraints(t) {
			if c.oid == o {
				return c, t, true
			}
		}
	}
	for _, x := range systemIndexes() {
		if index := &x.relation.indexes[x.at]; index.constraint == o && o != 0 {
			kind := byte('u')
			if index.primary {
				kind = 'p'
			}
			return constraint{oid: o, kind: kind, index: index.oid}, nil, true
		}
	}
	return constraint{}, nil, false
}

// checkText is the condition of a CHECK as PostgreSQL writes it.
func (s *Snapshot) checkText(t *catalog.Table, source string, pretty bool) string {
	return deparse(source, pretty, func(b *expr.Builder, x parse.Expr) (expr.Expr, error) {
		return b.BuildCondition(x, columnScope(t))
	})
}

// defaultText is a column's default, or what it is generated from, as PostgreSQL writes it.
func (s *Snapshot) defaultText(t *catalog.Table, c *catalog.Column) string {
	if c.Generated != "" {
		return deparse(c.Generated, false, func(b *expr.Builder, x parse.Expr) (expr.Expr, error) {
			return b.BuildGenerated(x, columnScope(t), c.Name, c.Type)
		})
	}
	return deparse(c.Default, false, func(b *expr.Builder, x parse.Expr) (expr.Expr, error) {
		return b.BuildDefault(x, c.Name, c.Type)
	})
}

// viewText is the query of a view: as it was understood, or, where there is no text for that, as it was written.
func (r *Reader) viewText(s *Snapshot, t *catalog.Table, pretty bool, width int) string {
	path := r.env.SearchPath()
	shown, err := r.env.ViewText(t, ViewForm{
		Pretty: pretty, Width: width,
		Name: func(o types.OID, qualified bool) string {
			if qualified {
				return s.alwaysQualified(o)
			}
			name, _ := s.relationName(path, o)
			return name
		},
		TypeName: func(o types.OID) string {
			name, _ := s.typeName(path, o)
			return name
		},
	})
	if err != nil {
		shown = " " + strings.TrimSuffix(strings.TrimSpace(t.View.Text), ";") + ";"
	}
	return s.nameTypes(path, shown)
}

// columnScope is the names of a table's columns.
func columnScope(t *catalog.Table) *expr.Scope {
	scope := &expr.Scope{Clause: expr.ClauseCheck}
	if t == nil {
		return scope
	}
	names := &expr.Source{Name: t.Name}
	for i := range t.Columns {
		names.Columns = append(names.Columns, expr.SourceColumn{Name: t.Columns[i].Name, Type: t.Columns[i].Type, Index: i, Dropped: t.Columns[i].Hidden})
	}
	scope.Sources = []*expr.Source{names}
	return scope
}

// deparse writes the stored text of an expression as PostgreSQL writes it. What cannot be understood any more stays as it is.
func deparse(source string, pretty bool, build func(*expr.Builder, parse.Expr) (expr.Expr, error)) string {
	x := parseStored(source)
	if x == nil {
		return source
	}
	e, err := build(&expr.Builder{Text: storedText(source)}, x)
	if err != nil {
		return source
	}
	return expr.DeparseShown(e, pretty)
}

// storedText is a statement around the stored text of an expression.
func storedText(source string) string { return "SELECT (" + source + ")" }

// parseStored parses the stored text of an expression; nil if it cannot be.
func parseStored(source string) parse.Expr {
	stmts, err := parse.Parse(storedText(source))
	if err != nil || len(stmts) != 1 {
		return nil
	}
	q, ok := stmts[0].AST.(*parse.SelectStmt)
	if !ok {
		return nil
	}
	clause, ok := q.Body.(*parse.SelectClause)
	if !ok || len(clause.Targets) != 1 {
		return nil
	}
	return clause.Targets[0].Expr
}
