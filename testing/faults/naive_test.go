package faults_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/testing/faults"
)

const hold = "example.com/records"

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

// outside is where the records are that the reconciler keeps.
type outside struct {
	mu      sync.Mutex
	records map[string]string
}

func (o *outside) set(name, target string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.records[name] = target
}

func (o *outside) drop(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.records, name)
}

func (o *outside) all() map[string]string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.records)
}

// naive is a handwritten reconciler, as one finds them, with one bug or none: it
// keeps a Deployment and a record outside of the cluster for each MyApp.
type naive struct {
	client.Client
	live  client.Reader
	bug   string
	zone  *outside
	known map[string]bool
}

func (n *naive) setup(mgr ctrl.Manager) error {
	n = &naive{Client: mgr.GetClient(), live: mgr.GetAPIReader(), bug: n.bug, zone: n.zone, known: map[string]bool{}}
	build := ctrl.NewControllerManagedBy(mgr).For(&v1.MyApp{})
	if n.bug != unwatchedChildren {
		build.Owns(&appsv1.Deployment{})
	}
	return build.Complete(n)
}

func (n *naive) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	result, err := n.reconcile(ctx, request)
	if n.bug == swallowedErrors {
		return result, nil
	}
	if n.bug == terminalConflicts && apierrors.IsConflict(err) {
		return result, nil
	}
	return result, err
}

func (n *naive) reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	app := &v1.MyApp{}
	reader := n.live
	if n.bug == staleOwner {
		reader = n.Client
	}
	if err := reader.Get(ctx, request.NamespacedName, app); err != nil {
		if apierrors.IsNotFound(err) && n.bug == cleanupInMemory && n.known[request.Name] {
			n.zone.drop(request.Name)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if app.DeletionTimestamp != nil {
		return ctrl.Result{}, n.release(ctx, app)
	}
	if n.bug == effectFirst {
		n.zone.set(app.Name, app.Spec.Image)
	}
	if n.bug != cleanupInMemory && !slices.Contains(app.Finalizers, hold) {
		before := app.DeepCopy()
		app.Finalizers = append(app.Finalizers, hold)
		if err := n.Patch(ctx, app, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
			return ctrl.Result{}, err
		}
	}
	n.zone.set(app.Name, app.Spec.Image)
	n.known[app.Name] = true
	child, err := n.child(ctx, app)
	if err != nil {
		return ctrl.Result{}, err
	}
	if n.bug == nilChild && child.Spec.Replicas == nil {
		child = nil
	}
	return ctrl.Result{}, n.tell(ctx, app, child.Status.ReadyReplicas)
}

func (n *naive) release(ctx context.Context, app *v1.MyApp) error {
	if !slices.Contains(app.Finalizers, hold) {
		return nil
	}
	if n.bug == cleanupOnce { // the clean-up wants to know more, and that fails
		if err := n.live.Get(ctx, client.ObjectKeyFromObject(app), &appsv1.Deployment{}); err == nil {
			n.zone.drop(app.Name)
		}
	} else {
		n.zone.drop(app.Name)
	}
	before := app.DeepCopy()
	app.Finalizers = slices.DeleteFunc(app.Finalizers, func(name string) bool { return name == hold })
	return client.IgnoreNotFound(n.Patch(ctx, app, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
}

// child makes the Deployment, or changes it.
func (n *naive) child(ctx context.Context, app *v1.MyApp) (*appsv1.Deployment, error) {
	wanted := n.wanted(app)
	if err := controllerutil.SetControllerReference(app, wanted, n.Scheme()); err != nil {
		return nil, err
	}
	child, err := n.find(ctx, app)
	switch {
	case apierrors.IsNotFound(err):
		err := n.Create(ctx, wanted)
		if n.bug == nilChild && err == nil {
			child = &appsv1.Deployment{}
			_ = n.Get(ctx, client.ObjectKeyFromObject(app), child)
			return child, nil
		}
		return wanted, err
	case err != nil:
		return nil, err
	}
	selector := app.Spec.NodeSelector
	if n.bug == neverCleared && len(selector) == 0 {
		selector = child.Spec.Template.Spec.NodeSelector
	}
	if child.Spec.Template.Spec.Containers[0].Image == app.Spec.Image && *child.Spec.Replicas == *app.Spec.Replicas &&
		maps.Equal(child.Spec.Template.Spec.NodeSelector, selector) {
		return child, nil
	}
	before := child.DeepCopy()
	child.Spec.Template.Spec.Containers[0].Image, child.Spec.Replicas = app.Spec.Image, app.Spec.Replicas
	child.Spec.Template.Spec.NodeSelector = selector
	if n.bug == overwritten {
		child.ResourceVersion = ""
		return child, n.Update(ctx, child)
	}
	return child, n.Patch(ctx, child, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

func (n *naive) find(ctx context.Context, app *v1.MyApp) (*appsv1.Deployment, error) {
	if n.bug != randomNames {
		child := &appsv1.Deployment{}
		return child, n.Get(ctx, client.ObjectKeyFromObject(app), child)
	}
	list := &appsv1.DeploymentList{}
	if err := n.List(ctx, list, client.InNamespace(app.Namespace), client.MatchingLabels{"app": app.Name}); err != nil {
		return nil, err
	}
	if len(list.Items) == 0 {
		return nil, apierrors.NewNotFound(appsv1.Resource("deployments"), app.Name)
	}
	return &list.Items[0], nil
}

func (n *naive) wanted(app *v1.MyApp) *appsv1.Deployment {
	labels := map[string]string{"app": app.Name}
	wanted := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name, Namespace: app.Namespace, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: app.Spec.Replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{NodeSelector: app.Spec.NodeSelector, Containers: []corev1.Container{{Name: "app", Image: app.Spec.Image}}},
			},
		},
	}
	if n.bug == randomNames {
		wanted.Name, wanted.GenerateName = "", app.Name+"-"
	}
	return wanted
}

// tell writes the status if it is another.
func (n *naive) tell(ctx context.Context, app *v1.MyApp, ready int32) error {
	before := app.DeepCopy()
	app.Status.ObservedGeneration, app.Status.ReadyReplicas, app.Status.Replicas = app.Generation, ready, 1
	if n.bug == timeInStatus {
		meta.SetStatusCondition(&app.Status.Conditions, metav1.Condition{
			Type: "Seen", Status: metav1.ConditionTrue, Reason: "Seen", Message: fmt.Sprint(time.Now().UnixNano(), app.ResourceVersion),
		})
	} else if app.Status.ObservedGeneration == before.Status.ObservedGeneration &&
		app.Status.ReadyReplicas == before.Status.ReadyReplicas && app.Status.Replicas == before.Status.Replicas {
		return nil
	}
	return n.Status().Patch(ctx, app, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

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
