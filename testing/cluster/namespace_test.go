package cluster

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

func TestNamespacePrefix(t *testing.T) {
	cases := map[string]struct{ test, want string }{
		"Plain":   {"TestThing", "testthing-"},
		"Sub":     {"TestThing/With_Case#01", "testthing-with-case-01-"},
		"Foreign": {"Tést", "t-st-"},
		"Nothing": {"///", "test-"},
		"Long":    {strings.Repeat("a", 100), strings.Repeat("a", 57) + "-"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := namespacePrefix(tc.test); got != tc.want {
				t.Errorf("want %s, got %s", tc.want, got)
			}
		})
	}
}

// TestNamespaceIsDeleted looks at a namespace after the test that it was for.
func TestNamespaceIsDeleted(t *testing.T) {
	cases := map[string]func(t *testing.T) *Cluster{
		"Whole":     func(t *testing.T) *Cluster { t.Helper(); return Shared(t) },
		"APIServer": apiServer,
	}
	for name, start := range cases {
		t.Run(name, func(t *testing.T) {
			c := start(t)
			client := clientFor(t, c.Config())
			custom, err := dynamic.NewForConfig(c.Config())
			if err != nil {
				t.Fatal(err)
			}
			namespace := ""
			t.Run("Inner", func(t *testing.T) {
				namespace = c.Namespace(t)
				if !strings.HasPrefix(namespace, "testnamespaceisdeleted-") {
					t.Errorf("the name should start with the test's, got %s", namespace)
				}
				if _, err := custom.Resource(widgets).Namespace(namespace).Create(t.Context(), newWidget("widget", 1), metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
				if _, err := client.CoreV1().Pods(namespace).Create(t.Context(), &corev1.Pod{
					ObjectMeta: metav1.ObjectMeta{Name: "pod"}, Spec: podTemplate("pod").Spec,
				}, metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			})
			eventually(t, "the namespace is gone", func(ctx context.Context) (bool, error) {
				_, err := client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
				return apierrors.IsNotFound(err), err
			})
			left, err := custom.Resource(widgets).List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, widget := range left.Items {
				if widget.GetNamespace() == namespace {
					t.Errorf("%s is left in a namespace that is gone", widget.GetName())
				}
			}
		})
	}
}

func TestNamespaceHasLabels(t *testing.T) {
	c := apiServer(t)
	client := clientFor(t, c.Config())
	cases := map[string]struct {
		labels []Labels
		want   map[string]string
	}{
		"None":  {nil, map[string]string{}},
		"Nil":   {[]Labels{nil}, map[string]string{}},
		"Some":  {[]Labels{{"a": "1", "b": "2"}}, map[string]string{"a": "1", "b": "2"}},
		"Later": {[]Labels{{"a": "1", "b": "2"}, {"b": "3"}}, map[string]string{"a": "1", "b": "3"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			namespace, err := client.CoreV1().Namespaces().Get(t.Context(), c.Namespace(t, tc.labels...), metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			delete(namespace.Labels, corev1.LabelMetadataName) // which the API server adds
			if diff := cmp.Diff(tc.want, namespace.Labels); diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNamespaceIsEmptiedQuietly listens to the warnings that clients are given
// when they ask for what is deprecated, as the emptying does for Endpoints.
func TestNamespaceIsEmptiedQuietly(t *testing.T) {
	c := apiServer(t)
	listener := &warnings{}
	rest.SetDefaultWarningHandlerWithContext(listener)
	defer rest.SetDefaultWarningHandlerWithContext(rest.WarningLogger{})
	if _, err := clientFor(t, c.Config()).CoreV1().Endpoints("default").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	if len(listener.heard) != 1 {
		t.Fatalf("want to hear that Endpoints are deprecated, heard %q", listener.heard)
	}
	t.Run("Inner", func(t *testing.T) { c.Namespace(t) })
	if more := listener.heard[1:]; len(more) > 0 {
		t.Errorf("heard %q", more)
	}
}

// warnings listens to the warnings of API servers. Not safe for concurrent use.
type warnings struct{ heard []string }

func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, _ int, _, text string) {
	w.heard = append(w.heard, text)
}

// TestNamespaceWithFinalizers keeps an object whose finalizer nobody removes.
func TestNamespaceWithFinalizers(t *testing.T) {
	c := apiServer(t)
	client := clientFor(t, c.Config())
	namespace := ""
	t.Run("Inner", func(t *testing.T) {
		namespace = c.Namespace(t)
		if _, err := client.CoreV1().ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "kept", Finalizers: []string{"example.com/kept"}},
		}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	})
	kept, err := client.CoreV1().ConfigMaps(namespace).Get(t.Context(), "kept", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if kept.DeletionTimestamp.IsZero() {
		t.Error("the object should be terminating")
	}
	left, err := client.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if left.Status.Phase != corev1.NamespaceTerminating {
		t.Errorf("the namespace should be terminating, is %s", left.Status.Phase)
	}
}
