package reconcile_test

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	crcluster "sigs.k8s.io/controller-runtime/pkg/cluster"

	"github.com/trueup-dev/trueup/reconcile"
)

// trees grows random trees of all combinators over leaves.
type trees struct {
	*rapid.T
	leaf   func() step
	place  *reconcile.Place // for In, nil for none
	items  bool             // ForEach too
	within bool             // a ForEach
	shapes map[string]bool  // that have been drawn
}

func (t *trees) several(depth int) []step {
	steps := make([]step, t.number("steps", 0, 3))
	for i := range steps {
		steps[i] = t.grow(depth - 1)
	}
	return steps
}

func (t *trees) number(what string, from, to int) int {
	return rapid.IntRange(from, to).Draw(t.T, what)
}

// grow returns a tree of at most a depth.
func (t *trees) grow(depth int) step {
	kinds := []string{
		"Sequence", "All", "Parallel", "Graph", "When", "Switch", "Wrap", "Retry", "Timeout", "Catch", "Finally", "Once",
	}
	if t.place != nil {
		kinds = append(kinds, "In")
	}
	if t.items && !t.within {
		kinds = append(kinds, "ForEach")
	}
	if depth == 0 || t.number("leaf", 0, 3) == 0 {
		return t.leaf()
	}
	kind := rapid.SampledFrom(kinds).Draw(t.T, "kind")
	if t.shapes != nil {
		t.shapes[kind] = true
	}
	if around, ok := allWrappers()[kind]; ok {
		return around(t.grow(depth - 1))
	}
	return t.combine(kind, depth)
}

func (t *trees) combine(kind string, depth int) step {
	switch kind {
	case "Sequence":
		return reconcile.Sequence(t.several(depth)...)
	case "All":
		return reconcile.All(t.several(depth)...)
	case "Parallel":
		return reconcile.Parallel(t.several(depth)...).Limit(t.number("limit", 1, 3))
	case "Graph":
		return t.graph(depth)
	case "When":
		wanted := rapid.Bool().Draw(t.T, "wanted")
		return reconcile.When(func(object) bool { return wanted }, t.several(depth)...)
	case "Switch":
		chosen := rapid.SampledFrom([]string{"a", "b", "none"}).Draw(t.T, "chosen")
		choice := reconcile.Switch(func(object) string { return chosen },
			reconcile.Case("a", t.several(depth)...), reconcile.Case("b", t.several(depth)...))
		if rapid.Bool().Draw(t.T, "overlap") {
			choice.Overlap()
		}
		return choice
	case "In":
		return reconcile.In(t.place, t.several(depth)...)
	}
	t.within = true
	defer func() { t.within = false }()
	name := fmt.Sprintf("items-%d", t.number("name", 0, 1<<30))
	return reconcile.ForEach(name, func(object) []string { return []string{"a", "b"} }, t.several(depth)...)
}

// graph returns a Graph in which each node may be after any that come before it.
func (t *trees) graph(depth int) step {
	nodes := make([]*reconcile.Node[object], t.number("nodes", 0, 4))
	for i := range nodes {
		nodes[i] = reconcile.At(fmt.Sprint(i), t.grow(depth-1))
		for before := range i {
			switch t.number("edge", 0, 3) {
			case 0:
				nodes[i].After(fmt.Sprint(before))
			case 1:
				nodes[i].AfterTrying(fmt.Sprint(before))
			}
		}
	}
	return reconcile.Graph(nodes...)
}

// outcomes draws what a step may return.
func outcomes(t *rapid.T) returned {
	result := rapid.SampledFrom([]reconcile.Result{
		reconcile.Continue, reconcile.Continue, reconcile.Wait("W", "w"), reconcile.Halt("H", "h"), reconcile.Wait("S", "s").Stalled(),
	}).Draw(t, "result")
	if after := rapid.IntRange(0, 5).Draw(t, "after"); after > 2 {
		result = result.After(time.Duration(after) * time.Minute)
	}
	switch rapid.IntRange(0, 6).Draw(t, "error") {
	case 0:
		return returned{result: reconcile.Continue.After(result.RequeueAfter()), err: fmt.Errorf("boom")}
	case 1:
		return returned{err: reconcile.Terminal(fmt.Errorf("refused"))}
	}
	return returned{result: result}
}

// otherCluster is a cluster of a client, for In.
type otherCluster struct {
	crcluster.Cluster
	client client.Client
}

func (o *otherCluster) GetClient() client.Client       { return o.client }
func (o *otherCluster) GetAPIReader() client.Reader    { return o.client }
func (o *otherCluster) GetScheme() *runtime.Scheme     { return o.client.Scheme() }
func (o *otherCluster) GetRESTMapper() meta.RESTMapper { return o.client.RESTMapper() }
func (o *otherCluster) GetCache() cache.Cache          { return nil }

// seen is a leaf that notes what came of it each time that it is called, forward or
// backward.
func (s *sightings) leaf(name string, outcome returned) step {
	act := func(context.Context, run) (reconcile.Result, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all = append(s.all, outcome)
		return outcome.result, outcome.err
	}
	return reconcile.Func(name, act).Undo(act)
}
