package expr

import (
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// maxNameDistance is the edit distance up to which a column's name is offered in place of one that does not exist.
const maxNameDistance = 3

// columnRef resolves the name of a column.
func (b *Builder) columnRef(x *parse.ColumnRef, s *Scope) (Expr, error) {
	if x.Star && len(x.Parts) == 0 {
		return nil, b.at(sqlerr.New(sqlerr.SyntaxError, `"*" is not allowed here`), x.Pos)
	}
	if c := s.Clause.fact().noColumns; c != "" {
		return nil, b.at(sqlerr.New(sqlerr.FeatureNotSupported, "cannot use column reference in %s", c), x.Pos)
	}
	switch n := len(x.Parts); {
	case x.Star:
		src, level, err := b.starSource(x, s)
		if err != nil {
			return nil, err
		}
		return b.wholeRow(src, level, x.Pos), nil
	case n == 1:
		return b.bareColumn(x.Parts[0], s, x.Pos)
	default:
		schema, table := "", x.Parts[n-2]
		if n > 2 {
			schema = x.Parts[n-3]
		}
		return b.qualifiedColumn(schema, table, x.Parts[n-1], s, x.Pos)
	}
}

// bareColumn finds a name without a table in the nearest scope that has it.
func (b *Builder) bareColumn(name string, s *Scope, pos int) (Expr, error) {
	level := 0
	for sc := s; sc != nil; sc = sc.Parent {
		var found *SourceColumn
		var in *Source
		for _, src := range sc.Sources {
			if src.LateralOnly {
				continue
			}
			for i := range src.Columns {
				c := &src.Columns[i]
				if c.Name != name || c.QualifiedOnly || c.Dropped {
					continue
				}
				if found != nil {
					return nil, b.at(sqlerr.New(sqlerr.AmbiguousColumn, "column reference %q is ambiguous", name), pos)
				}
				found, in = c, src
			}
		}
		if found != nil {
			return found.at(in, level, pos), nil
		}
		level++
	}
	// The name of a FROM item is its whole row.
	level = 0
	for sc := s; sc != nil; sc = sc.Parent {
		for _, src := range sc.Sources {
			if src.Name == name && !src.LateralOnly {
				return b.wholeRow(src, level, pos), nil
			}
		}
		level++
	}
	return nil, b.missingColumn("", name, s, pos)
}

// at makes the expression of a column seen from level queries further in.
func (c *SourceColumn) at(src *Source, level, pos int) Expr {
	if c.Expr == nil {
		return &Column{Index: c.Index, Level: level, Name: c.Name, Table: src.Name, Pos: pos, typ: c.Type}
	}
	if level == 0 {
		return c.Expr
	}
	return Rewrite(c.Expr, func(e Expr) (Expr, bool) {
		col, ok := e.(*Column)
		if !ok {
			return nil, false
		}
		outer := *col
		outer.Level += level
		return &outer, true
	})
}

// qualifiedColumn finds table.name, or schema.table.name.
func (b *Builder) qualifiedColumn(schema, table, name string, s *Scope, pos int) (Expr, error) {
	src, level, err := b.findSource(schema, table, s, pos)
	if err != nil {
		return nil, err
	}
	var found *SourceColumn
	for i := range src.Columns {
		c := &src.Columns[i]
		if c.Name != name || c.Dropped {
			continue
		}
		if found != nil {
			return nil, b.at(sqlerr.New(sqlerr.AmbiguousColumn, "column reference %q is ambiguous", name), pos)
		}
		found = c
	}
	if found == nil {
		return nil, b.missingColumn(table, name, s, pos)
	}
	return found.at(src, level, pos), nil
}

// findSource finds the FROM item that a qualifier names.
func (b *Builder) findSource(schema, table string, s *Scope, pos int) (*Source, int, error) {
	level := 0
	for sc := s; sc != nil; sc = sc.Parent {
		var found *Source
		for _, src := range sc.Sources {
			if src.LateralOnly || !src.answersTo(schema, table) {
				continue
			}
			if found != nil {
				return nil, 0, b.at(sqlerr.New(sqlerr.AmbiguousAlias, "table reference %q is ambiguous", table), pos)
			}
			found = src
		}
		if found != nil {
			return found, level, nil
		}
		level++
	}
	return nil, 0, b.missingSource(schema, table, s, pos)
}

// answersTo: with a schema only a table under its own name does.
func (src *Source) answersTo(schema, table string) bool {
	if table == "" || src.Name != table {
		return false
	}
	return schema == "" || src.Schema == schema && src.Table == table
}

// missingSource is the error of a qualifier that names no FROM item; it tells a table that hides behind its alias.
func (b *Builder) missingSource(schema, table string, s *Scope, pos int) error {
	for sc := s; sc != nil; sc = sc.Parent {
		for _, src := range sc.Sources {
			if src.Name != table && (src.Table != table || schema != "" && src.Schema != schema) {
				continue
			}
			err := sqlerr.New(sqlerr.UndefinedTable, "invalid reference to FROM-clause entry for table %q", table)
			if src.Name != table && !src.LateralOnly {
				err = err.WithHint("Perhaps you meant to reference the table alias %q.", src.Name)
			} else {
				err = err.WithHint("There is an entry for table %q, but it cannot be referenced from this part of the query.", table)
			}
			return b.at(err, pos)
		}
	}
	return b.at(sqlerr.New(sqlerr.UndefinedTable, "missing FROM-clause entry for table %q", table), pos)
}

// missingColumn is the error of a column that does not exist; its hint names the nearest ones, two at most.
func (b *Builder) missingColumn(table, name string, s *Scope, pos int) error {
	err := sqlerr.New(sqlerr.UndefinedColumn, "column %q does not exist", name)
	if table != "" {
		err = sqlerr.New(sqlerr.UndefinedColumn, "column %s.%s does not exist", table, name)
	}
	near := nearNames{limit: maxNameDistance + 1}
	for sc := s; sc != nil; sc = sc.Parent {
		for _, src := range sc.Sources {
			penalty := 0
			if table != "" {
				penalty = distance(table, src.Name)
			}
			for i := range src.Columns {
				c := &src.Columns[i]
				if c.Dropped {
					continue
				}
				if c.Name == name && (table == "" || src.Name == table) {
					return b.at(err.WithHint("There is a column named %q in table %q, but it cannot be referenced from this part of the query.", name, src.Name), pos)
				}
				near.add(src.Name, c.Name, name, penalty)
			}
		}
	}
	switch len(near.found) {
	case 1:
		err = err.WithHint("Perhaps you meant to reference the column \"%s\".", near.found[0])
	case 2:
		err = err.WithHint("Perhaps you meant to reference the column \"%s\" or the column \"%s\".", near.found[0], near.found[1])
	}
	return b.at(err, pos)
}

// nearNames keeps the names at the least distance from a wanted one, as long as they are no more than two.
type nearNames struct {
	limit int      // distance of what was found, or the first that is too far
	found []string // table.column
}

func (n *nearNames) add(table, column, wanted string, penalty int) {
	d := distance(wanted, column)
	// A name of which more than half differs is no suggestion.
	if d > len(wanted)/2 {
		return
	}
	d += penalty
	switch {
	case d < n.limit:
		n.limit, n.found = d, append(n.found[:0], table+"."+column)
	case d > n.limit || d > maxNameDistance:
	case len(n.found) == 2:
		// A third as near: none of them says anything, and neither does a farther one.
		n.limit, n.found = d-1, n.found[:0]
	default:
		n.found = append(n.found, table+"."+column)
	}
}

// distance is the Levenshtein distance in characters.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			next := min(diagonal+cost, row[j]+1, row[j+1]+1)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(y)]
}

// Output is one expression of an expanded star.
type Output struct {
	Expr Expr
	Name string
}

// IsStar reports whether an item of a SELECT list stands for several columns: *, t.* or (x).*.
func IsStar(x parse.Expr) bool {
	ref, ok := x.(*parse.ColumnRef)
	return ok && ref.Star || isStar(x)
}

// starSource finds the FROM item of t.*.
func (b *Builder) starSource(x *parse.ColumnRef, s *Scope) (*Source, int, error) {
	schema, n := "", len(x.Parts)
	if n > 1 {
		schema = x.Parts[n-2]
	}
	return b.findSource(schema, x.Parts[n-1], s, x.Pos)
}

// ExpandStar gives the columns that *, t.* or (x).* stands for. Requires IsStar.
func (b *Builder) ExpandStar(item parse.Expr, s *Scope) ([]Output, error) {
	if field, ok := item.(*parse.FieldExpr); ok {
		return b.fieldStar(field, s)
	}
	x := item.(*parse.ColumnRef)
	var out []Output
	if len(x.Parts) > 0 {
		src, level, err := b.starSource(x, s)
		if err != nil {
			return nil, err
		}
		for i := range src.Columns {
			if c := &src.Columns[i]; !c.Hidden && !c.Dropped {
				out = append(out, Output{c.at(src, level, x.Pos), c.Name})
			}
		}
		return out, nil
	}
	for _, src := range s.Sources {
		for i := range src.Columns {
			if c := &src.Columns[i]; !c.Hidden && !c.Dropped && !c.QualifiedOnly && !src.LateralOnly {
				out = append(out, Output{c.at(src, 0, x.Pos), c.Name})
			}
		}
	}
	if len(s.Sources) == 0 {
		return nil, b.at(sqlerr.New(sqlerr.SyntaxError, "SELECT * with no tables specified is not valid"), x.Pos)
	}
	return out, nil
}
