package expr

import (
	"math"
	"strings"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Builder makes typed expressions out of parsed ones. It serves one statement and one goroutine.
type Builder struct {
	// Text is the whole text that the positions of the parsed expressions count in; errors point into it.
	Text string
	// Params are the statement's parameters; nil refuses them.
	Params *Params
	// Types is what the input functions of literals take from the session; nil stands for the defaults.
	Types *types.Context
	// UserTypes are the types that are not built in and that were named, or have constants, so far.
	UserTypes []types.OID
	// Functions are the user's functions that a name may mean, nearest first; nil: there are none. Call makes the call of one.
	Functions func(schema, name string) ([]*Function, error)
	Call      func(s *Scope, c FunctionCall) (Expr, error)
	// Arguments, in the body of a function, is what $1 and its kin are the columns of; it stands in the outermost scope.
	Arguments *Source
	// SchemaExists tells whether a schema other than pg_catalog, public and information_schema exists; nil: none does.
	SchemaExists func(name string) bool
	// Collated tells that COLLATE was written, which the expressions do not have any more.
	Collated bool
}

// at gives an error its position: byte offset pos of Text, none if negative. Errors of other kinds pass.
func (b *Builder) at(err error, pos int) error {
	if e, ok := sqlerr.As(err); ok && pos >= 0 {
		return e.At(parse.Character(b.Text, pos))
	}
	return err
}

func (b *Builder) unsupported(feature string, pos int) error {
	return b.at(sqlerr.Unsupported(feature), pos)
}

// Build makes the typed expression. Its type is Unknown if it is a literal or parameter that nothing gave a type; a place
// that needs a value then calls Resolve. Errors are *sqlerr.Error with position.
func (b *Builder) Build(x parse.Expr, s *Scope) (Expr, error) {
	switch x := x.(type) {
	case *parse.Literal:
		return b.constant(x)
	case *parse.ColumnRef:
		return b.columnRef(x, s)
	case *parse.ParamRef:
		if b.Arguments != nil {
			return b.argument(x, s)
		}
		return b.Params.ref(b, x)
	case *parse.BinaryExpr:
		return b.binary(x, s)
	case *parse.UnaryExpr:
		return b.unary(x, s)
	case *parse.BoolExpr:
		return b.logic(x, s)
	case *parse.NullTest:
		return b.nullTest(x, s)
	case *parse.BoolTest:
		return b.boolTest(x, s)
	case *parse.DistinctExpr:
		return b.distinct(x, s)
	case *parse.BetweenExpr:
		return b.between(x, s)
	case *parse.InExpr:
		return b.in(x, s)
	case *parse.LikeExpr:
		return b.like(x, s)
	case *parse.AnyAllExpr:
		return b.anyAll(x, s)
	case *parse.CaseExpr:
		return b.caseExpr(x, s)
	case *parse.CoalesceExpr:
		return b.coalesce(x, s)
	case *parse.NullIfExpr:
		return b.nullIf(x, s)
	case *parse.MinMaxExpr:
		return b.minMax(x, s)
	case *parse.FuncCall:
		return b.funcCall(x, s)
	case *parse.GroupingFunc:
		return b.grouping(x, s)
	case *parse.SQLValueFunc:
		return b.sqlValue(x)
	case *parse.CastExpr:
		return b.cast(x, s)
	case *parse.CollateExpr:
		return b.collate(x, s)
	case *parse.SubqueryExpr:
		return b.subquery(s, SubqueryRequest{Kind: ScalarSubquery, Query: x.Query, Pos: x.Pos})
	case *parse.ExistsExpr:
		return b.subquery(s, SubqueryRequest{Kind: ExistsSubquery, Query: x.Query, Pos: x.Pos})
	case *parse.ArraySubquery:
		return b.subquery(s, SubqueryRequest{Kind: ArraySubquery, Query: x.Query, Pos: x.Pos})
	case *parse.ArrayExpr:
		return b.array(x, s)
	case *parse.SubscriptExpr:
		return b.subscript(x, s)
	case *parse.FieldExpr:
		return b.field(x, s)
	case *parse.RowExpr:
		return b.row(x, s)
	default:
		return nil, b.refuse(x)
	}
}

// refuse is the error of the expressions that minidb does not have.
func (b *Builder) refuse(x parse.Expr) error {
	switch x.(type) {
	case *parse.DefaultExpr:
		return b.at(sqlerr.New(sqlerr.SyntaxError, "DEFAULT is not allowed in this context"), x.Position())
	case *parse.GroupingExpr:
		return b.unsupported("a grouping set", x.Position())
	default:
		return b.unsupported("this expression", x.Position())
	}
}

// BuildAll builds a list.
func (b *Builder) BuildAll(list []parse.Expr, s *Scope) ([]Expr, error) {
	out := make([]Expr, len(list))
	for i, x := range list {
		e, err := b.Build(x, s)
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

// BuildValue is Build for a place that puts a value out: what has no type is text. A SELECT list's own parameters may still
// get a type from the rest of the query, so for it Resolve comes last.
func (b *Builder) BuildValue(x parse.Expr, s *Scope) (Expr, error) {
	e, err := b.Build(x, s)
	if err != nil {
		return nil, err
	}
	return b.Resolve(e)
}

// Resolve gives a literal or parameter without a type the type text.
func (b *Builder) Resolve(e Expr) (Expr, error) {
	if !e.Type().IsUnknown() {
		return e, nil
	}
	return b.coerce(e, types.Text, types.CastImplicit)
}

// BuildCondition is Build for WHERE, HAVING, ON, CHECK and the like; the scope's clause names it in messages.
func (b *Builder) BuildCondition(x parse.Expr, s *Scope) (Expr, error) {
	return b.condition(x, s, s.Clause.fact().name)
}

func (b *Builder) condition(x parse.Expr, s *Scope, construct string) (Expr, error) {
	e, err := b.Build(x, s)
	if err != nil {
		return nil, err
	}
	return b.toBool(e, construct, Leftmost(x))
}

// BuildInt8 is Build for LIMIT and OFFSET, which see the query's columns but cannot use them.
func (b *Builder) BuildInt8(x parse.Expr, s *Scope) (Expr, error) {
	e, err := b.Build(x, s)
	if err != nil {
		return nil, err
	}
	c, err := b.coerce(e, types.Int8, types.CastAssignment)
	if err == nil && c == nil {
		err = b.at(sqlerr.New(sqlerr.DatatypeMismatch, "argument of %s must be type bigint, not type %s",
			s.Clause.fact().name, e.Type().Base().Format()), Leftmost(x))
	}
	if err == nil && HasColumns(c) {
		err = b.at(sqlerr.New(sqlerr.InvalidColumnReference, "argument of %s must not contain variables", s.Clause.fact().name), Leftmost(x))
	}
	return c, err
}

// BuildAssignment is Build for a value that INSERT or UPDATE stores in a column.
func (b *Builder) BuildAssignment(x parse.Expr, s *Scope, column string, to types.Type) (Expr, error) {
	e, err := b.Build(x, s)
	if err != nil {
		return nil, err
	}
	return b.Assign(e, column, to, Leftmost(x))
}

// BuildDefault is Build for a column's DEFAULT.
func (b *Builder) BuildDefault(x parse.Expr, column string, to types.Type) (Expr, error) {
	return b.BuildGenerated(x, &Scope{Clause: ClauseDefault}, column, to)
}

// BuildGenerated is Build for a column's GENERATED ALWAYS AS.
func (b *Builder) BuildGenerated(x parse.Expr, s *Scope, column string, to types.Type) (Expr, error) {
	e, err := b.Build(x, s)
	if err != nil {
		return nil, err
	}
	c, err := b.coerce(e, to, types.CastAssignment)
	if err == nil && c == nil {
		err = sqlerr.New(sqlerr.DatatypeMismatch, "column %q is of type %s but default expression is of type %s",
			column, to.Format(), e.Type().Base().Format()).WithHint("You will need to rewrite or cast the expression.")
	}
	return c, err
}

// Assign casts a value to the type of the column that it is stored in; pos is where an error points.
func (b *Builder) Assign(e Expr, column string, to types.Type, pos int) (Expr, error) {
	c, err := b.coerce(e, to, types.CastAssignment)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, b.at(sqlerr.New(sqlerr.DatatypeMismatch, "column %q is of type %s but expression is of type %s",
			column, to.Base().Format(), e.Type().Base().Format()).
			WithHint("You will need to rewrite or cast the expression."), pos)
	}
	return c, nil
}

// constant makes a literal: numbers have the smallest type that holds them, strings and NULL have none yet.
func (b *Builder) constant(x *parse.Literal) (Expr, error) {
	switch x.Kind {
	case parse.NullLiteral:
		return &Const{Value: types.NullDatum, typ: types.Unknown, pos: x.Pos}, nil
	case parse.BoolLiteral:
		return &Const{Value: types.NewBool(x.Text == "true"), typ: types.Bool, pos: x.Pos}, nil
	case parse.IntLiteral:
		t := types.Int8
		if x.Int >= math.MinInt32 && x.Int <= math.MaxInt32 {
			t = types.Int4
		}
		return &Const{Value: types.NewInt(x.Int), typ: t, pos: x.Pos}, nil
	case parse.NumericLiteral:
		d, err := types.Input(b.Types, types.Numeric, []byte(x.Text))
		if err != nil {
			return nil, b.at(err, x.Pos)
		}
		return &Const{Value: d, typ: types.Numeric, pos: x.Pos}, nil
	case parse.StringLiteral:
		return &Const{Value: types.NewText(x.Text), typ: types.Unknown, pos: x.Pos}, nil
	default:
		return nil, b.unsupported("type bit", x.Pos)
	}
}

func (b *Builder) cast(x *parse.CastExpr, s *Scope) (Expr, error) {
	if x.Type.Name() == "interval" && len(x.Type.Mods) > 0 && x.Type.ArrayBounds == nil {
		return b.intervalLiteral(x, s)
	}
	to, err := b.castType(x.Type)
	if err != nil {
		return nil, err
	}
	if c, ok := b.numberedLiteral(x, to); ok {
		return c, nil
	}
	e, err := b.castOperand(x.X, to, s)
	if err != nil {
		return nil, err
	}
	if to.IsRecord() {
		return b.castToRow(e, to, x)
	}
	c, err := b.coerce(e, to, types.CastExplicit)
	if err == nil && c != nil && to.Mod == -1 && c.Type().Mod != -1 {
		// Only the modifier goes.
		return &Cast{Arg: c, Context: types.CastExplicit, typ: to, from: c.Type(), relabel: true}, nil
	}
	if err == nil && c == nil {
		err = b.at(sqlerr.New(sqlerr.CannotCoerce, "cannot cast type %s to %s", e.Type().Base().Format(), to.Base().Format()), x.Pos)
	}
	return c, err
}

// castOperand builds what is cast: the elements of ARRAY[…] are cast one by one.
func (b *Builder) castOperand(x parse.Expr, to types.Type, s *Scope) (Expr, error) {
	array, ok := x.(*parse.ArrayExpr)
	if elem, isArray := to.Elem(); ok && isArray {
		return b.arrayAs(array, elem, s)
	}
	return b.Build(x, s)
}

// castType is ResolveType that also finds the types which only expressions have.
func (b *Builder) castType(n *parse.TypeName) (types.Type, error) {
	t, err := b.ResolveType(n)
	if sqlerr.CodeOf(err) != sqlerr.FeatureNotSupported {
		return t, err
	}
	c, ok := types.Type{}, false
	if len(n.Names) == 1 || n.Names[len(n.Names)-2] == "pg_catalog" {
		c, ok = types.CatalogTypeByName(n.Name())
	}
	if !ok {
		c, ok = b.rowType(n)
	}
	if ok && n.ArrayBounds != nil {
		c, ok = c.Array()
	}
	if ok {
		return c, nil
	}
	return t, err
}

// rowType finds the type of a table's rows.
func (b *Builder) rowType(n *parse.TypeName) (types.Type, bool) {
	if b.Types == nil || b.Types.Names == nil || b.Types.Rows == nil {
		return types.Type{}, false
	}
	quoted := make([]string, len(n.Names))
	for i, name := range n.Names {
		quoted[i] = parse.QuoteIdent(name)
	}
	oid, err := b.Types.Names.Find(types.RegType, strings.Join(quoted, "."))
	if err != nil {
		return types.Type{}, false
	}
	return b.Types.Rows(oid)
}

// ResolveType finds the type of a written name.
func (b *Builder) ResolveType(n *parse.TypeName) (types.Type, error) {
	switch {
	case n.SetOf:
		return types.Type{}, b.at(sqlerr.New(sqlerr.InvalidTableDefinition, "SETOF is not allowed here"), n.Pos)
	case n.ArrayBounds != nil:
		return b.arrayType(n)
	}
	if k := len(n.Names); k > 1 && n.Names[k-2] != "pg_catalog" {
		return b.userType(n)
	}
	if t, ok := types.NumberedType(n.Name()); ok && len(n.Names) > 1 {
		return t, nil
	}
	if n.Name() == "char" {
		// Only in quotes does it keep this name.
		return types.Char, nil
	}
	mods := make([]int64, len(n.Mods))
	for i, m := range n.Mods {
		mods[i] = int64(m)
	}
	t, err := types.ParseTypeName(n.Name(), mods)
	if sqlerr.CodeOf(err) == sqlerr.UndefinedObject && len(n.Names) == 1 {
		return b.userType(n)
	}
	return t, b.at(err, n.Pos)
}

// userType finds a type that is not built in.
func (b *Builder) userType(n *parse.TypeName) (types.Type, error) {
	quoted := make([]string, len(n.Names))
	for i, name := range n.Names {
		quoted[i] = parse.QuoteIdent(name)
	}
	err := sqlerr.New(sqlerr.UndefinedObject, "type \"%s\" does not exist", strings.Join(n.Names, "."))
	if b.Types == nil || b.Types.Names == nil {
		return types.Type{}, b.at(err, n.Pos)
	}
	oid, findErr := b.Types.Names.Find(types.RegType, strings.Join(quoted, "."))
	t := types.Type{OID: oid, Mod: -1}
	switch {
	case sqlerr.CodeOf(findErr) == sqlerr.UndefinedObject:
		return types.Type{}, b.at(err, n.Pos)
	case findErr != nil:
		return types.Type{}, b.at(findErr, n.Pos)
	case b.Types.Enums == nil || !t.IsUser() || b.Types.Enums(oid&^1) == nil:
		return types.Type{}, b.unsupported("composite types", n.Pos)
	case len(n.Mods) > 0:
		return types.Type{}, b.at(sqlerr.New(sqlerr.SyntaxError, "type modifier is not allowed for type \"%s\"", n.Name()), n.Pos)
	}
	b.UserTypes = append(b.UserTypes, oid&^1)
	return t, nil
}

// arrayType finds the type of arrays of a written name. How many brackets there are, and with what bounds, says nothing.
func (b *Builder) arrayType(n *parse.TypeName) (types.Type, error) {
	scalar := *n
	scalar.ArrayBounds = nil
	elem, err := b.ResolveType(&scalar)
	if e, ok := sqlerr.As(err); ok && e.Code == sqlerr.UndefinedObject {
		e.Message = "type \"" + strings.Join(n.Names, ".") + "[]\" does not exist"
	}
	if err != nil {
		return elem, err
	}
	array, ok := elem.Array()
	if !ok {
		if elem.IsArray() {
			return elem, nil
		}
		return elem, b.at(sqlerr.New(sqlerr.UndefinedObject, "could not find array type for data type %s", elem.Format()), n.Pos)
	}
	return array, nil
}

func (b *Builder) collate(x *parse.CollateExpr, s *Scope) (Expr, error) {
	e, err := b.Build(x.X, s)
	if err != nil {
		return nil, err
	}
	switch category, _ := facts().category(e.Type().OID); {
	case category != categoryString && !e.Type().IsUnknown():
		return nil, b.at(sqlerr.New(sqlerr.DatatypeMismatch, "collations are not supported by type %s", e.Type().Base().Format()), x.Pos)
	case x.Collation.Schema != "" && x.Collation.Schema != "pg_catalog":
	default:
		// All of these order by bytes, which is the only order there is.
		switch x.Collation.Name {
		case "C", "POSIX", "default", "ucs_basic", "C.UTF-8", "C.utf8":
			b.Collated = true
			return e, nil
		}
	}
	return nil, b.at(sqlerr.New(sqlerr.UndefinedObject, "collation %q for encoding \"UTF8\" does not exist", x.Collation.Name), x.Pos)
}

func (b *Builder) subquery(s *Scope, q SubqueryRequest) (Expr, error) {
	if c := s.Clause.fact().noSubquery; c != "" {
		return nil, b.at(sqlerr.New(sqlerr.FeatureNotSupported, "cannot use subquery in %s", c), q.Pos)
	}
	if s.Subquery == nil {
		return nil, b.unsupported("a subquery here", q.Pos)
	}
	return s.Subquery(b, s, q)
}
