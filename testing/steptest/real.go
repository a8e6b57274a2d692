package steptest

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/trueup-dev/trueup/testing/steptest/operator"
)

// checkOn returns what is wrong on a real API server.
func (c Case) checkOn(t *testing.T, config *rest.Config, namespace string) []string {
	t.Helper()
	c.required(t)
	kinds := c.watched(t)
	watched, err := operator.WatchNamespace(t.Context(), config, c.Kinds.Scheme(), namespace, kinds)
	if err != nil {
		t.Fatalf("%s: %v", c.Reason, err)
	}
	defer watched.Stop()
	b := &bench{Case: c, t: t, ground: watched, namespace: namespace, user: watched.As("user"), real: true, kinds: kinds}
	b.caughtUp = func() {
		t.Helper()
		if err := watched.CaughtUp(t.Context()); err != nil {
			t.Fatalf("%s: %v", c.Reason, err)
		}
	}
	b.wait = func(wait time.Duration, until bool) {
		b.waited += wait
		if later, ok := b.operator.Later(); ok && until && later <= b.waited {
			b.operator.Hurry()
			b.waited = 0
		}
	}
	b.run()
	return b.wrong
}

// watched returns the kinds of what is given, and of what an operator watches.
func (c Case) watched(t *testing.T) []schema.GroupVersionKind {
	t.Helper()
	server := c.Kinds.NewServer()
	learned, err := operator.Start(t.Context(), operator.Options{Setup: c.Setup, Source: server, Kinds: c.Kinds, Config: server.Config()})
	if err != nil {
		t.Fatalf("%s: %v", c.Reason, err)
	}
	learned.Stop()
	kinds := learned.Cache().Kinds()
	for _, object := range slices.Concat(c.Given, c.Stale) {
		gvk, err := apiutil.GVKForObject(object, c.Kinds.Scheme())
		if err != nil {
			t.Fatalf("%s: %v", c.Reason, err)
		}
		if !slices.Contains(kinds, gvk) {
			kinds = append(kinds, gvk)
		}
	}
	return kinds
}
