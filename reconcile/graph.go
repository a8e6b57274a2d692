package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Network is a step that runs others by their dependencies. Make one with
// [Graph].
type Network[T client.Object] struct {
	name  string
	nodes []*Node[T]
	limit int
	plan  plan
	err   error
}

// Graph runs steps by what they depend on, those that do not depend on each
// other at the same time:
//
//	reconcile.Graph(
//		reconcile.At("secret", secret),
//		reconcile.At("config", config),
//		reconcile.At("web", reconcile.Sequence(deployment, service)).After("secret", "config"),
//		reconcile.At("metrics", monitor).After("web"),
//	)
//
// A step runs when all steps that it is after have returned [Continue]. One that
// fails, waits or halts holds up those that are after it, directly or through
// others, and nobody else; the outcomes of all that ran are joined, in the order
// of the list, by the rules of [Join].
//
// A step that is held up is not called: what it keeps is neither brought up to
// date nor repaired if somebody changes it, and it has no report in this pass, so
// that its condition stays what it was at this generation. What is not wanted any
// more goes nevertheless: a [When] or [Switch] within, or a step whose
// description says that it is Unwanted, as that of a child whose When has turned
// false, is undone. Where a step should rather be kept up to date and repaired all
// the time, use [Node.AfterTrying].
//
// Steps that may run at the same time may read the object but not change it, and
// may read what others observed or set only if they are after those, see [Run].
// Reporting steps among them run one after the other, when the turn of reporting
// steps is.
//
// Finalize undoes the steps in reverse: each when those after it are undone. One
// that fails or waits holds up those that it is after, and nobody else.
//
// Unknown names, two nodes of one name, and steps that are after themselves,
// directly or through others, are refused at setup. An empty Graph continues.
func Graph[T client.Object](nodes ...*Node[T]) *Network[T] {
	g := &Network[T]{name: "graph", nodes: slices.Clone(nodes), limit: defaultLimit}
	for i, node := range g.nodes {
		if node == nil {
			g.nodes[i] = At[T]("", nil)
		}
	}
	g.plan, g.err = planOf(g.nodes)
	return g
}

// Named gives the step a name, for pictures and for what is wrong with its nodes.
// Defaults to "graph".
func (g *Network[T]) Named(name string) *Network[T] {
	g.name = name
	return g
}

// Limit sets how many steps run at the same time. Defaults to 16.
func (g *Network[T]) Limit(n int) *Network[T] {
	if n < 1 {
		g.err = errors.Join(g.err, fmt.Errorf("Limit: %d is less than 1", n))
		n = 1
	}
	g.limit = n
	return g
}

// Describe implements [Step].
func (g *Network[T]) Describe() Description {
	about := Description{Name: g.name, Kind: "Graph", Err: g.err, Steps: make([]Description, len(g.nodes)), Before: g.plan.before}
	for i, node := range g.nodes {
		about.Steps[i] = node.child.about
	}
	return about
}

// Reconcile implements [Step].
func (g *Network[T]) Reconcile(ctx context.Context, run *Run[T]) (Result, error) {
	if run.phase == reporting {
		var join Join
		for _, node := range g.nodes {
			join.Add(run.reconcile(ctx, &node.child))
		}
		return join.Outcome()
	}
	return g.walk(run, g.plan.forward, func(run *Run[T], c *child[T], held bool) (Result, error) {
		if held {
			run = run.derive()
			run.phase = withheld
		}
		return run.reconcile(ctx, c)
	})
}

// Finalize implements [Step].
func (g *Network[T]) Finalize(ctx context.Context, run *Run[T]) (Result, error) {
	return g.walk(run, g.plan.backward, func(run *Run[T], c *child[T], held bool) (Result, error) {
		if held {
			return Continue, nil
		}
		return run.finalize(ctx, c)
	})
}

// walk calls method for every node in an order that the edges allow, and tells
// it whether the node is held up.
func (g *Network[T]) walk(
	run *Run[T], edges edges, method func(run *Run[T], c *child[T], held bool) (Result, error),
) (Result, error) {
	if g.err != nil {
		return Result{}, Terminal(g.err)
	}
	states := make([]nodeState, len(g.nodes))
	ready := make([]int, 0, len(g.nodes))
	for i := range states {
		if states[i].open = edges.count[i]; states[i].open == 0 {
			ready = append(ready, i)
		}
	}
	crew := crew[T]{limit: g.limit}
	crew.do = func(run *Run[T], i int) {
		state := &states[i]
		state.result, state.err = method(run, &g.nodes[i].child, state.held)
		state.there = true
	}
	crew.done = func(i int, ready []int) []int {
		holds := states[i].held || !states[i].passed()
		for _, next := range edges.next[i] {
			state := &states[next.node]
			state.held = state.held || holds && !next.regardless
			if state.open--; state.open == 0 {
				ready = append(ready, next.node)
			}
		}
		return ready
	}
	crew.work(run, ready)
	var join Join
	for i := range states {
		join.Add(states[i].of(&g.nodes[i].child.about))
	}
	return join.Outcome()
}

// nodeState is what has become of a node in a pass.
type nodeState struct {
	ended
	open int  // how many nodes it still waits for
	held bool // one of them has not returned Continue
}

// passed reports whether what depends on a step may go on.
func (e *ended) passed() bool { return e.there && e.err == nil && e.result.outcome == Continued }
