package steptest

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// catchUpTimeout bounds how long a cache may be behind its server on this
// machine. It is a matter of milliseconds, unless the machine is very busy.
const catchUpTimeout = 30 * time.Second

// CaughtUp waits until the cache of the environment shows the typed object of
// that kind and name as the server has it, or that there is none.
func (l *Live) CaughtUp(t testing.TB, object client.Object) {
	t.Helper()
	key := client.ObjectKeyFromObject(object)
	gvk, err := apiutil.GVKForObject(object, l.User.Scheme())
	if err != nil {
		t.Fatal(err)
	}
	read := func(ctx context.Context, reader client.Reader) (string, error) {
		blank, err := l.User.Scheme().New(gvk)
		if err != nil {
			return "", err
		}
		found := blank.(client.Object)
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
