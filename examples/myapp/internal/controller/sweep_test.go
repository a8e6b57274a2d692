package controller_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/config"
	"github.com/trueup-dev/trueup/examples/myapp/internal/controller"
	"github.com/trueup-dev/trueup/examples/myapp/internal/dns"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/testing/faults"
	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

// served is what the API servers in memory serve.
var served = sync.OnceValues(func() (*memory.Kinds, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(config.CRD, crd); err != nil {
		return nil, err
	}
	return memory.NewKinds(stage.Scheme, crd)
})

// subject is the operator of MyApps, with a zone of its own.
func subject() faults.Subject {
	zone := dns.NewZone()
	return faults.Subject{
		Setup:   func(mgr ctrl.Manager) error { return controller.NewPipeline(zone).SetupWithManager(mgr) },
		Outside: func() any { return zone.Records() },
		Always: []faults.Invariant{{
			Name: "the finalizer comes before the record",
			Holds: func(state faults.State) error {
				for host := range zone.Records() {
					app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
					if !state.Get(app) || len(app.Finalizers) == 0 {
						return fmt.Errorf("%s has a record that nothing guards", host)
					}
				}
				return nil
			},
		}},
	}
}

func merge(object client.Object, body string) func(context.Context, client.Client) error {
	return func(ctx context.Context, user client.Client) error {
		return user.Patch(ctx, object.DeepCopyObject().(client.Object), client.RawPatch(types.MergePatchType, []byte(body)))
	}
}

func remove(object client.Object) func(context.Context, client.Client) error {
	return func(ctx context.Context, user client.Client) error {
		return user.Delete(ctx, object.DeepCopyObject().(client.Object))
	}
}

var (
	named      = metav1.ObjectMeta{Name: "web"}
	webApp     = &v1.MyApp{ObjectMeta: named, Spec: v1.MyAppSpec{Image: image}}
	deployment = &appsv1.Deployment{ObjectMeta: named}
	service    = &corev1.Service{ObjectMeta: named}
)

// scenarios are the lives that a MyApp is led through.
var scenarios = map[string][]faults.Change{
	"a whole life": {
		{Name: "new image", Do: merge(webApp, `{"spec":{"image":"img:2"}}`)},
		{Name: "scale", Do: merge(webApp, `{"spec":{"replicas":3}}`)},
		{Name: "delete", Do: remove(webApp)},
	},
	"changed while it rolls out": {
		{Name: "new image", Do: merge(webApp, `{"spec":{"image":"img:2"}}`)},
		{Name: "and back", Do: merge(webApp, `{"spec":{"image":"`+image+`"}}`), Early: true},
		{Name: "delete at once", Do: remove(webApp), Early: true},
	},
	"others interfere": {
		{Name: "the Deployment is changed", Do: merge(deployment, `{"spec":{"replicas":9}}`)},
		{Name: "the Service is deleted", Do: remove(service)},
		{Name: "the Deployment is deleted", Do: remove(deployment)},
		{Name: "somebody labels the Service", Do: merge(service, `{"metadata":{"labels":{"mine":"yes"}}}`)},
	},
}

// MyApps come out the same whatever goes wrong.
func TestMyAppSweep(t *testing.T) {
	kinds, err := served()
	if err != nil {
		t.Fatal(err)
	}
	for name, changes := range scenarios {
		t.Run(name, func(t *testing.T) {
			faults.Sweep{Kinds: kinds, New: subject, Given: []client.Object{webApp}, Changes: changes, Pairs: 60, Seed: 1}.Check(t)
		})
	}
}

// Only the last spec of a MyApp matters.
func TestMyAppTransitions(t *testing.T) {
	kinds, err := served()
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(config.CRD, crd); err != nil {
		t.Fatal(err)
	}
	app := webApp.DeepCopy()
	app.Spec.Replicas, app.Spec.Port, app.Spec.NodeSelector = new(int32(2)), 9090, map[string]string{"disk": "ssd"}
	faults.Transitions{
		Sweep:      faults.Sweep{Kinds: kinds, New: subject, Given: []client.Object{app}, Ignore: withoutPullPolicy},
		Definition: crd,
		Values:     values,
	}.Check(t)
}

// values are those to give fields that need special ones. Parts that an app need not
// have are led through their changes on a real API server, by TestParts: every pair of
// them here would take hours.
var values = map[string][]any{
	"replicas":                     {int64(0), int64(1), int64(5)},
	"spread":                       {},
	"config":                       {},
	"secretName":                   {},
	"env":                          {},
	"resources.claims":             {},
	"resources.limits":             {},
	"resources.requests":           {},
	"probes.path":                  {},
	"ingress.host":                 {},
	"ingress.className":            {},
	"ingress.tlsSecretName":        {},
	"autoscaling.minReplicas":      {},
	"autoscaling.maxReplicas":      {},
	"autoscaling.cpuPercent":       {},
	"disruption.maxUnavailable":    {},
	"serviceAccount.annotations":   {},
	"networkPolicy.fromNamespaces": {},
}

// withoutPullPolicy takes out what the API server puts into a Deployment by the tag of
// the image that it is made with, and leaves as it is when the image changes: MyApps
// have no say in it.
func withoutPullPolicy(object *unstructured.Unstructured) {
	containers, _, _ := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "containers")
	for _, container := range containers {
		delete(container.(map[string]any), "imagePullPolicy")
	}
	if len(containers) > 0 {
		_ = unstructured.SetNestedSlice(object.Object, containers, "spec", "template", "spec", "containers")
	}
}
