package steptest

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// catchUpTimeout bounds how long a cache may be behind its server on this
// machine. It is a matter of milliseconds, unless the machine is very busy.
const catchUpTimeout = 30 * time.Second

// CaughtUp waits until the cache of the environment shows the object of that kind
// and name as the server has it, or that there is none. The cache keeps typed and
// unstructured objects apart: it looks at the one of the object's own sort.
func (l *Live) CaughtUp(t testing.TB, object client.Object) {
	t.Helper()
	key := client.ObjectKeyFromObject(object)
	gvk, err := apiutil.GVKForObject(object, l.User.Scheme())
	if err != nil {
		t.Fatal(err)
	}
	read := func(ctx context.Context, reader client.Reader) (string, error) {
		found, err := blank(object, gvk, l.User.Scheme())
		if err != nil {
			return "", err
		}
		err = reader.Get(ctx, key, found)
		return found.GetResourceVersion(), client.IgnoreNotFound(err)
	}
	err = wait.PollUntilContextTimeout(t.Context(), 5*time.Millisecond, catchUpTimeout, true, func(ctx context.Context) (bool, error) {
		stored, err := read(ctx, l.User)
		if err != nil {
			return false, err
		}
		cached, err := read(ctx, l.Environment.Cache)
		return cached == stored, err
	})
	if err != nil {
		t.Fatalf("the cache does not show %s %s as it is: %v", gvk.Kind, key, err)
	}
}

// blank returns an empty object of the same sort and kind.
func blank(object client.Object, gvk schema.GroupVersionKind, scheme *runtime.Scheme) (client.Object, error) {
	if _, ok := object.(*unstructured.Unstructured); ok {
		made := &unstructured.Unstructured{}
		made.SetGroupVersionKind(gvk)
		return made, nil
	}
	made, err := scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	return made.(client.Object), nil
}
