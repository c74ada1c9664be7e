package parse

import "strconv"

// Print writes an expression, a type, a query, or an INSERT, UPDATE or DELETE as
// PostgreSQL's SQL, fully parenthesised and with every name in quotes. Parsing the
// text again gives an equal tree, apart from places. Other nodes print as "".
func Print(n Node) string {
	p := &printer{}
	switch n := n.(type) {
	case *SelectStmt:
		p.query(n)
	case *InsertStmt:
		p.insert(n)
	case *UpdateStmt:
		p.update(n)
	case *DeleteStmt:
		p.delete(n)
	case Expr:
		p.expr(n)
	}
	return string(p.b)
}

// PrintType writes a type as PostgreSQL's SQL.
func PrintType(t *TypeName) string {
	p := &printer{}
	p.typeName(t)
	return string(p.b)
}

type printer struct{ b []byte }

// put appends strings.
func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.b = append(p.b, s...)
	}
}

// when appends s if the condition holds.
func (p *printer) when(cond bool, s string) {
	if cond {
		p.put(s)
	}
}

func (p *printer) name(s string) { p.b = appendName(p.b, s) }

func (p *printer) names(list []string) {
	for i, s := range list {
		p.when(i > 0, ", ")
		p.name(s)
	}
}

// nameList writes (a, b), or nothing for an empty list.
func (p *printer) nameList(list []string) {
	if len(list) > 0 {
		p.put("(")
		p.names(list)
		p.put(")")
	}
}

func (p *printer) dotted(parts []string) {
	for i, s := range parts {
		p.when(i > 0, ".")
		p.name(s)
	}
}

func (p *printer) object(n ObjectName) {
	if n.Catalog != "" {
		p.name(n.Catalog)
		p.put(".")
	}
	if n.Schema != "" {
		p.name(n.Schema)
		p.put(".")
	}
	p.name(n.Name)
}

// text writes a string literal; one with a backslash too, which is no escape in it.
func (p *printer) text(s string) {
	p.put("'")
	for i := 0; i < len(s); i++ {
		p.when(s[i] == '\'', "'")
		p.b = append(p.b, s[i])
	}
	p.put("'")
}

func (p *printer) exprs(list []Expr) {
	for i, e := range list {
		p.when(i > 0, ", ")
		p.expr(e)
	}
}

func (p *printer) typeName(t *TypeName) {
	p.when(t.SetOf, "SETOF ")
	p.dotted(t.Names)
	for i, m := range t.Mods {
		if i == 0 {
			p.put("(")
		} else {
			p.put(", ")
		}
		p.put(strconv.Itoa(int(m)))
	}
	p.when(len(t.Mods) > 0, ")")
	for _, n := range t.ArrayBounds {
		p.put("[")
		if n >= 0 {
			p.put(strconv.Itoa(int(n)))
		}
		p.put("]")
	}
}

func (p *printer) op(schema, op string) {
	if schema == "" {
		p.put(op)
		return
	}
	p.put("OPERATOR(")
	p.name(schema)
	p.put(".", op, ")")
}

func (p *printer) literal(l *Literal) {
	switch l.Kind {
	case NullLiteral:
		p.put("NULL")
	case StringLiteral:
		p.text(l.Text)
	case BitLiteral:
		p.put("B")
		p.text(l.Text)
	case HexLiteral:
		p.put("X")
		p.text(l.Text)
	default:
		if l.Text[0] == '-' {
			p.put("(", l.Text, ")")
		} else {
			p.put(l.Text)
		}
	}
}

func (p *printer) orderBy(list []OrderItem) {
	if len(list) == 0 {
		return
	}
	p.put(" ORDER BY ")
	for i, item := range list {
		p.when(i > 0, ", ")
		p.expr(item.Expr)
		p.when(item.Desc, " DESC")
		if item.Using != "" {
			p.put(" USING ", item.Using)
		}
		p.put([]string{"", " NULLS FIRST", " NULLS LAST"}[item.Nulls])
	}
}

func (p *printer) window(w *WindowSpec) {
	if w.Reference {
		p.name(w.Base)
		return
	}
	p.put("(")
	if w.Base != "" {
		p.name(w.Base)
	}
	if len(w.PartitionBy) > 0 {
		p.put(" PARTITION BY ")
		p.exprs(w.PartitionBy)
	}
	p.orderBy(w.OrderBy)
	if f := w.Frame; f != nil {
		p.put([]string{" RANGE ", " ROWS ", " GROUPS "}[f.Mode])
		p.when(f.Between, "BETWEEN ")
		p.bound(f.Start)
		if f.Between {
			p.put(" AND ")
			p.bound(f.End)
		}
		p.put([]string{"", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"}[f.Exclude])
	}
	p.put(")")
}

func (p *printer) bound(b FrameBound) {
	if b.Offset != nil {
		p.expr(b.Offset)
		p.put(" ")
	}
	p.put([]string{
		"UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING",
	}[b.Kind])
}
