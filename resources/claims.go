package resources

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// claimed is where the steps of a pass note which objects they keep.
var claimed = reconcile.NewValue[*claims]()

type claims struct {
	mu   sync.Mutex
	all  []claimOf
	room [2]claimOf // for the first of them
}

type claimOf struct {
	kind reflect.Type
	gvk  string // of an unstructured object
	key  client.ObjectKey

	step    string
	manager string
	shared  bool
}

// isOf reports whether two claims are of the same object.
func (c *claimOf) isOf(other *claimOf) bool {
	return c.kind == other.kind && c.gvk == other.gvk && c.key == other.key
}

// reserve notes that the step keeps an object, and returns an error if another
// step of the pass does and they cannot both: what one of them applies under a
// field manager, and the other does not, is removed again by the other; and the
// life of an object, its making, its owner and its end, is held by one step.
func (e *engine[T, C]) reserve(run *reconcile.Run[T], want *intent[C]) error {
	taken, ok := claimed.Get(run)
	if !ok {
		mine := &claims{}
		mine.all = mine.room[:0]
		taken = claimed.SetOnce(run, mine)
	}
	mine := e.claimTo(run, want)
	taken.mu.Lock()
	defer taken.mu.Unlock()
	for i := range taken.all {
		other := &taken.all[i]
		switch {
		case !other.isOf(&mine):
		case other.step == mine.step:
			return nil
		case other.manager == mine.manager:
			return reconcile.Terminal(fmt.Errorf(
				"%s is kept by step %s too: they would undo each other's fields; see FieldManager and Share", want, other.step))
		case !other.shared && !mine.shared:
			return reconcile.Terminal(fmt.Errorf(
				"%s is kept by step %s too: one of them has to Share it, because only one can hold its life", want, other.step))
		}
	}
	taken.all = append(taken.all, mine)
	return nil
}

func (e *engine[T, C]) claimTo(run *reconcile.Run[T], want *intent[C]) claimOf {
	mine := claimOf{kind: reflect.TypeFor[C](), key: want.key, manager: e.manager(run), shared: e.shared}
	mine.step = strings.TrimPrefix(e.mark(run), run.Pipeline()+".") // with the item that it is run for
	if _, ok := any(e.prototype).(runtime.Unstructured); ok {
		mine.gvk = e.prototype.GetObjectKind().GroupVersionKind().String()
	}
	return mine
}

// maker returns the step of the pass that makes an object which this one shares,
// "" if there is none or it has not run.
func (e *engine[T, C]) maker(run *reconcile.Run[T], want *intent[C]) string {
	taken, ok := claimed.Get(run)
	if !ok {
		return ""
	}
	mine := e.claimTo(run, want)
	taken.mu.Lock()
	defer taken.mu.Unlock()
	for i := range taken.all {
		if other := &taken.all[i]; other.isOf(&mine) && !other.shared {
			return other.step
		}
	}
	return ""
}
