package faults

import (
	"github.com/trueup-dev/trueup/testing/steptest/operator"
)

// live is a namespace of a real cluster, as a [world].
type live struct {
	*operator.Watched
	heard uint64 // the revision as of the last look for news
}

var _ world = &live{}
