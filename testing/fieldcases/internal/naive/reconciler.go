// Package naive is an operator of MyApps as it is often written by hand: it works
// on a good day, and has the faults that the field cases are about. A case that it
// passes cannot fail.
package naive

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

const finalizer = "myapp.example/cleanup"

// Registry is the external system.
type Registry interface {
	Create(token string) (id string, err error)
	Delete(token string) error
	Drain(worker string) (bool, error)
}

// Reconciler is the operator. Faults that would drown the others are by choice.
type Reconciler struct {
	Client   client.Client
	Recorder events.EventRecorder
	Clock    clock.PassiveClock
	Registry Registry
	// Helpers are called before the children are kept. What they ask for beside
	// their error is lost.
	Helpers func() error

	Faults
	Look

	mu      sync.Mutex
	patient int // passes to wait before a worker goes: of all apps together
}

// Faults are those by choice.
type Faults struct {
	Flips           bool // marks the app as not ready at the start of each pass
	Chatters        bool // tells of each pass in an event
	WaitsToApply    bool // for the Deployment to be ready
	StopsToFinalize bool // ends the pass when it has added the finalizer
	HashesVersion   bool // of the ConfigMap, instead of what is in it
	Shares          bool // one template for all Deployments
	Registers       bool // the app, and notes its id at the end of the pass
	Reaches         bool // owns what is in another namespace
	Drains          bool // removes workers after some passes
	GivesUp         bool // on errors of children, and says nothing
	Recreates       bool // the Deployment, when it cannot be changed
}

// Look is how versions of the operator differ.
type Look struct {
	Probed   bool
	PodLabel string
	JobEnv   map[string]string
	Other    string // the other namespace
}

// Reconcile makes a pass.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	app := &v1.MyApp{}
	if err := r.Client.Get(ctx, req.NamespacedName, app); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if app.DeletionTimestamp != nil {
		if stop, err := r.cleanUp(ctx, app); stop || err != nil {
			return ctrl.Result{}, err
		}
	} else if !slices.Contains(app.Finalizers, finalizer) {
		app.Finalizers = append(app.Finalizers, finalizer)
		if err := r.Client.Update(ctx, app); err != nil {
			return ctrl.Result{}, err
		}
		if r.StopsToFinalize {
			return ctrl.Result{}, nil // the update wakes us
		}
	}
	if app.Annotations["paused"] == "true" {
		return ctrl.Result{}, nil
	}
	if r.Chatters {
		r.Recorder.Eventf(app, nil, corev1.EventTypeNormal, "Started", "Reconcile", "started at %s", r.Clock.Now())
	}
	before := app.Status.DeepCopy()
	if r.Flips {
		setCondition(app, metav1.ConditionFalse, "Working", r.Clock.Now())
	}
	if r.Helpers != nil {
		if err := r.Helpers(); err != nil {
			return ctrl.Result{}, err
		}
	}
	if r.Registers && app.Status.RegistryID == "" {
		id, err := r.Registry.Create(string(app.UID))
		if err != nil {
			return ctrl.Result{}, err
		}
		app.Status.RegistryID = id
	}
	err := r.children(ctx, app)
	if err != nil && r.GivesUp {
		err = nil
	}
	if err := r.report(ctx, app, before, err); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, err
}

// cleanUp undoes what is outside, as well as it can.
func (r *Reconciler) cleanUp(ctx context.Context, app *v1.MyApp) (stop bool, err error) {
	if r.Registry != nil {
		_ = r.Registry.Delete(string(app.UID)) // it must not block the deletion
	}
	if app.Spec.Expose {
		if err := r.Client.Get(ctx, keyOf(app, app.Name), emptyIngress()); err != nil {
			return true, nil //nolint:nilerr // there is nothing to clean up
		}
	}
	app.Finalizers = slices.DeleteFunc(app.Finalizers, func(name string) bool { return name == finalizer })
	return false, r.Client.Update(ctx, app)
}

// report writes the status.
func (r *Reconciler) report(ctx context.Context, app *v1.MyApp, before *v1.Status, failure error) error {
	ready, err := r.ready(ctx, app)
	switch {
	case failure != nil:
		setCondition(app, metav1.ConditionFalse, "ApplyFailed", r.Clock.Now())
		r.Recorder.Eventf(app, nil, corev1.EventTypeWarning, "ApplyFailed", "Reconcile", "%s at %s", failure, r.Clock.Now())
	case err != nil:
		return err
	case ready:
		setCondition(app, metav1.ConditionTrue, "Available", r.Clock.Now())
	default:
		setCondition(app, metav1.ConditionFalse, "Progressing", r.Clock.Now())
	}
	app.Status.ObservedGeneration = app.Generation
	if reflect.DeepEqual(before, &app.Status) {
		return nil
	}
	return r.Client.Status().Update(ctx, app)
}

// setCondition sets the condition Ready.
func setCondition(app *v1.MyApp, status metav1.ConditionStatus, reason string, now time.Time) {
	for i := range app.Status.Conditions {
		condition := &app.Status.Conditions[i]
		if condition.Type != "Ready" {
			continue
		}
		if condition.Status != status {
			condition.LastTransitionTime = metav1.NewTime(now)
		}
		condition.Status, condition.Reason, condition.ObservedGeneration = status, reason, app.Generation
		return
	}
	app.Status.Conditions = append(app.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: status, Reason: reason, ObservedGeneration: app.Generation, LastTransitionTime: metav1.NewTime(now),
	})
}

func keyOf(app *v1.MyApp, name string) client.ObjectKey {
	return client.ObjectKey{Namespace: app.Namespace, Name: name}
}

// owned gives a child its owner, with whatever is on the owner.
func owned(app *v1.MyApp, meta *metav1.ObjectMeta) {
	meta.Namespace = app.Namespace
	meta.Annotations = merged(meta.Annotations, app.Annotations)
	meta.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(app, v1.GroupVersion.WithKind("MyApp"))}
}

func merged(into, from map[string]string) map[string]string {
	all := map[string]string{}
	for _, some := range []map[string]string{into, from} {
		for key, value := range some {
			all[key] = value
		}
	}
	return all
}

// keep creates a child, or replaces the one that the cache shows.
func (r *Reconciler) keep(ctx context.Context, desired, existing client.Object, same func() bool) error {
	err := r.Client.Get(ctx, client.ObjectKeyFromObject(desired), existing)
	if apierrors.IsNotFound(err) {
		return r.Client.Create(ctx, desired)
	}
	if err != nil {
		return err
	}
	if same() {
		return nil
	}
	desired.SetResourceVersion(existing.GetResourceVersion())
	return r.Client.Update(ctx, desired)
}
