package resources_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// The hash is a function of the content, not of anything else (C67).
func TestHashIsOfTheContent(t *testing.T) {
	step := resources.Reference(secretOf)
	b := newBench(t, step)
	b.refersTo("creds")
	secret := b.secret("creds")
	b.create(secret)
	b.caughtUp(secret)
	first := hash(b, step.Hash)

	change := func(reason string, same bool, what func()) {
		t.Helper()
		what()
		b.caughtUp(secret)
		if got := hash(b, step.Hash); (got == first) != same {
			t.Errorf("%s: the hash is %s, it was %s", reason, got, first)
		}
	}
	change("a label", true, func() {
		secret.Labels = map[string]string{"a": "b"}
		b.update(secret)
	})
	change("made again with the same content", true, func() {
		if err := b.User.Delete(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		secret = b.secret("creds")
		b.create(secret)
	})
	change("another value", false, func() {
		secret.Data["password"] = []byte("b")
		b.update(secret)
	})
	change("another key", false, func() {
		secret.Data = map[string][]byte{"password": []byte("a"), "user": nil}
		b.update(secret)
	})
	change("as it was", true, func() {
		secret.Data = map[string][]byte{"password": []byte("a")}
		b.update(secret)
	})
}

func TestHashOfChosenKeys(t *testing.T) {
	step := resources.Reference(secretOf).Keys("password", "user")
	b := newBench(t, step)
	b.refersTo("creds")
	secret := b.secret("creds")
	b.create(secret)
	b.caughtUp(secret)
	b.want("a key is missing", reconcile.Wait("KeyNotFound", "Secret "+b.namespace+`/creds has no key "user"`))
	secret.Data["user"] = []byte("me")
	b.update(secret)
	b.caughtUp(secret)
	b.want("both are there", reconcile.Continue)
	first := hash(b, step.Hash)
	secret.Data["other"] = []byte("x")
	b.update(secret)
	b.caughtUp(secret)
	if got := hash(b, step.Hash); got != first {
		t.Errorf("a key that was not chosen changed the hash from %s to %s", first, got)
	}
	secret.Data["user"] = []byte("you")
	b.update(secret)
	b.caughtUp(secret)
	if got := hash(b, step.Hash); got == first {
		t.Error("a key that was chosen did not change the hash")
	}
}

func TestHashWithoutAGoType(t *testing.T) {
	for kind, object := range map[string]client.Object{
		"Secret":    &corev1.Secret{Data: map[string][]byte{"a": {1, 2}}},
		"ConfigMap": &corev1.ConfigMap{Data: map[string]string{"a": "b"}, BinaryData: map[string][]byte{"c": {1, 2}}},
	} {
		t.Run(kind, func(t *testing.T) {
			untyped := resources.Reference(func(app *v1.MyApp) *unstructured.Unstructured {
				object := &unstructured.Unstructured{}
				object.SetName(app.Name)
				return object
			}).Kind(corev1.SchemeGroupVersion.WithKind(kind)).Keys("a")
			b := newBench(t, untyped)
			object.SetName("web")
			object.SetNamespace(b.namespace)
			b.create(object)
			// The cache of untyped objects is another than that of typed ones.
			b.eventually("the cache shows it", func(context.Context) bool {
				result, err := b.pass()
				return err == nil && result == reconcile.Continue
			})
			got := hash(b, untyped.Hash)
			var typed reconcile.Step[*v1.MyApp]
			var of func(*reconcile.Run[*v1.MyApp]) (string, bool)
			if kind == "Secret" {
				step := resources.Reference(func(app *v1.MyApp) *corev1.Secret {
					return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: app.Name}}
				}).Keys("a")
				typed, of = step, step.Hash
			} else {
				step := resources.Reference(func(app *v1.MyApp) *corev1.ConfigMap {
					return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Name}}
				}).Keys("a")
				typed, of = step, step.Hash
			}
			b.step = typed
			b.caughtUp(object)
			if want := hash(b, of); got != want {
				t.Errorf("the hash is %s without a Go type, %s with one", got, want)
			}
		})
	}
}

func TestHashOfASpec(t *testing.T) {
	step := resources.Reference(func(app *v1.MyApp) *v1.MyApp {
		return &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: app.Annotations["secret"]}}
	}).Named("other")
	b := newBench(t, step)
	b.refersTo("other")
	other := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "other", Namespace: b.namespace}, Spec: v1.MyAppSpec{Image: "img:1"}}
	b.create(other)
	b.caughtUp(other)
	first := hash(b, step.Hash)
	other.Status.Replicas = 3
	if err := b.User.Status().Update(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	b.caughtUp(other)
	if got := hash(b, step.Hash); got != first {
		t.Errorf("the status changed the hash from %s to %s", first, got)
	}
	other.Spec.Image = "img:2"
	b.update(other)
	b.caughtUp(other)
	if got := hash(b, step.Hash); got == first {
		t.Error("the spec did not change the hash")
	}
}
