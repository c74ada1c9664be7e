package expr

import (
	"slices"

	"minidb/sql/types"
)

// SplitAnd takes a condition apart into those that must all hold. A nil condition has none.
func SplitAnd(e Expr) []Expr {
	if e == nil {
		return nil
	}
	and, ok := e.(*And)
	if !ok {
		return []Expr{e}
	}
	var out []Expr
	for _, a := range and.Args {
		out = append(out, SplitAnd(a)...)
	}
	return out
}

// JoinAnd is the opposite of SplitAnd: nil for no conditions.
func JoinAnd(conds []Expr) Expr {
	if len(conds) == 0 {
		return nil
	}
	return all(slices.Clone(conds))
}

// CompareOp is a comparison that follows the order of a type.
type CompareOp uint8

// The comparisons.
const (
	OpEq CompareOp = iota
	OpLt
	OpLe
	OpGt
	OpGe
)

// String is the operator.
func (o CompareOp) String() string { return [...]string{"=", "<", "<=", ">", ">="}[o] }

var compareOps = map[string]CompareOp{"=": OpEq, "<": OpLt, "<=": OpLe, ">": OpGt, ">=": OpGe}

// ColumnComparison is a condition that compares a column with what does not depend on the row, so that an index can
// answer it.
type ColumnComparison struct {
	Column *Column
	Op     CompareOp
	Value  Expr   // one value; nil if List is set. Of the column's type, or of another that compares with it (see KeyValue)
	List   []Expr // Column = any of these; Op is OpEq
	Array  Expr   // Column = any element of this array; Op is OpEq
}

// MatchComparison recognises column op value, value op column, column IN (values) and column = ANY (array).
func MatchComparison(e Expr) (ColumnComparison, bool) {
	switch e := e.(type) {
	case *Call:
		if e.oper == nil || len(e.Args) != 2 {
			return ColumnComparison{}, false
		}
		op, ok := compareOps[e.oper.name]
		if !ok {
			return ColumnComparison{}, false
		}
		if c := asColumn(e.Args[0]); c != nil && canKey(c, e.oper.right) && IsRowIndependent(e.Args[1]) {
			return ColumnComparison{Column: c, Op: op, Value: e.Args[1]}, true
		}
		if c := asColumn(e.Args[1]); c != nil && canKey(c, e.oper.left) && IsRowIndependent(e.Args[0]) {
			return ColumnComparison{Column: c, Op: compareOps[e.oper.commutator], Value: e.Args[0]}, true
		}
	case *InList:
		c := asColumn(e.Left)
		if c == nil || e.All || e.oper.name != "=" || !canKey(c, e.oper.right) ||
			slices.ContainsFunc(e.List, func(x Expr) bool { return !IsRowIndependent(x) }) {
			return ColumnComparison{}, false
		}
		return ColumnComparison{Column: c, Op: OpEq, List: e.List}, true
	case *ArrayCompare:
		c := asColumn(e.Left)
		if c == nil || e.All || e.oper.name != "=" || !canKey(c, e.oper.right) || !IsRowIndependent(e.Array) {
			return ColumnComparison{}, false
		}
		return ColumnComparison{Column: c, Op: OpEq, Array: e.Array}, true
	case *Column:
		// A bool column by itself.
		if e.Level == 0 && e.typ.OID == types.BoolOID {
			return ColumnComparison{Column: e, Op: OpEq, Value: NewConst(types.Bool, types.NewBool(true))}, true
		}
	case *Not:
		if c := asColumn(e.Arg); c != nil && c.typ.OID == types.BoolOID {
			return ColumnComparison{Column: c, Op: OpEq, Value: NewConst(types.Bool, types.NewBool(false))}, true
		}
	}
	return ColumnComparison{}, false
}

// MatchNull recognises column IS NULL, or with not, column IS NOT NULL.
func MatchNull(e Expr) (c *Column, not, ok bool) {
	t, ok := e.(*NullTest)
	if !ok || t.Fields {
		return nil, false, false
	}
	c = asColumn(t.Arg)
	return c, t.Not, c != nil
}

// asColumn sees a column through a cast that changes neither its bytes nor their order: varchar as text.
func asColumn(e Expr) *Column {
	switch e := e.(type) {
	case *Column:
		if e.Level == 0 {
			return e
		}
	case *Cast:
		// char(n) orders without its padding, text with it.
		if c, ok := e.Arg.(*Column); ok && e.relabel && c.Level == 0 && c.typ.OID != types.BPCharOID && e.typ.OID != types.BPCharOID {
			return c
		}
	}
	return nil
}

// canKey reports whether values of type t can be made keys of the column: see KeyValue.
func canKey(c *Column, t types.OID) bool {
	switch {
	case c.typ.OID == t, c.typ.IsEnum() && t == anyEnumOID:
		return true
	case isInt(c.typ.OID):
		return isInt(t)
	case c.typ.OID == types.VarcharOID:
		return t == types.TextOID
	}
	return false
}

func isInt(t types.OID) bool {
	return t == types.Int2OID || t == types.Int4OID || t == types.Int8OID
}

// KeyValue makes value d, of type from, into a value of a column of type to that comparisons with OpEq … OpGe can use in
// its place. Where the column's type cannot hold it (70000 in an int2 column), inRange is false and above tells on which
// side of all the column's values it lies.
func KeyValue(d types.Datum, from, to types.Type) (key types.Datum, inRange, above bool) {
	if !isInt(from.OID) || !isInt(to.OID) || d.Null {
		return d, true, false
	}
	limit := int64(1) << 31
	switch to.OID {
	case types.Int2OID:
		limit = 1 << 15
	case types.Int8OID:
		return d, true, false
	}
	return d, d.I >= -limit && d.I < limit, d.I >= limit
}

// MatchEquality recognises left = right where equal values have equal key encodings, so that a hash of them can find the pairs.
func MatchEquality(e Expr) (left, right Expr, ok bool) {
	c, ok := e.(*Call)
	if !ok || c.oper == nil || c.oper.name != "=" || len(c.Args) != 2 {
		return nil, nil, false
	}
	l, r := c.oper.left, c.oper.right
	if l != r && !(isInt(l) && isInt(r)) {
		return nil, nil, false
	}
	return c.Args[0], c.Args[1], true
}
