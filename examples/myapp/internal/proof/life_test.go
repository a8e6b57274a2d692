package proof_test

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/internal/dns"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/testing/cluster/proxy"
	"github.com/trueup-dev/trueup/testing/steptest"
	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

// live leads an app through its life, and returns what there is before it is deleted,
// and what its way to the API server has seen.
func (w *world) live(trouble trouble) (map[string]string, proxy.Tally) {
	w.Helper()
	operator := w.start(trouble.lease)
	<-operator.elected
	if trouble.before != nil {
		trouble.before(w, operator)
	}
	w.must(w.user.Create(w.ctx, w.app()))
	w.awaitReady(1)
	if trouble.during != nil {
		trouble.during(w, operator)
	}
	w.change(2)
	w.awaitReady(2)
	w.quiet(operator)
	picture := w.picture()
	seen := operator.Tally()
	w.end()
	return picture, seen
}

func (w *world) app() *v1.MyApp {
	return &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: w.namespace}, Spec: v1.MyAppSpec{Image: imageOf(1)}}
}

// change gives the app the image of a generation. A second time it changes nothing.
func (w *world) change(generation int64) {
	w.Helper()
	body := fmt.Sprintf(`{"spec":{"image":%q}}`, imageOf(generation))
	w.must(w.user.Patch(w.ctx, w.app(), client.RawPatch(types.MergePatchType, []byte(body))))
}

func (w *world) awaitReady(generation int64) {
	w.Helper()
	w.await(fmt.Sprintf("generation %d is Ready", generation), func() error {
		app := w.app()
		if err := w.user.Get(w.ctx, client.ObjectKeyFromObject(app), app); err != nil {
			return err
		}
		if app.Generation != generation || !isReady(app) {
			return fmt.Errorf("generation %d, conditions %+v", app.Generation, app.Status.Conditions)
		}
		return nil
	})
}

// quiet waits until the replica writes nothing more.
func (w *world) quiet(r *replica) {
	w.Helper()
	_, err := r.requests.Quiet(w.ctx, func(request steptest.Request) bool {
		return request.Namespace == w.namespace && request.Write() && request.Resource != "leases"
	})
	w.must(err)
}

// picture returns the app and its children, without what is different each time.
func (w *world) picture() map[string]string {
	w.Helper()
	app := w.app()
	objects := []client.Object{app, &appsv1.Deployment{}, &corev1.Service{}}
	var all []*unstructured.Unstructured
	for _, object := range objects {
		w.must(w.user.Get(w.ctx, client.ObjectKeyFromObject(app), object))
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		w.must(err)
		gvk, err := apiutil.GVKForObject(object, stage.Scheme)
		w.must(err)
		made := &unstructured.Unstructured{Object: content}
		made.SetGroupVersionKind(gvk)
		all = append(all, made)
	}
	picture, err := memory.Picture(all, func(object *unstructured.Unstructured) {
		switch object.GetKind() {
		case "Service":
			unstructured.RemoveNestedField(object.Object, "spec", "clusterIP")
			unstructured.RemoveNestedField(object.Object, "spec", "clusterIPs")
		case "Deployment":
			unstructured.RemoveNestedField(object.Object, "status") // tells of the old pods, too
		}
	})
	w.must(err)
	return picture
}

// end deletes the app and checks that nothing is left, and that all was right meanwhile.
func (w *world) end() {
	w.Helper()
	w.must(w.user.Delete(w.ctx, w.app()))
	w.await("the app is gone", func() error {
		if err := w.user.Get(w.ctx, client.ObjectKeyFromObject(w.app()), w.app()); !apierrors.IsNotFound(err) {
			return fmt.Errorf("it is there: %w", err)
		}
		return nil
	})
	if target, ok := w.zone.Lookup(dns.Host(w.namespace, "web")); ok {
		w.Errorf("the record of %s is left", target)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for kind, made := range w.made {
		if len(made) != 1 {
			w.Errorf("%d of %s were created, want 1", len(made), kind)
		}
	}
	for _, fault := range w.faults {
		w.Error(fault)
	}
}
