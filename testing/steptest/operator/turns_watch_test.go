package operator

import "testing"

// A request that waits while no other one has its turn is told, and nothing else is.
func TestARequestThatWaitsForEverIsNoticed(t *testing.T) {
	all := &turns{news: make(chan struct{}, 1)}
	defer register(all)()
	want := func(reason string, stuck bool) {
		t.Helper()
		if areStuck() != stuck {
			t.Errorf("%s: stuck is %v", reason, !stuck)
		}
	}
	want("nothing waits", false)
	want("nothing waits still", false)
	first, second := all.await("a"), all.await("b")
	want("they have only come", false)
	want("they still wait", true)
	all.next()
	<-first
	want("one was let through", false)
	want("the other one waits still", true)
	all.next()
	<-second
	want("none waits", false)
	want("none waits still", false)
}
