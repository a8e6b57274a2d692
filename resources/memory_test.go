package resources_test

import (
	"context"
	"reflect"
	"runtime"
	"strconv"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
)

// TestRecordsAreSmall lets a pipeline bring up many MyApps and measures the heap
// that it holds for them from pass to pass.
func TestRecordsAreSmall(t *testing.T) {
	const apps, childrenPerApp, most = 1000, 2, 450
	memory := reconcile.NewMemory()
	bringUp(t, memory, apps)
	if got := memory.Len(); got != apps {
		t.Fatalf("%d MyApps are remembered, want %d", got, apps)
	}
	before := heapInUse()
	runtime.KeepAlive(memory) // from here on it is garbage, with all that is in it
	held := float64(before-heapInUse()) / (apps * childrenPerApp)
	t.Logf("%.0f bytes for each child", held)
	if held > most || held < most/8 {
		t.Errorf("%.0f bytes are held for each child, want no more than %d and not next to nothing", held, most)
	}
}

func bringUp(t *testing.T, memory *reconcile.Memory, apps int) {
	t.Helper()
	c := converge(t)
	server := &newcomers{stores: newStores(c.client), final: map[objectKey]client.Object{}}
	many := c.crowd(t, apps, reconcile.Environment{Client: server, Memory: memory}, server.expect)
	for range 3 * apps {
		many.pass(t)
	}
	if want := 4 * apps; server.writes != want {
		t.Fatalf("%d writes, want %d: the finalizers, two children and the status of each", server.writes, want)
	}
}

// newcomers answers writes as an API server that has MyApps without children: each
// gives an object the form that it has in the end.
type newcomers struct {
	*stores
	final  map[objectKey]client.Object
	writes int
}

type objectKey struct {
	kind reflect.Type
	client.ObjectKey
}

// expect has a MyApp begin without everything that a pass puts there, and its
// children not at all.
func (n *newcomers) expect(object client.Object) error {
	n.final[objectKey{reflect.TypeOf(object), client.ObjectKeyFromObject(object)}] = object
	app, ok := object.(*v1.MyApp)
	if !ok {
		return nil
	}
	bare := app.DeepCopy()
	bare.ResourceVersion, bare.Finalizers, bare.Status = "1", nil, v1.MyAppStatus{}
	return n.of(bare).Add(bare)
}

// answer makes object what the server has of it after a write.
func (n *newcomers) answer(object, after client.Object) error {
	n.writes++
	after.SetResourceVersion(strconv.Itoa(1_000_000 + n.writes))
	reflect.ValueOf(object).Elem().Set(reflect.ValueOf(after.DeepCopyObject()).Elem())
	return n.of(after).Add(after)
}

func (n *newcomers) finalOf(object client.Object) client.Object {
	return n.final[objectKey{reflect.TypeOf(object), client.ObjectKeyFromObject(object)}].DeepCopyObject().(client.Object)
}

func (n *newcomers) Patch(_ context.Context, object client.Object, _ client.Patch, _ ...client.PatchOption) error {
	after := n.finalOf(object)
	if app, ok := after.(*v1.MyApp); ok {
		app.Status = v1.MyAppStatus{}
	}
	return n.answer(object, after)
}

func (n *newcomers) Status() client.SubResourceWriter { return &newStatus{n.stores.Status(), n} }

type newStatus struct {
	client.SubResourceWriter
	*newcomers
}

func (s *newStatus) Patch(_ context.Context, object client.Object, _ client.Patch, _ ...client.SubResourcePatchOption) error {
	return s.answer(object, s.finalOf(object))
}

// heapInUse returns the size of the heap after collecting it.
func heapInUse() int64 {
	for range 3 {
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
