package world

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// Eventually waits for what the controllers of the cluster do, and says whether
// they have.
func (w *World) Eventually(met func() bool) bool {
	w.t.Helper()
	const patience = 30 * time.Second
	err := wait.PollUntilContextTimeout(w.Context(), 20*time.Millisecond, patience, true,
		func(context.Context) (bool, error) { return met(), nil })
	w.change()
	return err == nil
}

// Sweep waits until the garbage collector has taken an object whose owner is
// absent, and so any other that it was to take.
func (w *World) Sweep() {
	w.t.Helper()
	bait := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: "bait", Namespace: w.Namespace,
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "absent", UID: "absent"}},
	}}
	w.Must(w.User.Create(w.Context(), bait))
	if !Gone[corev1.ConfigMap](w, "bait") {
		w.t.Fatal("the garbage collector does not collect")
	}
}
