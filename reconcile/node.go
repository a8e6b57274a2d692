package reconcile

import (
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Node is a step with a name in a [Graph], and with the names of those that it
// is after. Make one with [At].
type Node[T client.Object] struct {
	name  string
	child child[T]
	after []dependency
}

// dependency is the name of a node that another one is after.
type dependency struct {
	name       string
	regardless bool // of what comes of it
}

// At gives a step, or a combinator of several, a name in a [Graph].
func At[T client.Object](name string, step Step[T]) *Node[T] {
	return &Node[T]{name: name, child: newChild(step)}
}

// After lets the step run only when those of the given names have returned
// [Continue] in the same pass. It may be called more than once.
func (n *Node[T]) After(names ...string) *Node[T] { return n.add(names, false) }

// AfterTrying orders the step behind those of the given names without depending on
// them: it runs when each of them has returned, with whatever outcome, or has been
// held up itself. It is for a step that should be kept up to date and repaired while
// they fail or wait, such as a Deployment whose first rollout needs a database that
// may be down today. What they observed may be missing then. When the steps are
// undone the order is reversed: the given ones are undone after this one has been
// tried, whether that worked or not.
func (n *Node[T]) AfterTrying(names ...string) *Node[T] { return n.add(names, true) }

func (n *Node[T]) add(names []string, regardless bool) *Node[T] {
	for _, name := range names {
		n.after = append(n.after, dependency{name: name, regardless: regardless})
	}
	return n
}

// edges is the order of a graph in one direction.
type edges struct {
	next  [][]edge
	count []int // how many edges lead to a node
}

// edge leads to a node that comes later.
type edge struct {
	node       int
	regardless bool
}

func newEdges(n int) edges { return edges{next: make([][]edge, n), count: make([]int, n)} }

func (e *edges) add(from, to int, regardless bool) {
	e.next[from] = append(e.next[from], edge{node: to, regardless: regardless})
	e.count[to]++
}

// plan is what follows from the dependencies of a graph, found out once.
type plan struct {
	forward, backward edges
	reached           [][]bool // whether a node comes, through others, before another
}

// before reports whether a node has always been tried when another begins.
func (p plan) before(first, second int) bool { return p.reached[first][second] }

// planOf works out the plan of a graph, and everything that is wrong with it.
func planOf[T client.Object](nodes []*Node[T]) (plan, error) {
	var faults []error
	index := make(map[string]int, len(nodes))
	for i, node := range nodes {
		if _, taken := index[node.name]; taken || node.name == "" {
			faults = append(faults, fmt.Errorf("node %q: a node needs a name of its own", node.name))
		}
		index[node.name] = i
	}
	p := plan{forward: newEdges(len(nodes)), backward: newEdges(len(nodes))}
	for i, node := range nodes {
		for _, before := range node.after {
			j, known := index[before.name]
			if !known {
				faults = append(faults, fmt.Errorf("node %q is after %q, which is not in the graph", node.name, before.name))
				continue
			}
			p.forward.add(j, i, before.regardless)
			p.backward.add(i, j, before.regardless)
		}
	}
	p.reached = reachable(p.forward)
	return p, errors.Join(append(faults, cycle(nodes, p)...)...)
}
