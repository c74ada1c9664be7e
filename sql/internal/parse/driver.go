package parse

import (
	"fmt"
	"io"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"
)

// TiDB's parser makes literals and parameters through hooks that its user sets.
// The literals that reach it are NULL, TRUE, FALSE, strings and integers below
// 2⁶³; other numbers are markers.
func init() {
	ast.NewValueExpr = func(v any, _, _ string) ast.ValueExpr { return &valueExpr{value: v} }
	ast.NewParamMarkerExpr = func(int) ast.ParamMarkerExpr { return &paramExpr{} }
	ast.NewDecimal = func(s string) (any, error) { return s, nil }
	ast.NewHexLiteral = func(s string) (any, error) { return s, nil }
	ast.NewBitLiteral = func(s string) (any, error) { return s, nil }
}

// valueExpr is a literal in TiDB's tree: nil, bool, int64, uint64 or string.
type valueExpr struct {
	ast.TexprNode
	value any
}

// paramExpr is a ? in TiDB's tree.
type paramExpr struct{ valueExpr }

func (v *valueExpr) SetValue(x any)           { v.value = x }
func (v *valueExpr) GetValue() any            { return v.value }
func (v *valueExpr) GetDatumString() string   { return v.GetString() }
func (v *valueExpr) GetProjectionOffset() int { return -1 }
func (v *valueExpr) SetProjectionOffset(int)  {}

func (v *valueExpr) GetString() string {
	s, _ := v.value.(string)
	return s
}

func (v *valueExpr) Restore(ctx *format.RestoreCtx) error {
	ctx.WritePlainf("%v", v.value)
	return nil
}

func (v *valueExpr) Format(w io.Writer) { _, _ = fmt.Fprint(w, v.value) }

func (v *valueExpr) Accept(visitor ast.Visitor) (ast.Node, bool) {
	n, _ := visitor.Enter(v)
	return visitor.Leave(n)
}

func (p *paramExpr) SetOrder(int) {}

func (p *paramExpr) Accept(visitor ast.Visitor) (ast.Node, bool) {
	n, _ := visitor.Enter(p)
	return visitor.Leave(n)
}
