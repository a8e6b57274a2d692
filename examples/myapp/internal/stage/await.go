package stage

import (
	"context"
	"fmt"
	"time"
)

// glance is how often [Await] looks.
const glance = 50 * time.Millisecond

// Await waits until check returns nil. If that does not come before the context
// is done, the error tells what was waited for and what check said last.
func Await(ctx context.Context, what string, check func(context.Context) error) error {
	ticker := time.NewTicker(glance)
	defer ticker.Stop()
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until %s: %w; last seen: %w", what, context.Cause(ctx), err)
		case <-ticker.C:
		}
	}
}
