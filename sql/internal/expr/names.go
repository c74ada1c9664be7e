package expr

import "minidb/sql/internal/parse"

// ColumnName is the name that a result column gets from its expression: a column's or function's name, else a cast's type,
// else "?column?".
func ColumnName(x parse.Expr) string {
	if name, _ := columnName(x); name != "" {
		return name
	}
	return "?column?"
}

// columnName also says whether the name is a strong one, which a cast around it does not replace.
func columnName(x parse.Expr) (name string, strong bool) {
	switch x := x.(type) {
	case *parse.ColumnRef:
		if !x.Star {
			return x.Parts[len(x.Parts)-1], true
		}
	case *parse.SubscriptExpr:
		return columnName(x.X)
	case *parse.FieldExpr:
		if !x.Star {
			return x.Field, true
		}
	case *parse.FuncCall:
		return x.Name.Name, true
	case *parse.SQLValueFunc:
		return x.Name, true
	case *parse.NullIfExpr:
		return "nullif", true
	case *parse.CoalesceExpr:
		return "coalesce", true
	case *parse.MinMaxExpr:
		if x.Least {
			return "least", true
		}
		return "greatest", true
	case *parse.GroupingFunc:
		return "grouping", true
	case *parse.ArrayExpr, *parse.ArraySubquery:
		return "array", true
	case *parse.RowExpr:
		return "row", true
	case *parse.ExistsExpr:
		return "exists", true
	case *parse.SubqueryExpr:
		return queryName(x.Query)
	case *parse.CollateExpr:
		return columnName(x.X)
	case *parse.CaseExpr:
		if x.Else != nil {
			if name, strong := columnName(x.Else); strong {
				return name, true
			}
		}
		return "case", false
	case *parse.CastExpr:
		if name, strong := columnName(x.X); strong {
			return name, true
		}
		return x.Type.Name(), false
	}
	return "", false
}

// queryName is the name of a scalar subquery's only column.
func queryName(q *parse.SelectStmt) (string, bool) {
	for {
		switch body := q.Body.(type) {
		case *parse.SelectClause:
			if len(body.Targets) != 1 {
				return "", false
			}
			t := body.Targets[0]
			if t.Name != "" {
				return t.Name, true
			}
			return ColumnName(t.Expr), true
		case *parse.ValuesClause:
			return "column1", true
		case *parse.SetOp:
			q = body.Left
		default:
			return "", false
		}
	}
}
