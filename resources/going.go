package resources

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// going is the outcome while children are being deleted. It names the first of
// them, and what keeps each: the same words as long as the same keeps them.
func (e *engine[T, C]) going(children []C) reconcile.Result {
	const named = 3
	slices.SortFunc(children, func(a, b C) int {
		return strings.Compare(client.ObjectKeyFromObject(a).String(), client.ObjectKeyFromObject(b).String())
	})
	var words []string
	for _, child := range children[:min(named, len(children))] {
		words = append(words, e.named(child)+" is being deleted"+e.keptBy(child))
	}
	if more := len(children) - named; more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return reconcile.Wait("Deleting", strings.Join(words, "; "))
}

// keptBy says what keeps a child that is being deleted.
func (e *engine[T, C]) keptBy(child C) string {
	var holders []string
	foreground := e.policy == Foreground
	for _, name := range child.GetFinalizers() {
		switch name {
		case metav1.FinalizerDeleteDependents:
			foreground = true
		case metav1.FinalizerOrphanDependents:
		default:
			holders = append(holders, name)
		}
	}
	slices.Sort(holders)
	var words string
	if foreground {
		words = " after what it owns"
	}
	switch len(holders) {
	case 0:
		return words
	case 1:
		return words + ", held by the finalizer " + holders[0]
	}
	return words + ", held by the finalizers " + strings.Join(holders, " and ")
}
