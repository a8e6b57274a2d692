package steptest

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// required ends the test if the case lacks what it cannot do without.
func (c Case) required(t *testing.T) {
	t.Helper()
	switch {
	case c.Kinds == nil:
		t.Fatalf("case %q: Kinds is required", c.Reason)
	case c.Setup == nil:
		t.Fatalf("case %q: Setup is required", c.Reason)
	case slices.Contains(c.Given, nil) || slices.Contains(c.Stale, nil) || slices.Contains(c.Unseen, nil):
		t.Fatalf("case %q: an object is nil", c.Reason)
	case len(c.Given) == 0 && c.wantsConditions():
		t.Fatalf("case %q: Conditions are those of the first object that is given, and none is", c.Reason)
	}
	for _, want := range c.wants() {
		if want.Terminal && want.Error == "" {
			t.Fatalf("case %q: Terminal is said of an error, and none is wanted", c.Reason)
		}
	}
	for _, failures := range c.fails() {
		if err := failures.check(); err != nil {
			t.Fatalf("case %q: %v", c.Reason, err)
		}
	}
	for request, code := range c.Refuse {
		if code < http.StatusBadRequest {
			t.Fatalf("case %q: Refuse %q: %d is no code of a refusal", c.Reason, request, code)
		}
	}
}

func (c Case) wantsConditions() bool {
	return slices.ContainsFunc(c.wants(), func(want Want) bool { return len(want.Conditions) > 0 })
}

// wants returns what is wanted of all passes.
func (c Case) wants() []Want {
	wants := append(make([]Want, 0, 1+len(c.Then)), c.Want)
	for _, next := range c.Then {
		wants = append(wants, next.Want)
	}
	return wants
}

// fails returns all that fails some times.
func (c Case) fails() []Failure {
	fails := slices.Clone(c.Fail)
	for _, next := range c.Then {
		fails = append(fails, next.Fail...)
	}
	return fails
}

// idle tells what of the case has had no effect: it would pass without it.
func (b *bench) idle() {
	b.t.Helper()
	for _, request := range slices.Sorted(maps.Keys(b.Refuse)) {
		if !b.refused[request] {
			b.fault("Refuse %q: no such request was sent", request)
		}
	}
	for _, failing := range b.failures {
		if failing.left > 0 {
			b.fault("Fail %q: it was sent %d times too few", failing.Request, failing.left)
		}
	}
	shown := b.operator.Cache().Kinds()
	for _, kind := range shown {
		if b.real && !slices.Contains(b.kinds, kind) {
			b.fault("a %s is read from the cache, and on a real API server it shows what is watched or given only", kind.Kind)
		}
	}
	for _, object := range slices.Concat(b.Stale, b.Unseen) {
		if !slices.Contains(shown, b.kind(object)) {
			b.fault("Stale or Unseen has a %s, of which the cache shows none ever: nobody watches or reads it there", b.kind(object).Kind)
		}
	}
	for _, object := range b.Unseen {
		if !slices.ContainsFunc(b.Given, func(there client.Object) bool { return b.kind(there) == b.kind(object) }) {
			b.fault("Unseen has a %s, and none is given", b.kind(object).Kind)
		}
	}
}
