package reconcile_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
)

// refusing is a client whose writes to the object, not to its status, an
// admission webhook refuses.
type refusing struct {
	client.Client
	err error
}

func (r *refusing) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	if _, ours := object.(*v1.MyApp); ours && r.err != nil {
		return r.err
	}
	return r.Client.Patch(ctx, object, patch, options...)
}

// Finalizers that cannot be written show in the status and in one event (C75).
func TestARefusedWriteOfFinalizersShows(t *testing.T) {
	denied := errors.New("admission webhook denied the request: no credentials")
	script := &scripted{}
	b := newPipelineBench(t)
	server := &refusing{Client: b.Environment.Client, err: denied}
	b.Environment.Client = server
	b.pipeline = reconcile.NewPipeline("test", guarded{script.step("a"), ourFinalizer},
		reporter{name: "words", compute: func(run appRun) (reconcile.Result, error) {
			run.Object().Status.Selector = ""
			for _, report := range run.Reports() {
				if report.State == reconcile.StateFailed {
					run.Object().Status.Selector = report.Step + ": " + report.Message
				}
			}
			return reconcile.Continue, nil
		}})
	if err := b.pipeline.Setup(b.Environment); err != nil {
		t.Fatal(err)
	}
	refused := func(what, words string) {
		t.Helper()
		b.caughtUp()
		b.Events.Reset()
		if _, err := b.pass(); !errors.Is(err, denied) {
			t.Errorf("%s: err = %v, want %v", what, err, denied)
		}
		got := b.live().Status.Selector
		if !strings.HasPrefix(got, "finalizers: "+words) || !strings.Contains(got, "no credentials") {
			t.Errorf("%s: the status says %q, want the server's words", what, got)
		}
		if events := b.Events.All(); len(events) != 1 || !strings.Contains(events[0], "no credentials") {
			t.Errorf("%s: events = %q, want one with the server's words", what, events)
		}
		b.quiet()
	}
	refused("add", "add finalizers to MyApp")
	if len(script.calls) != 0 {
		t.Errorf("calls = %v: a step ran without the finalizer", script.calls)
	}
	server.err = nil
	b.want("when they can be added")
	b.caughtUp()
	live := b.live()
	live.Finalizers = nil
	if err := b.User.Update(t.Context(), live); err != nil {
		t.Fatal(err)
	}
	server.err = denied
	refused("add again", "add finalizers to MyApp")
	server.err = nil
	b.want("when they can be added again")
	if err := b.User.Delete(t.Context(), b.app); err != nil {
		t.Fatal(err)
	}
	server.err = denied
	refused("remove", "remove finalizers from MyApp")
	server.err = nil
	b.Requests.Reset()
	b.want("when they can be taken off")
	b.wrote("nothing follows", "patch myapps")
}
