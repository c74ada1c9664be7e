package exec

import (
	"context"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// DDL runs a statement that changes the catalog, inside the running transaction, and gives its tag.
func DDL(ctx context.Context, env *Env, st parse.Stmt) (tag string, err error) {
	return "", sqlerr.Unsupported("this statement")
}
