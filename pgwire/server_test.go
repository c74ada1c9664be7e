package pgwire

import (
	"context"
)

func timeoutContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), testTimeout)
}
