package controller_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/internal/controller"
	"github.com/trueup-dev/trueup/examples/myapp/internal/dns"
	"github.com/trueup-dev/trueup/examples/myapp/lives"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// full asks for everything that an app may have.
func full(spec *v1.MyAppSpec) {
	spec.Probes = &v1.Probes{Path: "/ready"}
	spec.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}
	spec.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64Mi")}
	spec.Env = []v1.EnvVar{{Name: "MODE", Value: "production"}, {Name: "GREETING", Value: "hello from $(MODE)"}}
	spec.Config = map[string]string{"app.conf": "a=1"}
	spec.SecretName = "settings"
	spec.NodeSelector = map[string]string{"kubernetes.io/os": "linux"}
	spec.Spread = v1.SpreadZone
	spec.Ingress = &v1.Ingress{Host: "web.example.com", ClassName: new("nginx"), TLSSecretName: "web-tls"}
	spec.Autoscaling = &v1.Autoscaling{MinReplicas: new(int32(2)), MaxReplicas: 5, CPUPercent: 70}
	spec.Disruption = &v1.Disruption{}
	spec.ServiceAccount = &v1.ServiceAccount{Annotations: map[string]string{"cloud.example.com/role": "web"}}
	spec.NetworkPolicy = &v1.NetworkPolicy{FromNamespaces: []string{"ingress", "monitoring"}}
}

// otherwise asks for what each part may be instead.
func otherwise(spec *v1.MyAppSpec) {
	spec.Port = 9090
	spec.Spread = v1.SpreadNode
	spec.Ingress = &v1.Ingress{Host: "web.example.com"}
	spec.Autoscaling = &v1.Autoscaling{MaxReplicas: 3}
	spec.Disruption = &v1.Disruption{MaxUnavailable: new(int32(0))}
	spec.ServiceAccount = &v1.ServiceAccount{}
	spec.NetworkPolicy = &v1.NetworkPolicy{}
}

// each is what either of the two has.
var each = []string{
	"ServiceAccount", "Deployment", "Service", "Ingress", "HorizontalPodAutoscaler", "PodDisruptionBudget", "NetworkPolicy",
}

// TestWhatPartsAre says, in golden files, what each part that an app may have is.
func TestWhatPartsAre(t *testing.T) {
	kinds, err := lives.Kinds()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		ask    func(*v1.MyAppSpec)
		golden string
		made   []string // in this order
	}{
		"everything": {full, "testdata/everything.yaml", append([]string{"ConfigMap"}, each...)},
		"otherwise":  {otherwise, "testdata/otherwise.yaml", each},
	} {
		t.Run(name, func(t *testing.T) {
			app := lives.App()
			test.ask(&app.Spec)
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "settings"}, Data: map[string][]byte{"TOKEN": []byte("1")}}
			writes, events := []string{"patch myapps demo/web"}, []string{}
			for _, kind := range test.made {
				plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: kind})
				writes = append(writes, "apply "+plural.Resource+" demo/web")
				events = append(events, "Normal Created: created "+kind+" web")
			}
			writes = append(writes, "patch myapps/status demo/web")
			steptest.Case{
				Reason: "each part is made once, as the golden file has it, and a second pass sends nothing",
				Kinds:  kinds,
				Setup:  func(mgr ctrl.Manager) error { return controller.NewPipeline(dns.NewZone()).SetupWithManager(mgr) },
				Given:  []client.Object{app, secret},
				Want:   steptest.Want{Writes: writes, Events: events, Golden: test.golden},
			}.Run(t)
		})
	}
}

// An app with everything runs where only pods are admitted that keep to the restricted
// standard.
func TestEverythingIsRestricted(t *testing.T) {
	w := newWorld(t)
	w.must(w.client.Create(w.ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: w.namespace}, StringData: map[string]string{"TOKEN": "1"},
	}))
	app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: w.namespace}, Spec: v1.MyAppSpec{Image: image}}
	full(&app.Spec)
	w.must(w.client.Create(w.ctx, app))
	w.awaitCondition(app, "DeploymentReady", metav1.ConditionTrue, "Ready")
	pods := &corev1.PodList{}
	w.must(w.client.List(w.ctx, pods, client.InNamespace(w.namespace), client.MatchingLabels{"app.kubernetes.io/instance": "web"}))
	if len(pods.Items) == 0 {
		t.Fatal("there is no pod")
	}
	for i := range pods.Items {
		spec := &pods.Items[i].Spec
		if spec.ServiceAccountName != "web" || len(spec.Containers[0].VolumeMounts) != 1 || len(spec.Containers[0].EnvFrom) != 1 {
			t.Errorf("pod %s has not everything, or more: %+v", pods.Items[i].Name, spec)
		}
	}
}
