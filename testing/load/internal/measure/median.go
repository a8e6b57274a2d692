package measure

import (
	"cmp"
	"slices"
)

// median returns the middle of the values, the lower one of two, and zero if
// there are none. It sorts them.
func median[V cmp.Ordered](values []V) V {
	if len(values) == 0 {
		var zero V
		return zero
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}
