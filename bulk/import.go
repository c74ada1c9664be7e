package bulk

import (
	"context"
	"errors"
)

// Import reads the files, sorts what the rows give and attaches the sstables to
// the transaction.
func Import(ctx context.Context, r Request) (Result, error) {
	return Result{}, errors.ErrUnsupported
}

// Explain adds file and line to a conflict that the commit found.
func Explain(ctx context.Context, r Request, err error) error { return err }
