package reconcile

import (
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// reachable tells which nodes of a graph come after which, directly or through
// others.
func reachable(e edges) [][]bool {
	all := make([][]bool, len(e.next))
	for from := range all {
		seen := make([]bool, len(e.next))
		open := []int{from}
		for len(open) > 0 {
			node := open[len(open)-1]
			open = open[:len(open)-1]
			for _, next := range e.next[node] {
				if !seen[next.node] {
					seen[next.node] = true
					open = append(open, next.node)
				}
			}
		}
		all[from] = seen
	}
	return all
}

// cycle names the nodes of each cycle of a graph.
func cycle[T client.Object](nodes []*Node[T], p plan) []error {
	var faults []error
	told := make([]bool, len(nodes))
	for i := range nodes {
		if !p.reached[i][i] || told[i] {
			continue
		}
		path := []string{nodes[i].name}
		told[i] = true
		for at := i; ; {
			at = back(p, at, i, told)
			path = append(path, nodes[at].name)
			if at == i {
				break
			}
			told[at] = true
		}
		faults = append(faults, fmt.Errorf("nodes wait for each other: %s", strings.Join(path, " is after ")))
	}
	return faults
}

// back returns a node that at is after and from which goal is still to be
// reached: goal itself if it can be.
func back(p plan, at, goal int, told []bool) int {
	found := goal
	for _, before := range p.backward.next[at] {
		if before.node == goal {
			return goal
		}
		if p.reached[goal][before.node] && !told[before.node] {
			found = before.node
		}
	}
	return found
}
