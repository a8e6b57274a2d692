package e2e

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// gust is how often a storm changes something.
const gust = 25 * time.Millisecond

// storm changes MyApps of a namespace.
type storm struct {
	*world
	namespace string
	apps      int
	chance    *rand.Rand
	changes   int
	cancel    context.CancelFunc
	over      sync.WaitGroup
	err       error // why it ended early
}

// brew makes a storm over so many MyApps, half of which are there.
func (w *world) brew(apps int, chance *rand.Rand) *storm {
	w.Helper()
	s := &storm{world: w, namespace: w.namespace(), apps: apps, chance: rand.New(rand.NewPCG(chance.Uint64(), 0))}
	for i := range apps / 2 {
		w.create(s.namespace, s.name(i), s.spec())
	}
	return s
}

// namespace returns a new namespace that has the Secret which MyApps refer to. It is
// gone after the test, unless there is no controller to empty it: then it goes with the
// cluster, as to delete very much by hand takes longer than to make it.
func (w *world) namespace() string {
	w.Helper()
	var name string
	if *bareFlag {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "bare-"}}
		w.must(w.client.Create(w.ctx, namespace))
		name = namespace.Name
	} else {
		name = w.env.Namespace(w.T)
	}
	w.must(w.client.Create(w.ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: "settings"}, StringData: map[string]string{"TOKEN": "1"},
	}))
	return name
}

func (s *storm) name(i int) string { return fmt.Sprintf("app-%d", i) }

// blow has the storm begin.
func (s *storm) blow() {
	ctx, cancel := context.WithCancel(s.ctx)
	s.cancel = cancel
	s.over.Go(func() {
		ticker := time.NewTicker(gust)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if s.err = s.change(); s.err != nil {
				return
			}
			s.changes++
		}
	})
	s.Cleanup(func() { cancel(); s.over.Wait() })
}

// calm ends the storm.
func (s *storm) calm() {
	s.Helper()
	s.cancel()
	s.over.Wait()
	s.must(s.err)
}

// change deletes one MyApp, or makes it another one, or creates it.
func (s *storm) change() error {
	app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: s.name(s.chance.IntN(s.apps))}}
	if s.chance.IntN(8) == 0 {
		return client.IgnoreNotFound(s.client.Delete(s.ctx, app))
	}
	err := s.client.Get(s.ctx, client.ObjectKeyFromObject(app), app)
	if apierrors.IsNotFound(err) {
		app.Spec = s.spec()
		return s.client.Create(s.ctx, app)
	}
	if err != nil {
		return err
	}
	app.Spec = s.spec()
	if err := s.client.Update(s.ctx, app); !apierrors.IsConflict(err) {
		return client.IgnoreNotFound(err)
	}
	return nil
}

// spec is any that a MyApp may have, with each optional part half of the time.
func (s *storm) spec() v1.MyAppSpec {
	spec := everything()
	maybe := func(leave func()) {
		if s.chance.IntN(2) == 0 {
			leave()
		}
	}
	spec.Image = fmt.Sprintf("img:%d", s.chance.IntN(3))
	spec.Port = int32(8080 + s.chance.IntN(2))
	spec.Replicas = new(int32(s.chance.IntN(2)))
	spec.Ingress.Host = fmt.Sprintf("host-%d.example.com", s.chance.IntN(3))
	spec.Config = map[string]string{"app.conf": fmt.Sprint(s.chance.IntN(3))}
	maybe(func() { spec.Probes = nil })
	maybe(func() { spec.Resources = corev1.ResourceRequirements{} })
	maybe(func() { spec.Env = nil })
	maybe(func() { spec.Config = nil })
	maybe(func() { spec.SecretName = "" })
	maybe(func() { spec.Spread = "" })
	maybe(func() { spec.Ingress = nil })
	maybe(func() { spec.Autoscaling = nil })
	maybe(func() { spec.Disruption = nil })
	maybe(func() { spec.ServiceAccount = nil })
	maybe(func() { spec.NetworkPolicy = nil })
	return spec
}

// everything has all that a MyApp may ask for.
func everything() v1.MyAppSpec {
	return v1.MyAppSpec{
		Image: "img:1", Replicas: new(int32(1)), Port: 8080,
		Probes: &v1.Probes{Path: "/ready"},
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1m")},
		},
		Env:            []v1.EnvVar{{Name: "MODE", Value: "production"}},
		Config:         map[string]string{"app.conf": "a=1"},
		SecretName:     "settings",
		Spread:         v1.SpreadZone,
		Ingress:        &v1.Ingress{Host: "web.example.com", ClassName: new("nginx"), TLSSecretName: "web-tls"},
		Autoscaling:    &v1.Autoscaling{MinReplicas: new(int32(1)), MaxReplicas: 3},
		Disruption:     &v1.Disruption{},
		ServiceAccount: &v1.ServiceAccount{Annotations: map[string]string{"cloud.example.com/role": "web"}},
		NetworkPolicy:  &v1.NetworkPolicy{FromNamespaces: []string{"ingress"}},
	}
}

// wanted returns the MyApps that are there and are to stay.
func (s *storm) wanted() map[string]v1.MyAppSpec {
	s.Helper()
	wanted := map[string]v1.MyAppSpec{}
	for name, app := range s.look(s.namespace).apps {
		if app.DeletionTimestamp == nil {
			wanted[name] = app.Spec
		}
	}
	return maps.Clone(wanted)
}
