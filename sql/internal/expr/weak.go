package expr

import (
	"bytes"

	"minidb/sql/types"
)

// WeakBounds are comparisons of a column that a condition implies without being one: of a pattern's beginning, and of the first column
// of a row. The condition itself is still to be evaluated.
func WeakBounds(e Expr) []ColumnComparison {
	switch e := e.(type) {
	case *RowCompare:
		if c := asColumn(e.Left[0]); c != nil && canKey(c, e.Right[0].Type().OID) && IsRowIndependent(e.Right[0]) {
			return []ColumnComparison{{Column: c, Op: rowBounds[e.Op], Value: e.Right[0]}}
		}
		if c := asColumn(e.Right[0]); c != nil && canKey(c, e.Left[0].Type().OID) && IsRowIndependent(e.Left[0]) {
			return []ColumnComparison{{Column: c, Op: rowBounds[mirrored[e.Op]], Value: e.Left[0]}}
		}
	case *Call:
		if e.oper != nil && e.oper.name == "~~" {
			return patternBounds(asColumn(e.Args[0]), asConst(e.Args[1]))
		}
	}
	return nil
}

// rowBounds are what a comparison of rows says of their first columns, which may be equal.
var (
	rowBounds = map[string]CompareOp{"<": OpLe, "<=": OpLe, ">": OpGe, ">=": OpGe}
	mirrored  = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}
)

// patternBounds are the ends between which texts lie that begin as a pattern does. Texts are ordered by their bytes.
func patternBounds(c *Column, pattern *Const) []ColumnComparison {
	if c == nil || pattern == nil || c.typ.OID != types.TextOID && c.typ.OID != types.VarcharOID {
		return nil
	}
	var prefix []byte
	rest := pattern.Value.B
	for len(rest) > 0 && rest[0] != '%' && rest[0] != '_' {
		if rest[0] == '\\' {
			if rest = rest[1:]; len(rest) == 0 {
				return nil // an error, if it is evaluated
			}
		}
		prefix, rest = append(prefix, rest[0]), rest[1:]
	}
	if len(prefix) == 0 {
		return nil
	}
	text := func(b []byte) Expr { return NewConst(types.Text, types.NewBytes(b)) }
	low := ColumnComparison{Column: c, Op: OpGe, Value: text(prefix)}
	if len(rest) == 0 {
		return []ColumnComparison{low, {Column: c, Op: OpLe, Value: text(prefix)}}
	}
	next := bytes.Clone(prefix)
	next[len(next)-1]++ // no byte of a text is 0xff
	return []ColumnComparison{low, {Column: c, Op: OpLt, Value: text(next)}}
}
