package steptest

import (
	"context"
	"fmt"
	"time"
)

// look is how long [Requests.Quiet] looks away. What follows from a write
// reaches a controller on the same machine within milliseconds.
const look = 300 * time.Millisecond

// Quiet waits until nothing more is sent: until two looks in a row, 300 ms
// apart, find as many requests that match as the look before. It returns how
// many there are then. The filters are those of [Requests.All].
//
// If it does not become quiet before the context is done, the error tells the
// latest requests.
func (r *Requests) Quiet(ctx context.Context, filters ...func(Request) bool) (int, error) {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	count, same := len(r.All(filters...)), 0
	for same < 2 {
		select {
		case <-ctx.Done():
			found := r.All(filters...)
			return len(found), fmt.Errorf("wait until no more requests are sent: %w; the last ones are %v",
				context.Cause(ctx), found[max(0, len(found)-5):])
		case <-ticker.C:
		}
		if now := len(r.All(filters...)); now != count {
			count, same = now, 0
			continue
		}
		same++
	}
	return count, nil
}
