package stage

import (
	"context"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// deploymentWorkers is enough to keep up with any operator.
const deploymentWorkers = 16

// rollouts plays the Deployment controller: it writes the status that a rollout
// ends with, once for each generation.
type rollouts struct{ client client.Client }

func (n *Namespace) startRollouts(ctx context.Context) (*running, error) {
	mgr, err := n.cluster.newManager(n.cluster.Config, n.Name, deploymentWorkers)
	if err != nil {
		return nil, err
	}
	err = ctrl.NewControllerManagedBy(mgr).Named("rollouts").For(&appsv1.Deployment{}).
		Complete(rollouts{mgr.GetClient()})
	if err != nil {
		return nil, fmt.Errorf("make controller of Deployments: %w", err)
	}
	return start(ctx, mgr)
}

// Reconcile rolls out.
func (r rollouts) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	d := &appsv1.Deployment{}
	if err := r.client.Get(ctx, req.NamespacedName, d, client.UnsafeDisableDeepCopy); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if d.Status.ObservedGeneration == d.Generation {
		return ctrl.Result{}, nil
	}
	body, err := json.Marshal(map[string]any{"status": rolledOut(d)})
	if err != nil {
		return ctrl.Result{}, err
	}
	target := &appsv1.Deployment{}
	target.Name, target.Namespace = d.Name, d.Namespace
	err = r.client.Status().Patch(ctx, target, client.RawPatch(types.MergePatchType, body))
	return ctrl.Result{}, client.IgnoreNotFound(err)
}

func rolledOut(d *appsv1.Deployment) appsv1.DeploymentStatus {
	replicas := int32(1)
	if d.Spec.Replicas != nil {
		replicas = *d.Spec.Replicas
	}
	return appsv1.DeploymentStatus{
		ObservedGeneration: d.Generation,
		Replicas:           replicas,
		UpdatedReplicas:    replicas,
		ReadyReplicas:      replicas,
		AvailableReplicas:  replicas,
		Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable"},
			{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable"},
		},
	}
}
