package resources

import (
	"fmt"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// claimed is where the steps of a pass note which objects they keep.
var claimed = reconcile.NewValue[*claims]()

type claims struct {
	mu  sync.Mutex
	all []claimOf
}

type claimOf struct {
	kind reflect.Type
	gvk  string // of an unstructured object
	key  client.ObjectKey
	step string
}

// reserve notes that the step keeps an object, and returns an error if another
// step of the pass does: what one of them applies under the field manager of the
// pipeline, and the other does not, is removed again by the other.
func (e *engine[T, C]) reserve(run *reconcile.Run[T], want *intent[C]) error {
	taken, ok := claimed.Get(run)
	if !ok {
		taken = claimed.SetOnce(run, &claims{})
	}
	mine := claimOf{kind: reflect.TypeFor[C](), key: want.key, step: e.step}
	if _, ok := any(e.prototype).(runtime.Unstructured); ok {
		mine.gvk = e.prototype.GetObjectKind().GroupVersionKind().String()
	}
	taken.mu.Lock()
	defer taken.mu.Unlock()
	for i := range taken.all {
		other := &taken.all[i]
		if other.kind != mine.kind || other.gvk != mine.gvk || other.key != mine.key {
			continue
		}
		if other.step == mine.step {
			return nil
		}
		return reconcile.Terminal(fmt.Errorf("%s is kept by step %s too: they would undo each other's fields", want, other.step))
	}
	taken.all = append(taken.all, mine)
	return nil
}
