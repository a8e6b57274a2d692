package resources_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// BenchmarkGrowth measures how the time of a pass that has nothing to do grows
// with the number of objects, which is by how much of what it touches has left the
// processor's caches in the meantime. What it reports is the median of passes, in
// batches that take turns, so that whatever else goes on meets all sizes.
func BenchmarkGrowth(b *testing.B) {
	c := converge(b)
	sizes := []int{10, 1000, 10000}
	crowds := make([]*crowd, len(sizes))
	for i, apps := range sizes {
		s := newStores(c.client)
		crowds[i] = c.crowd(b, apps, reconcile.Environment{Client: s}, func(object client.Object) error {
			return s.of(object).Add(object)
		})
		for range apps {
			crowds[i].pass(b) // recognises the children
		}
	}
	c.requests.Reset()
	times := make([][]time.Duration, len(sizes))
	for b.Loop() {
		for i, many := range crowds {
			for range 500 {
				request := many.following()
				begin := time.Now()
				many.reconcile(b, request)
				times[i] = append(times[i], time.Since(begin))
			}
		}
	}
	for i, apps := range sizes {
		slices.Sort(times[i])
		b.ReportMetric(float64(times[i][len(times[i])/2]), fmt.Sprintf("ns/pass-of-%d", apps))
	}
	if sent := c.requests.All(); len(sent) > 0 {
		b.Errorf("sent %v", sent)
	}
}
