package resources

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/trueup-dev/trueup/reconcile"
)

// describe returns what all steps that have children say of themselves.
func (e *engine[T, C]) describe(kind string) reconcile.Description {
	about := reconcile.Description{
		Name:      e.step,
		Kind:      kind,
		Condition: reconcile.ConditionType(e.step),
	}
	if reflect.ValueOf(&e.prototype).Elem().IsZero() {
		return about
	}
	about.Indexes = []reconcile.Index{{Object: e.prototype, Name: ownerIndex, Values: ownerUID}}
	about.Access = []reconcile.Access{{Object: e.prototype, Verbs: e.verbs()}}
	e.wakeWhenFree(&about)
	about.FormerNames = e.oldNames
	about.Err = errors.Join(e.atOdds(), e.endFaults())
	if name := e.finalizer(); name != "" {
		about.Finalizers = []string{name}
	}
	if e.detached == "" {
		about.Owns = []client.Object{e.prototype}
		return about
	}
	about.Watches = append(about.Watches, reconcile.Watch{
		Object: e.prototype,
		Handler: func(client.Reader) handler.EventHandler {
			return handler.EnqueueRequestsFromMapFunc(e.ownerRequests)
		},
	})
	return about
}

// verbs returns what the step may ask of the server about its children. An apply is a
// patch, which the server also checks for create when it creates. What is left behind
// is never deleted, unless to be made again, or by the last who shares it.
func (e *engine[T, C]) verbs() []string {
	if e.leaves() && !e.recreate && !e.shared {
		return []string{"get", "list", "watch", "create", "patch"}
	}
	return []string{"get", "list", "watch", "create", "patch", "delete"}
}

// ownerRequests returns the owners of a child that has no owner reference, if
// this step made it, or shares it.
func (e *engine[T, C]) ownerRequests(_ context.Context, child client.Object) []ctrl.Request {
	if !e.shared {
		return e.requestsFor(child, OwnerAnnotation, StepLabel)
	}
	var requests []ctrl.Request
	for key := range child.GetAnnotations() {
		if strings.HasPrefix(key, SharePrefix) {
			requests = append(requests, e.requestsFor(child, key, key)...)
		}
	}
	return requests
}

// requestsFor returns the owner that an annotation names, if a label has the mark
// of a step of this name.
func (e *engine[T, C]) requestsFor(child client.Object, annotation, label string) []ctrl.Request {
	owner, ok := child.GetAnnotations()[annotation]
	isNamed := func(step string) bool { return strings.HasSuffix(child.GetLabels()[label], "."+step) }
	if !ok || !isNamed(e.step) && !slices.ContainsFunc(e.oldNames, isNamed) {
		return nil
	}
	namespace, name, ok := strings.Cut(owner, string(types.Separator))
	if !ok {
		return nil
	}
	return []ctrl.Request{{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}}
}

// finalize deals with the children of a step that has a finalizer, and is done
// when a read past the cache finds none. Others are the garbage collector's, and
// so are those that it has been told to orphan.
func (e *engine[T, C]) finalize(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	if e.finalizer() == "" || e.ifWanted && !e.shared && !e.isHeld(run) {
		return reconcile.Continue, nil
	}
	orphaned := slices.Contains(run.Object().GetFinalizers(), metav1.FinalizerOrphanDependents)
	if orphaned && e.detached == "" && !e.leaves() {
		return reconcile.Continue, nil
	}
	children, err := e.stored(ctx, run)
	if meta.IsNoMatchError(err) {
		return reconcile.Continue, nil // there is nothing of a kind that there is not
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	result, err := e.deleteAll(ctx, run, children)
	if err != nil || result.Outcome() == reconcile.Continued {
		return result, err
	}
	// A child without finalizers is gone by now: no need for another pass.
	if children, err = e.stored(ctx, run); err != nil {
		return reconcile.Result{}, err
	}
	if len(children) == 0 {
		return reconcile.Continue, nil
	}
	return e.going(children), nil
}
