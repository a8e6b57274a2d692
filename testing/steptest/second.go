package steptest

import "github.com/google/go-cmp/cmp"

// echoes is how many passes may follow from what one pass wrote.
const echoes = 10

// quiet checks that what follows from a pass sends nothing: the passes that it woke, and
// then one more over the same object, which nothing has to wake.
func (b *bench) quiet(want Want, passed bool) {
	b.t.Helper()
	if len(b.failed) > 0 || want.Restless {
		return
	}
	b.reset()
	b.sync()
	b.passes()
	if passed {
		b.operator.Again()
		b.passes()
	}
	if diff := cmp.Diff([]string{}, b.words(b.requests.All(whatever))); diff != "" {
		b.fault("a second pass sent (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{}, b.texts(b.events.All())); diff != "" {
		b.fault("a second pass told events (-want +got):\n%s", diff)
	}
	if len(b.failed) > 0 {
		b.fault("a second pass failed: %q", b.texts(b.failed))
	}
}

// passes makes the passes that are due, and those that follow from them.
func (b *bench) passes() {
	b.t.Helper()
	for range echoes {
		if _, passed := b.operator.Pass(); !passed {
			return
		}
		b.sync()
	}
}

// whatever is the filter of all requests: lists and watches are none of the cache's here,
// which hears of objects without any.
func whatever(Request) bool { return true }
