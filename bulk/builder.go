package bulk

import (
	"context"

	"minidb/bulk/internal/build"
)

type (
	// Builder sorts keys and values from several goroutines into sstables.
	Builder = build.Builder
	// Adder is one goroutine's way into a Builder.
	Adder = build.Adder
	// BuilderOptions configures a Builder.
	BuilderOptions = build.Options
)

// NewBuilder returns a builder. End it with Finish or Abort.
func NewBuilder(ctx context.Context, o BuilderOptions) *Builder { return build.New(ctx, o) }
