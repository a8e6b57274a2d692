package faults_test

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/testing/faults"
)

// The bugs that a handwritten reconciler is given, one at a time.
const (
	none              = ""
	randomNames       = "children with random names, looked for in the cache"
	effectFirst       = "the effect before the finalizer that guards it"
	swallowedErrors   = "an error is logged and not returned"
	cleanupInMemory   = "what to clean up is remembered in memory only"
	cleanupOnce       = "the finalizer goes although the clean-up failed"
	timeInStatus      = "a status that is another one in each pass"
	statusFirst       = "a status that is written before what it says is true"
	overwritten       = "an update without a lock, from the cache"
	unwatchedChildren = "children are not watched"
	nilChild          = "a child that was created is taken to be in the cache"
	terminalConflicts = "a conflict is taken to be for good"
	neverCleared      = "a field that is not set any more is left as it was"
	staleOwner        = "the owner is believed as the cache has it"
	createdIsEnough   = "that a child exists already is taken to be as good"
)

// subject returns the reconciler with a bug, and a zone of its own.
func subject(bug string) func() faults.Subject {
	return func() faults.Subject {
		zone := &outside{records: map[string]string{}}
		return faults.Subject{
			Setup:   (&naive{bug: bug, zone: zone}).setup,
			Outside: func() any { return zone.all() },
			Always: []faults.Invariant{
				{Name: "no record without a finalizer", Holds: func(state faults.State) error {
					app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
					if bug == cleanupInMemory {
						return nil
					}
					if there := state.Get(app); len(zone.all()) > 0 && (!there || !slices.Contains(app.Finalizers, hold)) {
						return fmt.Errorf("the record of web is not guarded")
					}
					return nil
				}},
				{Name: "never two Deployments", Holds: func(state faults.State) error {
					list := &appsv1.DeploymentList{}
					if err := state.List(list); err != nil {
						return err
					}
					if len(list.Items) > 1 {
						return fmt.Errorf("there are %d", len(list.Items))
					}
					return nil
				}},
			},
		}
	}
}
