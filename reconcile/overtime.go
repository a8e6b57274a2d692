package reconcile

import (
	"context"
	"errors"
	"time"
)

// overtimeLimit is how long a pass whose time is up may take to tell so.
const overtimeLimit = 10 * time.Second

// overtime returns a context in which a pass can write its status although its own
// time is up: otherwise nobody would ever be told that a step takes too long. One
// that was cancelled, as all are when the process ends or another one leads, stays so.
func overtime(ctx context.Context) (context.Context, context.CancelFunc) {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), overtimeLimit)
}
