package resources_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// secretOf names the Secret that a MyApp refers to, by annotation. It may be of
// another namespace.
func secretOf(app *v1.MyApp) *corev1.Secret {
	name := app.Annotations["secret"]
	secret := &corev1.Secret{}
	if namespace, rest, ok := strings.Cut(name, "/"); ok {
		secret.Namespace, name = namespace, rest
	}
	secret.Name = name
	return secret
}

func (b *bench) refersTo(name string) { b.app.Annotations = map[string]string{"secret": name} }

func (b *bench) secret(name string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: b.namespace},
		Data:       map[string][]byte{"password": []byte("a")},
	}
}

// hash runs the step and returns the hash of what it refers to.
func hash(b *bench, of func(*reconcile.Run[*v1.MyApp]) (string, bool)) string {
	b.Helper()
	_, run, err := b.run()
	if err != nil {
		b.Fatal(err)
	}
	got, ok := of(run)
	if !ok || len(got) != 16 {
		b.Fatalf("hash = %q, %v; want 16 characters", got, ok)
	}
	return got
}

func TestReferenceWaitsForItsObject(t *testing.T) {
	step := resources.Reference(secretOf)
	b := newBench(t, step)
	b.want("none is referred to", reconcile.Continue)
	b.refersTo("creds")
	b.want("it does not exist", reconcile.Wait("NotFound", "Secret "+b.namespace+"/creds does not exist"))
	if _, run, _ := b.run(); run != nil {
		if _, ok := step.Observed(run); ok {
			t.Error("observed what is not there")
		}
		if _, ok := step.Hash(run); ok {
			t.Error("hashed what is not there")
		}
	}
	secret := b.secret("creds")
	b.create(secret)
	b.caughtUp(secret)
	b.want("it is there", reconcile.Continue)

	_, run, _ := b.run()
	seen, ok := step.Observed(run)
	if !ok || seen.UID != secret.UID {
		t.Fatalf("observed %v, %v; want the Secret", seen, ok)
	}
	seen.Data["password"][0] = 'x'
	if _, run, _ = b.run(); string(must(step.Observed(run)).Data["password"]) != "a" {
		t.Error("what was observed is not the caller's own")
	}
	b.quiet(secret)

	if err := b.User.Delete(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	b.caughtUp(secret)
	b.want("it is gone again", reconcile.Wait("NotFound", "Secret "+b.namespace+"/creds does not exist"))
}

func must[V any](v V, ok bool) V {
	if !ok {
		panic("there is none")
	}
	return v
}

func TestReferenceThatIsBeingDeletedIsStillThere(t *testing.T) {
	b := newBench(t, resources.Reference(secretOf))
	b.refersTo("creds")
	secret := b.secret("creds")
	secret.Finalizers = []string{"example.com/hold"}
	b.create(secret)
	if err := b.User.Delete(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	b.caughtUp(secret)
	b.want("its content can be read", reconcile.Continue)
	b.get(secret)
	secret.Finalizers = nil
	b.update(secret)
}

func TestOptionalReference(t *testing.T) {
	step := resources.Reference(secretOf).Keys("password").Optional()
	b := newBench(t, step)
	b.refersTo("creds")
	b.want("it does not exist", reconcile.Continue)
	secret := b.secret("creds")
	secret.Data = nil
	b.create(secret)
	b.caughtUp(secret)
	b.want("it has not the key", reconcile.Continue)
}

func TestReferenceToAnotherNamespace(t *testing.T) {
	other := newBench(t, resources.Reference(secretOf))
	secret := other.secret("creds")
	other.create(secret)
	b := newBenchIn(t, []string{other.namespace}, resources.Reference(secretOf))
	b.refersTo(other.namespace + "/creds")
	b.caughtUp(secret)
	b.want("it is there", reconcile.Continue)
	b.refersTo(other.namespace + "/none")
	b.want("it is not there", reconcile.Wait("NotFound", "Secret "+other.namespace+"/none does not exist"))
}

func TestReferenceToSomethingWithoutANamespace(t *testing.T) {
	step := resources.Reference(func(app *v1.MyApp) *storagev1.StorageClass {
		return &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: app.Namespace}}
	})
	b := newBench(t, step)
	b.want("it does not exist", reconcile.Wait("NotFound", "StorageClass "+b.namespace+" does not exist"))
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: b.namespace}, Provisioner: "example.com/a"}
	b.create(class)
	t.Cleanup(func() { _ = b.User.Delete(t.Context(), class) })
	b.caughtUp(class)
	b.want("it is there", reconcile.Continue)
	hash(b, step.Hash)
}

func TestReferenceWaitsUntilItsObjectIsReady(t *testing.T) {
	step := resources.Reference(func(app *v1.MyApp) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: app.Name}}
	}).Named("backend").ReadyWhen(resources.ReadinessOf)
	b := newBench(t, step)
	child, _ := desiredDeployment(b.app)
	child.Namespace = b.namespace
	b.create(child)
	b.caughtUp(child)
	b.want("it is not rolled out", reconcile.Wait("LatestGenerationNotObserved",
		"Deployment "+b.namespace+"/web: its controller has not seen its latest generation yet"))
	child.Status = appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1}
	if err := b.User.Status().Update(t.Context(), child); err != nil {
		t.Fatal(err)
	}
	b.caughtUp(child)
	b.want("it is rolled out", reconcile.Continue)
	b.quiet(child)
}
