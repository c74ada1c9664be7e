package pgcatalog

import (
	"strings"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/types"
)

// defineFuncs write the definitions of objects.
var defineFuncs = map[string]body{
	"format_type":                         asking(formatTypeFunc),
	"pg_get_expr":                         asking(getExpr),
	"pg_get_expr_ext":                     asking(getExpr),
	"pg_get_indexdef":                     asking(getIndexDef),
	"pg_get_indexdef_ext":                 asking(getIndexDef),
	"pg_get_constraintdef":                asking(getConstraintDef),
	"pg_get_constraintdef_ext":            asking(getConstraintDef),
	"pg_get_viewdef":                      asking(getViewDef),
	"pg_get_viewdef_ext":                  asking(getViewDef),
	"pg_get_viewdef_wrap":                 asking(getWrappedViewDef),
	"pg_get_viewdef_name":                 asking(getViewDef),
	"pg_get_viewdef_name_ext":             asking(getViewDef),
	"pg_get_userbyid":                     asking(getUserByID),
	"pg_get_partkeydef":                   always(null),
	"pg_get_partition_constraintdef":      always(null),
	"pg_get_triggerdef":                   always(null),
	"pg_get_triggerdef_ext":               always(null),
	"pg_get_ruledef":                      always(null),
	"pg_get_ruledef_ext":                  always(null),
	"pg_get_statisticsobjdef":             always(null),
	"pg_get_statisticsobjdef_columns":     always(null),
	"pg_get_statisticsobjdef_expressions": always(null),
	"pg_index_column_has_property":        asking(indexColumnHasProperty),
}

func formatTypeFunc(r *Reader, s *Snapshot, args []datum) (datum, error) {
	switch {
	case args[0].Null:
		return null, nil
	case args[0].I == 0:
		return text("-"), nil
	}
	mod := int32(-1)
	if !args[1].Null {
		mod = int32(args[1].I)
	}
	name := formatType(oidOf(args[0]), mod)
	if name == "" {
		name, _ = s.typeName(r.env.SearchPath(), oidOf(args[0]))
	}
	if name == "" {
		name = "???"
	}
	switch {
	case mod >= 0 || args[1].Null:
	case oidOf(args[0]) == types.BPCharOID:
		// With a modifier that is none, char is not char(1), nor bit bit(1).
		name = "bpchar"
	case name == "bit":
		name = `"bit"`
	}
	return text(name), nil
}

// getExpr writes an expression that a system table holds: they hold them as they are written by default.
func getExpr(r *Reader, s *Snapshot, args []datum) (datum, error) {
	if len(args) < 3 || !args[2].Bool() {
		return text(s.nameTypes(r.env.SearchPath(), args[0].Text())), nil
	}
	t := s.relations[oidOf(args[1])].Table
	return text(s.nameTypes(r.env.SearchPath(), deparse(args[0].Text(), true, func(b *expr.Builder, x parse.Expr) (expr.Expr, error) {
		e, err := b.Build(x, columnScope(t))
		return e, err
	}))), nil
}

// prettyArg is the last argument of the functions that can leave out parentheses and schemas.
func prettyArg(args []datum, at int) bool { return len(args) > at && args[at].Bool() }

// namerFor names tables as a definition does that is pretty, or is not.
func namerFor(r *Reader, s *Snapshot, pretty bool) namer {
	if pretty {
		return s.underPath(r.env.SearchPath())
	}
	return s.alwaysQualified
}

func getIndexDef(r *Reader, s *Snapshot, args []datum) (datum, error) {
	pretty := prettyArg(args, 2)
	if len(args) == 1 || args[1].I == 0 {
		return orNull(s.nameTypes(r.env.SearchPath(), s.indexDef(oidOf(args[0]), pretty, namerFor(r, s, pretty)))), nil
	}
	x, ok := s.indexParts(oidOf(args[0]), pretty)
	if !ok {
		return null, nil
	}
	columns := append(x.columns[:len(x.columns):len(x.columns)], x.stored...)
	if n := args[1].I; n > 0 && n <= int64(len(columns)) {
		return text(s.nameTypes(r.env.SearchPath(), columns[n-1])), nil
	}
	return text(""), nil
}

func getConstraintDef(r *Reader, s *Snapshot, args []datum) (datum, error) {
	c, t, ok := s.findConstraint(oidOf(args[0]))
	if !ok {
		return null, nil
	}
	pretty := prettyArg(args, 1)
	return text(s.nameTypes(r.env.SearchPath(), s.constraintDef(&c, t, pretty, namerFor(r, s, pretty)))), nil
}

// getViewDef writes a view's query: with one argument in full, with a bool as that says, with a number with lines of that width.
func getViewDef(r *Reader, s *Snapshot, args []datum) (datum, error) {
	return viewDefOf(r, s, args, false)
}

func getWrappedViewDef(r *Reader, s *Snapshot, args []datum) (datum, error) {
	return viewDefOf(r, s, args, true)
}

func viewDefOf(r *Reader, s *Snapshot, args []datum, wrap bool) (datum, error) {
	name, o := objectArg(args[0])
	if name != "" {
		var err error
		if o, err = r.findClass(s, name); err != nil {
			return datum{}, err
		}
	}
	t := s.relations[o].Table
	if t == nil || t.Kind != catalog.KindView {
		return null, nil
	}
	pretty, width := false, 0
	if len(args) > 1 {
		if pretty = args[1].Bool(); wrap {
			pretty, width = true, int(args[1].I)
		}
	}
	return text(r.viewText(s, t, pretty, width)), nil
}

func getUserByID(_ *Reader, s *Snapshot, args []datum) (datum, error) {
	if name := s.roleName(oidOf(args[0])); name != "" {
		return text(name), nil
	}
	return text("unknown (OID=" + types.FormatText(nil, types.Oid, args[0]) + ")"), nil
}

// indexColumnHasProperty answers for B-trees, which all indexes are.
func indexColumnHasProperty(_ *Reader, s *Snapshot, args []datum) (datum, error) {
	r := s.relations[oidOf(args[0])]
	n := int(args[1].I)
	if r.Index == nil || n < 1 || n > len(r.Index.Keys) {
		return null, nil
	}
	k := r.Index.Keys[n-1]
	switch strings.ToLower(args[2].Text()) {
	case "asc":
		return flag(!k.Desc), nil
	case "desc":
		return flag(k.Desc), nil
	case "nulls_first":
		return flag(k.NullsFirst), nil
	case "nulls_last":
		return flag(!k.NullsFirst), nil
	case "orderable", "returnable", "search_array", "search_nulls":
		return flag(true), nil
	case "distance_orderable":
		return flag(false), nil
	}
	return null, nil
}

// attributeNumber finds a column by name.
func attributeNumber(t *catalog.Table, name string) (catalog.ColumnID, bool) {
	if c := t.ColumnByName(name); c != nil {
		return c.ID, true
	}
	return 0, false
}
