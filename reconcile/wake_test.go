package reconcile_test

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// byImage wakes the MyApps whose image has the name of a ConfigMap.
func byImage[T client.Object](prototype T, image func(T) string, passes chan<- string) *reconcile.FuncStep[T] {
	return reconcile.Func("image", func(_ context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
		passes <- run.Object().GetName()
		return reconcile.Continue, nil
	}).Indexed(reconcile.Index{Object: prototype, Name: "image", Values: func(object client.Object) []string {
		return []string{image(object.(T))}
	}}).Watching(reconcile.Watch{Object: &corev1.ConfigMap{}, Index: "image", Values: func(object client.Object) []string {
		return []string{object.GetName()}
	}})
}

func TestWatchByIndexWakesOnlyWhatItFinds(t *testing.T) {
	for name, setup := range map[string]func(ctrl.Manager, chan<- string) error{
		"typed": func(mgr ctrl.Manager, passes chan<- string) error {
			step := byImage(&v1.MyApp{}, func(app *v1.MyApp) string { return app.Spec.Image }, passes)
			return reconcile.NewPipeline("by-image-typed", step).SetupWithManager(mgr)
		},
		"unstructured": func(mgr ctrl.Manager, passes chan<- string) error {
			prototype := &unstructured.Unstructured{}
			prototype.SetGroupVersionKind(v1.GroupVersion.WithKind("MyApp"))
			step := byImage(prototype, func(app *unstructured.Unstructured) string {
				image, _, _ := unstructured.NestedString(app.Object, "spec", "image")
				return image
			}, passes)
			return reconcile.NewPipeline("by-image-unstructured", step).For(prototype).SetupWithManager(mgr)
		},
	} {
		t.Run(name, func(t *testing.T) {
			shared := cluster.Shared(t)
			namespace := shared.Namespace(t)
			mgr := steptest.NewManager(t, shared.Config(), scheme(t), namespace)
			passes := make(chan string, 100)
			if err := setup(mgr, passes); err != nil {
				t.Fatal(err)
			}
			steptest.StartManager(t, mgr)
			next := func(want string) {
				t.Helper()
				select {
				case got := <-passes:
					if got != want {
						t.Fatalf("a pass over %s, want one over %s", got, want)
					}
				case <-time.After(30 * time.Second):
					t.Fatalf("no pass over %s", want)
				}
			}
			for app, image := range map[string]string{"one": "img1", "two": "img2"} {
				err := mgr.GetClient().Create(t.Context(), &v1.MyApp{
					ObjectMeta: metav1.ObjectMeta{Name: app, Namespace: namespace}, Spec: v1.MyAppSpec{Image: image},
				})
				if err != nil {
					t.Fatal(err)
				}
				next(app)
			}
			for app, image := range map[string]string{"one": "img1", "two": "img2"} {
				err := mgr.GetClient().Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: image, Namespace: namespace}})
				if err != nil {
					t.Fatal(err)
				}
				next(app)
			}
		})
	}
}
