package status_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/status"
)

// rollout has a MyApp with a Deployment, whose controller the test plays.
type rollout struct {
	*bench[appOf]
	pipeline *reconcile.Pipeline[appOf]
	moved    metav1.Time // when Ready last changed
	changes  int
}

func newRollout(t *testing.T) *rollout {
	t.Helper()
	r := &rollout{bench: newBench(t, newApp())}
	r.pipeline = r.setUp(reconcile.NewPipeline("test",
		resources.Ensure(func(app appOf) (*appsv1.Deployment, error) {
			labels := map[string]string{"app": app.Name}
			return &appsv1.Deployment{
				ObjectMeta: metav1.ObjectMeta{Name: app.Name},
				Spec: appsv1.DeploymentSpec{
					Replicas: new(int32(2)),
					Selector: &metav1.LabelSelector{MatchLabels: labels},
					Template: corev1.PodTemplateSpec{
						ObjectMeta: metav1.ObjectMeta{Labels: labels},
						Spec: corev1.PodSpec{
							NodeSelector: app.Spec.NodeSelector,
							Containers:   []corev1.Container{{Name: "app", Image: app.Spec.Image}},
						},
					},
				},
			}, nil
		}),
		status.Summarize(conditions),
	))
	return r
}

// played is what the Deployment's controller says, in its status.
func (r *rollout) played(observed int64, replicas, updated, ready int32, conditions ...appsv1.DeploymentCondition) {
	r.Helper()
	deployment := r.deployment()
	deployment.Status = appsv1.DeploymentStatus{
		ObservedGeneration: observed, Replicas: replicas, UpdatedReplicas: updated,
		ReadyReplicas: ready, AvailableReplicas: ready, Conditions: conditions,
	}
	if err := r.User.Status().Update(r.Context(), deployment); err != nil {
		r.Fatal(err)
	}
	r.CaughtUp(r.T, deployment)
}

func (r *rollout) deployment() *appsv1.Deployment {
	r.Helper()
	deployment := &appsv1.Deployment{}
	if err := r.User.Get(r.Context(), client.ObjectKeyFromObject(r.object), deployment); err != nil {
		r.Fatal(err)
	}
	return deployment
}

// ready makes a pass and checks what Ready says, at which generation. It returns
// how many writes to the Deployment there were.
func (r *rollout) ready(what string, want metav1.ConditionStatus, progress string, generation int64) int {
	r.Helper()
	_, sent, err := r.pass(r.pipeline)
	if err != nil {
		r.Fatalf("%s: %v", what, err)
	}
	statuses, deployments := 0, 0
	for _, request := range sent {
		switch {
		case strings.HasPrefix(request.Resource, "myapps"):
			statuses++
		case request.Write():
			deployments++
		}
	}
	if statuses > 1 {
		r.Errorf("%s: the status was written %d times: %v", what, statuses, sent)
	}
	list := r.conditions()
	ready := meta.FindStatusCondition(list, status.ReadyCondition)
	if ready.Status != want || ready.ObservedGeneration != generation {
		r.Errorf("%s: Ready = %+v, want %s at generation %d", what, ready, want, generation)
	}
	for _, name := range []string{status.ReconcilingCondition, status.StalledCondition} {
		if there := meta.IsStatusConditionTrue(list, name); there != (name == progress) {
			r.Errorf("%s: %s is %t, want %q", what, name, there, progress)
		}
	}
	if !ready.LastTransitionTime.Equal(&r.moved) {
		r.moved = ready.LastTransitionTime
		r.changes++
	}
	return deployments
}

// While old pods serve and the new ones come the object is not ready, whatever
// the numbers say (C11).
func TestReadinessOfAnOldGenerationNeverCounts(t *testing.T) {
	r := newRollout(t)
	r.ready("made", "False", status.ReconcilingCondition, 1)
	r.played(1, 2, 2, 2)
	r.ready("rolled out", "True", "", 1)
	r.changes = 0
	r.respec("image", "img:2")
	if writes := r.ready("the change is applied, the status is of old", "False", status.ReconcilingCondition, 2); writes != 1 {
		t.Errorf("%d writes to the Deployment, want one", writes)
	}
	r.CaughtUp(t, r.deployment())
	r.ready("its controller has not seen it", "False", status.ReconcilingCondition, 2)
	r.played(2, 3, 1, 2)
	r.ready("old pods serve", "False", status.ReconcilingCondition, 2)
	r.played(2, 3, 2, 3)
	r.ready("an old pod is still there", "False", status.ReconcilingCondition, 2)
	r.played(2, 2, 2, 2)
	r.ready("rolled out", "True", "", 2)
	if r.changes != 2 {
		t.Errorf("lastTransitionTime changed %d times, want twice", r.changes)
	}
}

// What does not become ready does not keep the correction from being applied (C61).
func TestWhatIsNotReadyDoesNotBlockItsCorrection(t *testing.T) {
	r := newRollout(t)
	r.ready("made", "False", status.ReconcilingCondition, 1)
	r.played(1, 2, 2, 2)
	r.ready("rolled out", "True", "", 1)
	r.respec("nodeSelector", map[string]any{"disk": "none-such"})
	r.ready("a change that no node can satisfy", "False", status.ReconcilingCondition, 2)
	r.played(2, 3, 1, 2)
	for range 3 {
		if writes := r.ready("it waits", "False", status.ReconcilingCondition, 2); writes != 0 {
			t.Errorf("%d writes to a Deployment that is as it should be", writes)
		}
	}
	r.played(2, 3, 1, 2, appsv1.DeploymentCondition{
		Type: appsv1.DeploymentProgressing, Status: "False", Reason: "ProgressDeadlineExceeded", LastUpdateTime: metav1.NewTime(time.Now()),
	})
	r.ready("its deadline has passed", "False", status.StalledCondition, 2)

	live := r.live()
	delete(live.Object["spec"].(map[string]any), "nodeSelector")
	if err := r.User.Update(t.Context(), live); err != nil {
		t.Fatal(err)
	}
	if writes := r.ready("the correction", "False", status.ReconcilingCondition, 3); writes != 1 {
		t.Errorf("%d writes to the Deployment in the first pass, want one", writes)
	}
	if selector := r.deployment().Spec.Template.Spec.NodeSelector; len(selector) > 0 {
		t.Errorf("the Deployment has %v still", selector)
	}
	r.played(3, 2, 2, 2)
	r.ready("rolled out", "True", "", 3)
}
