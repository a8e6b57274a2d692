package faults

import (
	"context"

	"github.com/trueup-dev/trueup/testing/steptest/operator"
)

// live is a namespace of a real cluster, as a [world].
type live struct {
	*operator.Watched
	heard uint64 // the revision as of the last look for news
}

var _ world = &live{}

// CaughtUp waits until what was heard is what there is, so that a cache that is up to
// date is. In memory it always is.
func (l *live) CaughtUp(ctx context.Context) error {
	if l == nil {
		return nil
	}
	return l.Watched.CaughtUp(ctx)
}
