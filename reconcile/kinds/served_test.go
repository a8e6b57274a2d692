package kinds_test

import (
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile/kinds"
)

// slowServer takes its time to say that it does not know a kind.
type slowServer struct {
	ctrl.Manager
	meta.RESTMapper
	asked  atomic.Int32
	begun  chan struct{}
	answer chan struct{}
}

func (s *slowServer) GetRESTMapper() meta.RESTMapper { return s }

func (s *slowServer) RESTMapping(kind schema.GroupKind, _ ...string) (*meta.RESTMapping, error) {
	s.asked.Add(1)
	s.begun <- struct{}{}
	<-s.answer
	return nil, &meta.NoKindMatchError{GroupKind: kind}
}

// While the server is asked for one kind, others can be read; and it is not asked
// again for what it does not know, however many objects name it.
func TestTheServerIsAskedOnceAndKeepsNobodyWaiting(t *testing.T) {
	server := &slowServer{begun: make(chan struct{}, 10), answer: make(chan struct{})}
	watches := kinds.New(server, &v1.MyApp{})
	need := func() error { return watches.Need(t.Context(), client.ObjectKey{Name: "a"}, kindNamed("Slow")) }
	done := make(chan error, 1)
	go func() { done <- need() }()
	<-server.begun
	if got := watches.Kinds(); len(got) != 0 {
		t.Errorf("watched are %v", got)
	}
	close(server.answer)
	for _, err := range []error{<-done, need(), need()} {
		if !meta.IsNoMatchError(err) {
			t.Errorf("err = %v, want it to say that there is no such kind", err)
		}
	}
	if n := server.asked.Load(); n != 1 {
		t.Errorf("it was asked %d times", n)
	}
}
