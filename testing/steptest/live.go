package steptest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// Live is what a step needs to be run by hand against a real API server, with a
// real cache in between. Make one with [StartLive].
type Live struct {
	// Environment is that of a manager, whose cache sees one namespace.
	Environment reconcile.Environment
	// Requests is what was sent through the environment.
	Requests *Requests
	// Events is what was told through the environment. The events are not sent,
	// so that they do not come in between.
	Events *Events
	// User is a client without a cache, whose requests are not recorded: for what
	// somebody else does.
	User client.Client
}

// StartLive starts a manager, without controllers, whose cache sees the given
// namespaces, with the indexes of the steps registered under the name that their
// runs are given. It ends with the test.
func StartLive[T client.Object](
	t testing.TB, config *rest.Config, scheme *runtime.Scheme, namespaces []string, name string, steps ...reconcile.Step[T],
) *Live {
	t.Helper()
	requests := &Requests{}
	mgr := NewManager(t, requests.Attach(config), scheme, namespaces...)
	if err := reconcile.RegisterIndexes(mgr, name, steps...); err != nil {
		t.Fatalf("register indexes: %v", err)
	}
	user, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatalf("make a client: %v", err)
	}
	StartManager(t, mgr)
	if !mgr.GetCache().WaitForCacheSync(t.Context()) {
		t.Fatal("the cache did not start")
	}
	live := &Live{Environment: reconcile.EnvironmentOf(mgr, name), Requests: requests, Events: &Events{}, User: user}
	live.Environment.Recorder = live.Events
	live.Environment.Altered = func(step string, was, is client.Object) {
		t.Errorf("step %q has changed what it may only read (-was +is):\n%s", step, cmp.Diff(was, is))
	}
	return live
}
