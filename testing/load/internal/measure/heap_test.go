package measure

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/trueup-dev/trueup/reconcile"
)

// TestHeld lets a memory hold something of a known size.
func TestHeld(t *testing.T) {
	const objects, size = 200, 16 << 10
	memory := reconcile.NewMemory()
	environment := reconcile.Environment{Client: fake.NewFakeClient(), Memory: memory}
	memo := reconcile.NewMemo[[]byte]()
	var keys []types.NamespacedName
	for i := range objects {
		key := types.NamespacedName{Namespace: "ns", Name: fmt.Sprintf("object-%d", i)}
		keys = append(keys, key)
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, UID: types.UID(key.Name)}}
		run, err := reconcile.NewRun(environment, "test", object)
		if err != nil {
			t.Fatal(err)
		}
		memo.Set(run, make([]byte, size))
	}
	environment.Memory = nil
	held := Held(&memory, keys) / objects
	if held < size || held > size+4096 {
		t.Errorf("held %d bytes for each object, want %d and a little", held, size)
	}
	if memory != nil {
		t.Error("the memory is still there")
	}
}
