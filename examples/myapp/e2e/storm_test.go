package e2e

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// TestStorm kills the operator again and again while MyApps are created, changed
// and deleted, each time in the middle of its work. The last one that is started
// makes of them what an operator makes of the same MyApps that nothing ever
// happened to: nothing is missing, nothing is left, nothing is there twice, and
// what is there has the same in it.
func TestStorm(t *testing.T) {
	w := newWorld(t)
	kills, apps := or(killsFlag, 8), or(appsFlag, 30)
	chance := chance()
	s := w.brew(apps, chance)
	t.Logf("seed %d", *seedFlag)

	s.blow()
	began := time.Now()
	for kill := range kills {
		r := w.start(fmt.Sprintf("storm-%d", kill))
		r.awaitWork(1 + chance.IntN(60))
		r.kill()
	}
	s.calm()
	changes := s.changes
	last := w.start("storm-last")
	calm := time.Now()
	wanted, twins := s.wanted(), w.namespace()
	for name, spec := range wanted {
		w.create(twins, name, spec)
	}
	last.awaitWork(len(wanted))
	w.awaitQuiet(time.Second, s.namespace, twins)
	w.awaitAlike(s.namespace, twins, wanted)
	settled := time.Since(calm)

	found := w.look(s.namespace)
	orphans, duplicates := found.orphans(), found.duplicates()
	t.Logf("kills %d, changes %d over %d MyApps in %s, settled %s after; MyApps %d, objects %d, orphans %d, duplicates %d",
		kills, changes, apps, calm.Sub(began).Round(time.Second), settled.Round(100*time.Millisecond),
		len(found.apps), len(found.children), len(orphans), len(duplicates))
	if len(orphans)+len(duplicates) > 0 {
		t.Errorf("orphans %v, duplicates %v", orphans, duplicates)
	}
	if len(found.children) < 2*len(wanted) || len(wanted) == 0 {
		t.Errorf("only %d objects for %d MyApps", len(found.children), len(wanted))
	}

	w.empty(s.namespace)
	w.empty(twins)
	w.must(last.stop())
}

// chance returns what the seed makes of chance.
func chance() *rand.Rand { return rand.New(rand.NewPCG(uint64(*seedFlag), 0)) }

// create creates a MyApp.
func (w *world) create(namespace, name string, spec v1.MyAppSpec) *v1.MyApp {
	w.Helper()
	app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: spec}
	w.must(w.client.Create(w.ctx, app))
	return app
}

// empty deletes all MyApps of a namespace and waits until they are gone, with all
// that was theirs.
func (w *world) empty(namespace string) {
	w.Helper()
	w.must(w.client.DeleteAllOf(w.ctx, &v1.MyApp{}, client.InNamespace(namespace)))
	w.awaitNowAndThen("nothing is left in "+namespace, func() error {
		found := w.look(namespace)
		if len(found.apps)+len(found.children) > 0 {
			return fmt.Errorf("there are %d MyApps and %d objects", len(found.apps), len(found.children))
		}
		return nil
	})
}
