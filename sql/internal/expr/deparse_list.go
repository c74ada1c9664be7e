package expr

import (
	"strings"

	"minidb/sql/types"
)

func (d *deparser) inList(e *InList) {
	d.open()
	defer d.close()
	d.operand(e.Left, e)
	d.text(" ", e.oper.name, map[bool]string{false: " ANY (", true: " ALL ("}[e.All])
	if e.array != nil {
		d.expr(e.array)
		d.text("))")
		return
	}
	if from := d.fitted(e.List); from != nil {
		d.open()
		d.text("ARRAY[")
		d.list(from, ", ")
		d.text("]")
		d.close()
		d.text("::", typeName(e.List[0].Type().Base()), "[])")
		return
	}
	values := make([]string, len(e.List))
	for i, x := range e.List {
		c, ok := x.(*Const)
		if !ok || d.stored {
			d.text("ARRAY[")
			d.list(e.List, ", ")
			d.text("])")
			return
		}
		values[i] = arrayElement(c)
	}
	d.quoted("{" + strings.Join(values, ",") + "}")
	d.text("::", typeName(e.List[0].Type().Base()), "[])")
}

// fitted gives what the elements of a list are cast from, if all have only another name for the operator: then PostgreSQL casts the array.
func (d *deparser) fitted(list []Expr) []Expr {
	var from []Expr
	for _, x := range list {
		c, ok := x.(*Cast)
		if !d.stored || !ok || !c.relabel || c.Context == types.CastExplicit || len(from) > 0 && from[0].Type().OID != c.Arg.Type().OID {
			return nil
		}
		from = append(from, c.Arg)
	}
	return from
}

// arrayElement is a value inside of an array's text form.
func arrayElement(c *Const) string {
	if c.Value.Null {
		return "NULL"
	}
	s := types.FormatText(nil, c.typ, c.Value)
	if s != "" && !strings.EqualFold(s, "null") && !strings.ContainsAny(s, "{}\",\\ \t\n\r\v\f") {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
