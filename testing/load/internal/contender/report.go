package contender

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apilabels "k8s.io/apimachinery/pkg/labels"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// report computes the status of a handwritten loop: the same fields and
// conditions as the pipeline's.
func report(app *v1.MyApp, deployment *appsv1.Deployment, deploymentErr, serviceErr error) {
	app.Status.ObservedGeneration = app.Generation
	if deploymentErr == nil {
		app.Status.Replicas = deployment.Status.Replicas
		app.Status.ReadyReplicas = deployment.Status.ReadyReplicas
		app.Status.Selector = apilabels.FormatLabels(deployment.Spec.Selector.MatchLabels)
	}
	ready := true
	set := func(conditionType string, err error, waiting string) {
		condition := metav1.Condition{
			Type: conditionType, Status: metav1.ConditionTrue, Reason: "Ready", ObservedGeneration: app.Generation,
		}
		switch {
		case err != nil:
			condition.Status, condition.Reason, condition.Message = metav1.ConditionFalse, "Failed", err.Error()
		case waiting != "":
			condition.Status, condition.Reason, condition.Message = metav1.ConditionFalse, "InProgress", waiting
		}
		ready = ready && condition.Status == metav1.ConditionTrue
		meta.SetStatusCondition(&app.Status.Conditions, condition)
	}
	set("DnsReady", nil, "")
	set("DeploymentReady", deploymentErr, rolloutOf(deployment, deploymentErr))
	set("ServiceReady", serviceErr, "")
	if ready {
		set("Ready", nil, "")
	} else {
		set("Ready", nil, "some steps are not ready")
	}
}

// rolloutOf says what a Deployment still waits for, "" for nothing.
func rolloutOf(deployment *appsv1.Deployment, err error) string {
	if err != nil {
		return ""
	}
	want := int32(1)
	if deployment.Spec.Replicas != nil {
		want = *deployment.Spec.Replicas
	}
	switch {
	case deployment.Status.ObservedGeneration != deployment.Generation:
		return "the rollout has not begun"
	case deployment.Status.UpdatedReplicas < want, deployment.Status.AvailableReplicas < want,
		deployment.Status.Replicas > want:
		return "the rollout goes on"
	}
	return ""
}
