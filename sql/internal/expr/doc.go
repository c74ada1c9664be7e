// Package expr is SQL's typed expressions: it turns the parser's expressions into trees whose types, operators and functions
// are resolved as chapter 10 of PostgreSQL's manual says, and it evaluates them. It knows nothing of tables, plans or keys:
// a [Scope] tells it which column names there are, a [Row] hands it their values.
//
// Reading order: [Expr] and its nodes (expr.go); [Builder] and [Scope], which make them (build.go, scope.go); facts.go, what
// PostgreSQL knows, and select.go and coerce.go, the choice among it; [EvalContext] and [Row] (context.go). The operators and
// functions are in one file a family (func_*.go), the aggregates in agg*.go. What a planner asks of expressions (walking,
// folding, comparison with a column) is in walk.go, fold.go and predicate.go, their text in deparse.go.
package expr
