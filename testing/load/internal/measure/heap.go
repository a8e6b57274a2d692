package measure

import (
	"runtime"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/trueup-dev/trueup/reconcile"
)

// Held returns how many bytes of heap a memory holds: what goes when it forgets
// all of the objects and goes itself. The operator has to be gone, caches and
// all, so that the memory shares nothing with them. The caller must not hold
// the memory any more when it calls it, except through the pointer, which is
// set to nil.
func Held(memory **reconcile.Memory, keys []types.NamespacedName) int64 {
	before := settledHeap()
	for _, key := range keys {
		(*memory).Forget(key)
	}
	*memory = nil
	return before - settledHeap()
}

// settledHeap returns the size of the heap when collecting makes it no smaller:
// what a stopped operator had takes a moment to go, with its goroutines.
func settledHeap() int64 {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	smallest, since := heap(), 0
	for since < 5 {
		<-ticker.C
		if now := heap(); now < smallest {
			smallest, since = now, 0
		} else {
			since++
		}
	}
	return smallest
}

func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc) //nolint:gosec // no heap is that big
}
