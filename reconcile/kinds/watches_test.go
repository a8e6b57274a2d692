package kinds_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/reconcile/kinds"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

func TestMain(m *testing.M) {
	cluster.Main(m, cluster.Options{CRDPaths: []string{"../../examples/myapp/config/crd/bases"}})
}

// kindNamed returns a kind of the tests' own.
func kindNamed(name string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "runtime.example.com", Version: "v1", Kind: name}
}

func crdOf(kind schema.GroupVersionKind) *apiextensionsv1.CustomResourceDefinition {
	plural := strings.ToLower(kind.Kind) + "s"
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + kind.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: kind.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Plural: plural, Singular: strings.ToLower(kind.Kind), Kind: kind.Kind, ListKind: kind.Kind + "List",
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: kind.Version, Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", XPreserveUnknownFields: ptr.To(true),
				}},
			}},
		},
	}
}

// site is a controller that keeps for each app an object of the kind that the
// annotation names.
type site struct {
	*testing.T
	user      client.Client
	watches   *kinds.Watches
	namespace string
}

func newSite(t *testing.T, limit int) *site {
	t.Helper()
	return newSiteOf(t, limit, &v1.MyApp{})
}

// newSiteOf is a site whose owners are like the prototype.
func newSiteOf[T client.Object](t *testing.T, limit int, prototype T) *site {
	t.Helper()
	shared := cluster.Shared(t)
	scheme := kruntime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme), v1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	s := &site{T: t, namespace: shared.Namespace(t)}
	var err error
	if s.user, err = client.New(shared.Config(), client.Options{Scheme: scheme}); err != nil {
		t.Fatal(err)
	}
	mgr := steptest.NewManager(t, shared.Config(), scheme, s.namespace)
	s.watches = kinds.New(mgr, prototype).Limit(limit).In(s.namespace)
	pipeline := reconcile.NewPipeline(strings.ToLower(t.Name()), reconcile.Func("child", keep[T](s))).For(prototype)
	if err := pipeline.SetupWithManager(mgr, func(b *builder.Builder) { b.WatchesRawSource(s.watches.Source()) }); err != nil {
		t.Fatal(err)
	}
	steptest.StartManager(t, mgr)
	return s
}

// keep makes the object, and makes it again when it has gone.
func keep[T client.Object](s *site) reconcile.Action[T] {
	return func(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
		owner := run.Object()
		key := client.ObjectKeyFromObject(owner)
		name := owner.GetAnnotations()["kind"]
		if name == "" {
			return reconcile.Continue, s.watches.Need(ctx, key)
		}
		err := s.watches.Need(ctx, key, kindNamed(name))
		if meta.IsNoMatchError(err) {
			return reconcile.Wait("KindNotInstalled", err.Error()).After(100 * time.Millisecond), nil
		}
		if err != nil {
			return reconcile.Result{}, err
		}
		child := object(kindNamed(name), key)
		if err := s.watches.Get(ctx, key, child); !apierrors.IsNotFound(err) {
			return reconcile.Continue, err
		}
		child = object(kindNamed(name), key)
		if err := controllerutil.SetControllerReference(owner, child, run.Scheme()); err != nil {
			return reconcile.Result{}, err
		}
		return reconcile.Continue, client.IgnoreAlreadyExists(run.Client().Create(ctx, child, reconcile.CauseCreated))
	}
}

func object(kind schema.GroupVersionKind, key client.ObjectKey) *unstructured.Unstructured {
	child := &unstructured.Unstructured{}
	child.SetGroupVersionKind(kind)
	child.SetNamespace(key.Namespace)
	child.SetName(key.Name)
	return child
}

func (s *site) eventually(what string, met func(context.Context) bool) {
	s.Helper()
	err := wait.PollUntilContextTimeout(s.Context(), 20*time.Millisecond, 40*time.Second, true,
		func(ctx context.Context) (bool, error) { return met(ctx), nil })
	if err != nil {
		s.Fatalf("%s: %v; watched are %v", what, err, s.watches.Kinds())
	}
}

func (s *site) watched(want ...string) func(context.Context) bool {
	return func(context.Context) bool {
		got := s.watches.Kinds()
		if len(got) != len(want) {
			return false
		}
		for _, kind := range got {
			found := false
			for _, name := range want {
				found = found || kindNamed(name) == kind
			}
			if !found {
				return false
			}
		}
		return true
	}
}

func (s *site) exists(kind, name string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		key := client.ObjectKey{Namespace: s.namespace, Name: name}
		return s.user.Get(ctx, key, object(kindNamed(kind), key)) == nil
	}
}

func (s *site) install(name string) {
	s.Helper()
	if err := s.user.Create(s.Context(), crdOf(kindNamed(name))); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = s.user.Delete(context.WithoutCancel(s.Context()), crdOf(kindNamed(name))) })
}

func (s *site) create(name, kind string) {
	s.Helper()
	object := &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.namespace, Annotations: map[string]string{"kind": kind}},
		Spec:       v1.MyAppSpec{Image: "img:1"},
	}
	if err := s.user.Create(s.Context(), object); err != nil {
		s.Fatal(err)
	}
}

func (s *site) change(name, kind string) {
	s.Helper()
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"kind":%q}}}`, kind)
	object := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.namespace}}
	if err := s.user.Patch(s.Context(), object, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
		s.Fatal(err)
	}
}

// reflectors returns how many goroutines list and watch something.
func reflectors() int {
	stacks := make([]byte, 16<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "cache.(*Reflector).RunWithContext(")
}

// A kind is watched from when an object needs it, also if its CRD comes later, is
// removed and comes back, until no object needs it; then nothing is left of it.
func TestAKindIsWatchedAsLongAsItIsNeeded(t *testing.T) {
	s := newSite(t, 2)
	s.create("a", "")
	s.eventually("the controller runs", s.watched())
	before := 0
	s.eventually("nothing is watched but the owners", func(context.Context) bool { before = reflectors(); return before > 0 })

	s.install("Early")
	s.change("a", "Early")
	s.eventually("the child is made", s.exists("Early", "a"))
	child := object(kindNamed("Early"), client.ObjectKey{Namespace: s.namespace, Name: "a"})
	if err := s.user.Delete(t.Context(), child); err != nil {
		t.Fatal(err)
	}
	s.eventually("its deletion wakes the owner, which makes it again", s.exists("Early", "a"))

	s.create("b", "Late")
	s.install("Late")
	s.eventually("the child of the late kind is made", s.exists("Late", "b"))
	s.eventually("both are watched", s.watched("Early", "Late"))

	s.create("c", "Early")
	s.eventually("another one needs it too", s.exists("Early", "c"))
	s.change("a", "")
	s.change("b", "Early")
	s.eventually("the late kind is let go, the other is still needed", s.watched("Early"))

	if err := s.user.Delete(t.Context(), crdOf(kindNamed("Early"))); err != nil {
		t.Fatal(err)
	}
	s.eventually("the kind is gone, and not watched", s.watched())
	s.eventually("it can be made again", func(ctx context.Context) bool {
		return s.user.Create(ctx, crdOf(kindNamed("Early"))) == nil
	})
	s.eventually("it is there again, and so is the child", s.exists("Early", "c"))

	for _, name := range []string{"a", "b", "c"} {
		if err := s.user.Delete(t.Context(), &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.namespace}}); err != nil {
			t.Fatal(err)
		}
	}
	s.eventually("nobody needs anything", s.watched())
	s.eventually("no goroutine is left", func(context.Context) bool { return reflectors() == before })
}

// There are never more watches than the limit allows; what was needed before stays.
func TestTheNumberOfWatchesIsBounded(t *testing.T) {
	s := newSite(t, 1)
	s.install("First")
	s.install("Second")
	s.create("a", "First")
	s.eventually("the first is watched", s.exists("First", "a"))
	s.create("b", "Second")
	s.eventually("the second has to wait", func(context.Context) bool {
		return s.watches.Need(s.Context(), client.ObjectKey{Namespace: s.namespace, Name: "b"}, kindNamed("Second")) != nil
	})
	if !s.watched("First")(t.Context()) {
		t.Errorf("watched are %v", s.watches.Kinds())
	}
	s.change("a", "")
	s.eventually("there is room", s.exists("Second", "b"))
}

// An owner of which there is no Go type, and children of which there is none either.
func TestAnOwnerWithoutAGoType(t *testing.T) {
	s := newSiteOf(t, 1, object(v1.GroupVersion.WithKind("MyApp"), client.ObjectKey{}))
	s.install("Third")
	s.create("a", "Third")
	s.eventually("the child is made", s.exists("Third", "a"))
	child := object(kindNamed("Third"), client.ObjectKey{Namespace: s.namespace, Name: "a"})
	if err := s.user.Delete(t.Context(), child); err != nil {
		t.Fatal(err)
	}
	s.eventually("its deletion wakes the owner, which makes it again", s.exists("Third", "a"))
	if err := s.user.Delete(t.Context(), &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: s.namespace}}); err != nil {
		t.Fatal(err)
	}
	s.eventually("nobody needs anything", s.watched())
}
