package e2e

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// count returns how many objects there are of the kinds that the operator makes,
// without reading them: to look at many now and then would be more work than what
// is looked at.
func (w *world) count(namespace string) int {
	w.Helper()
	count := 0
	for _, kind := range kinds {
		count += w.countOf(namespace, kind)
	}
	return count
}

func (w *world) countOf(namespace string, kind schema.GroupVersionKind) int {
	w.Helper()
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	w.must(w.client.List(w.ctx, list, client.InNamespace(namespace), client.Limit(1)))
	if rest := list.GetRemainingItemCount(); rest != nil {
		return len(list.Items) + int(*rest)
	}
	return len(list.Items)
}

// awaitCount waits until there are so many objects.
func (w *world) awaitCount(namespace string, want int) {
	w.Helper()
	w.awaitNowAndThen(fmt.Sprintf("there are %d objects", want), func() error {
		if is := w.count(namespace); is != want {
			return fmt.Errorf("there are %d", is)
		}
		return nil
	})
}

// awaitNone waits until there are no MyApps.
func (w *world) awaitNone(namespace string) {
	w.Helper()
	w.awaitNowAndThen("there are no MyApps", func() error {
		if is := w.countOf(namespace, v1.GroupVersion.WithKind("MyApp")); is > 0 {
			return fmt.Errorf("there are %d", is)
		}
		return nil
	})
}
