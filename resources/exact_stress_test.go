package resources_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

const (
	stressOwners  = 40
	stressWorkers = 16
	stressRounds  = 3 // as many as are repaired at once: see the contest
)

// stressPipeline keeps a Secret, a Service and three ConfigMaps for each owner, and
// a part of a ConfigMap that ten owners share. It counts its passes.
func stressPipeline(passes *atomic.Int64) *reconcile.Pipeline[*v1.MyApp] {
	named := func(app *v1.MyApp) metav1.ObjectMeta { return metav1.ObjectMeta{Name: app.Name} }
	return reconcile.NewPipeline("stress", reconcile.Sequence(
		reconcile.All(
			resources.Ensure(desiredConfigMap),
			resources.Ensure(suffixed("-poked")).Named("poked"),
			resources.Ensure(suffixed("-applied")).Named("applied"),
			resources.Ensure(func(app *v1.MyApp) (*corev1.Secret, error) {
				return &corev1.Secret{ObjectMeta: named(app), StringData: map[string]string{"image": app.Spec.Image}}, nil
			}),
			resources.Ensure(func(app *v1.MyApp) (*corev1.Service, error) {
				return &corev1.Service{ObjectMeta: named(app), Spec: corev1.ServiceSpec{
					Ports: []corev1.ServicePort{{Name: "a", Port: 80}, {Name: "b", Port: 81}},
				}}, nil
			}),
			resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
				return &corev1.ConfigMap{
					ObjectMeta: metav1.ObjectMeta{Name: "common-" + app.Name[len(app.Name)-1:]},
					Data:       map[string]string{app.Name: app.Spec.Image},
				}, nil
			}).Named("common").Share("apps.example.com/common"),
		),
		reconcile.Func("count", func(context.Context, *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
			passes.Add(1)
			return reconcile.Continue, nil
		}),
	))
}

// suffixed returns a function that desires a ConfigMap of another name.
func suffixed(suffix string) func(*v1.MyApp) (*corev1.ConfigMap, error) {
	return func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		config, err := desiredConfigMap(app)
		config.Name += suffix
		return config, err
	}
}

// Sixteen workers over forty owners, while other clients change what is theirs in
// the ways of which the entries tell nothing: all is repaired, and then it is quiet.
func TestExactWithManyWorkers(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap))
	if err := b.User.Delete(t.Context(), b.app); err != nil {
		t.Fatal(err)
	}
	requests := &steptest.Requests{}
	mgr := steptest.NewManager(t, requests.Attach(cluster.Shared(t).Config()), scheme(t), b.namespace)
	var passes atomic.Int64
	err := stressPipeline(&passes).SetupWithManager(mgr, func(build *builder.Builder) {
		build.WithOptions(controller.Options{MaxConcurrentReconciles: stressWorkers})
	})
	if err != nil {
		t.Fatal(err)
	}
	steptest.StartManager(t, mgr)
	b.meddleWhenPoked()
	apps := make([]*v1.MyApp, stressOwners)
	for i := range apps {
		apps[i] = b.other(fmt.Sprintf("app-%02d", i))
	}
	b.eventually("all is made", func(ctx context.Context) bool { return b.astray(ctx, apps) == "" })
	b.meddle(apps)
	astray := ""
	b.eventually("all is repaired", func(ctx context.Context) bool { astray = b.astray(ctx, apps); return astray == "" })

	// Every owner is woken once more, by what makes no difference.
	requests.Reset()
	before := passes.Load()
	for _, app := range apps {
		patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"woken":"yes"}}}`))
		if err := b.User.Patch(t.Context(), app, patch); err != nil {
			t.Fatal(err)
		}
	}
	b.eventually("all have had their pass", func(context.Context) bool { return passes.Load() >= before+stressOwners })
	for _, request := range requests.All() {
		if request.Resource != "leases" && request.Verb != "watch" {
			t.Errorf("a converged owner sent %+v", request)
		}
	}

	for _, app := range apps {
		if err := b.User.Delete(t.Context(), app); err != nil {
			t.Fatal(err)
		}
	}
	b.eventually("nothing that was shared is left", func(ctx context.Context) bool {
		for i := range 10 {
			common := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("common-%d", i), Namespace: b.namespace}}
			if !apierrors.IsNotFound(b.User.Get(ctx, clientKey(common), common)) {
				return false
			}
		}
		return true
	})
}

// meddle changes what the owners' steps own, several clients at once.
func (b *bench) meddle(apps []*v1.MyApp) {
	b.Helper()
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for round := range stressRounds {
				for i := worker; i < len(apps); i += 4 {
					b.meddleWith(apps[i].Name, round)
				}
			}
		})
	}
	group.Wait()
}

// meddleWith changes what the steps of an owner own: plainly, as stringData, in
// order only, through an admission policy and as the same field manager.
func (b *bench) meddleWith(name string, round int) {
	b.Helper()
	for _, change := range []struct {
		object client.Object
		name   string
		patch  string
	}{
		{&corev1.ConfigMap{}, name, fmt.Sprintf(`{"data":{"image":"theirs-%d"}}`, round)},
		{&corev1.ConfigMap{}, name + "-poked", fmt.Sprintf(`{"metadata":{"labels":{"poke":"%d"}}}`, round)},
		{&corev1.Secret{}, name, fmt.Sprintf(`{"stringData":{"image":"theirs-%d"}}`, round)},
		{&corev1.Service{}, name, `{"spec":{"ports":[{"name":"b","port":81},{"name":"a","port":80}]}}`},
	} {
		change.object.SetName(change.name)
		change.object.SetNamespace(b.namespace)
		if err := b.User.Patch(b.Context(), change.object, client.RawPatch(types.MergePatchType, []byte(change.patch))); err != nil {
			b.Errorf("meddle: %v", err)
		}
	}
	applied := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name + "-applied", Namespace: b.namespace}}
	if err := b.User.Get(b.Context(), clientKey(applied), applied); err != nil {
		b.Errorf("meddle: %v", err)
		return
	}
	other := applyOf(b.T, applied, fmt.Sprintf("theirs-%d", round))
	if err := b.User.Apply(b.Context(), other, client.FieldOwner("stress"), client.ForceOwnership); err != nil {
		b.Errorf("meddle: %v", err)
	}
}

// meddleWhenPoked has an admission policy change a ConfigMap whose label poke is
// set to another value, and waits until it is in force.
func (b *bench) meddleWhenPoked() {
	b.Helper()
	b.mutate("poke", `has(object.metadata.labels) && has(object.metadata.labels.poke) && (oldObject == null ||
		!has(oldObject.metadata.labels) || !has(oldObject.metadata.labels.poke) || oldObject.metadata.labels.poke != object.metadata.labels.poke)`,
		`Object{data: {"image": "mutated"}}`)
	b.eventually("the policy is in force", func(ctx context.Context) bool {
		probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			GenerateName: "probe-", Namespace: b.namespace, Labels: map[string]string{"poke": "yes"},
		}}
		if err := b.User.Create(ctx, probe); err != nil {
			b.Fatal(err)
		}
		return probe.Data["image"] == "mutated"
	})
}

// astray returns what is not as desired, "" if all is.
func (b *bench) astray(ctx context.Context, apps []*v1.MyApp) string {
	var faults []string
	for _, app := range apps {
		config, secret, service, common := &corev1.ConfigMap{}, &corev1.Secret{}, &corev1.Service{}, &corev1.ConfigMap{}
		poked, applied := &corev1.ConfigMap{}, &corev1.ConfigMap{}
		named := func(name string) client.ObjectKey { return client.ObjectKey{Namespace: b.namespace, Name: name} }
		for object, key := range map[client.Object]client.ObjectKey{
			config: clientKey(app), secret: clientKey(app), service: clientKey(app),
			poked: named(app.Name + "-poked"), applied: named(app.Name + "-applied"), common: named("common-" + app.Name[len(app.Name)-1:]),
		} {
			if err := b.User.Get(ctx, key, object); err != nil {
				faults = append(faults, err.Error())
			}
		}
		if config.Data["image"] != "img:1" || poked.Data["image"] != "img:1" || applied.Data["image"] != "img:1" || string(secret.Data["image"]) != "img:1" || common.Data[app.Name] != "img:1" ||
			len(service.Spec.Ports) != 2 || service.Spec.Ports[0].Name != "a" {
			faults = append(faults, app.Name)
		}
	}
	return strings.Join(faults, ", ")
}
