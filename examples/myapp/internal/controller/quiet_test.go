package controller_test

import (
	"errors"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

func TestConvergedAppCostsNoRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("web", image, 2)
	w.awaitReady(app)

	before := w.quiet()
	w.pass(app)
	if after := w.operator.Requests.All(w.here); len(after) != before {
		t.Errorf("a pass that had nothing to do sent %v", after[before:])
	}
}

// A life without trouble takes one write for each thing that there is to write.
func TestChildrenAreAppliedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.awaitReady(w.app("web", image, 2))
	applies := map[string]int{}
	for _, request := range w.operator.Requests.All(w.here) {
		if request.Apply {
			applies[request.Resource]++
		}
	}
	if diff := cmp.Diff(map[string]int{"deployments": 1, "services": 1}, applies); diff != "" {
		t.Errorf("applies (-want +got):\n%s", diff)
	}
}

// Not parallel: no other test's app may meet two operators.
func TestRestartedOperatorWritesNothing(t *testing.T) {
	w := newWorld(t)
	app := w.app("web", image, 2)
	w.awaitReady(app)

	passes := newPasses()
	restarted, err := stage.Start(w.ctx, cluster.Shared(t), logr.Discard(), &steptest.Requests{}, passes.listen)
	w.must(err)
	t.Cleanup(func() {
		if err := restarted.Stop(); err != nil {
			t.Error(err)
		}
	})
	w.await("the restarted operator has looked at the app", func() error {
		if passes.count(client.ObjectKeyFromObject(app)) == 0 {
			return errors.New("no pass yet")
		}
		return nil
	})
	_, err = restarted.Requests.Quiet(w.ctx, w.here)
	w.must(err)
	if wrote := restarted.Requests.All(w.here, tells); len(wrote) > 0 {
		t.Errorf("it has sent %v", wrote)
	}
}
