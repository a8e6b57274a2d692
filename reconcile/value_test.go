package reconcile_test

import (
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/trueup-dev/trueup/reconcile"
)

func TestAValueLivesForOnePass(t *testing.T) {
	value, other := reconcile.NewValue[int](), reconcile.NewValue[int]()
	first, second := newRun(t), newRun(t)
	if _, ok := value.Get(first); ok {
		t.Error("a value that nobody set is there")
	}
	value.Set(first, 1)
	value.Set(first, 2)
	if got, ok := value.Get(first); !ok || got != 2 {
		t.Errorf("Get = %d, %v; want what was set last", got, ok)
	}
	if got := value.SetOnce(first, 3); got != 2 {
		t.Errorf("SetOnce = %d, want what was there", got)
	}
	if got := other.SetOnce(second, 3); got != 3 {
		t.Errorf("SetOnce = %d, want what was given", got)
	}
	if _, ok := value.Get(second); ok {
		t.Error("another pass sees the value")
	}
	if _, ok := other.Get(first); ok {
		t.Error("another handle sees the value")
	}
}

func TestAMemoLivesAsLongAsItsObject(t *testing.T) {
	env := reconcile.Environment{Client: fake.NewClientBuilder().Build(), Memory: reconcile.NewMemory()}
	pass := func(name string, uid types.UID) run {
		pass, err := reconcile.NewRun(env, "test", &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "b", UID: uid}})
		if err != nil {
			t.Fatal(err)
		}
		return pass
	}
	memo := reconcile.NewMemo[string]()
	memo.Set(pass("a", "1"), "x")
	if got, ok := memo.Get(pass("a", "1")); !ok || got != "x" {
		t.Errorf("Get = %q, %v; want what an earlier pass set", got, ok)
	}
	if _, ok := memo.Get(pass("b", "2")); ok {
		t.Error("another object has the memo")
	}
	if _, ok := memo.Get(pass("a", "3")); ok {
		t.Error("another object of the same name has the memo")
	}
	memo.Set(pass("a", "3"), "y")
	memo.Clear(pass("a", "3"))
	if _, ok := memo.Get(pass("a", "3")); ok {
		t.Error("a cleared memo is there")
	}
	env.Memory.Forget(client.ObjectKey{Namespace: "b", Name: "a"})
	env.Memory.Forget(client.ObjectKey{Namespace: "b", Name: "b"})
	if env.Memory.Len() != 0 {
		t.Errorf("%d objects are remembered, want none", env.Memory.Len())
	}
}

// Objects of different kinds may have the same name in a memory that is shared.
func TestControllersShareAMemory(t *testing.T) {
	env := reconcile.Environment{Client: fake.NewClientBuilder().Build(), Memory: reconcile.NewMemory()}
	memo := reconcile.NewMemo[string]()
	about := metav1.ObjectMeta{Name: "a", Namespace: "b", UID: "1"}
	config := func() reconcile.Pass {
		pass, err := reconcile.NewRun(env, "test", &corev1.ConfigMap{ObjectMeta: about})
		if err != nil {
			t.Fatal(err)
		}
		return pass
	}
	secret := func() reconcile.Pass {
		about := about
		about.UID = "2"
		pass, err := reconcile.NewRun(env, "test", &corev1.Secret{ObjectMeta: about})
		if err != nil {
			t.Fatal(err)
		}
		return pass
	}
	memo.Set(config(), "config")
	memo.Set(secret(), "secret")
	for want, pass := range map[string]reconcile.Pass{"config": config(), "secret": secret()} {
		if got, ok := memo.Get(pass); !ok || got != want {
			t.Errorf("Get = %q, %v; want %q: the other has taken its place", got, ok, want)
		}
	}
	if got := env.Memory.Len(); got != 2 {
		t.Errorf("%d objects are remembered, want 2", got)
	}
	env.Memory.Forget(client.ObjectKey{Namespace: "b", Name: "a"})
	if got := env.Memory.Len(); got != 0 {
		t.Errorf("%d objects are remembered, want none", got)
	}
}

func TestValuesAndMemosAreSafeForConcurrentUse(t *testing.T) {
	pass := newRun(t)
	value, memo := reconcile.NewValue[int](), reconcile.NewMemo[int]()
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			for range 100 {
				value.Set(pass, i)
				memo.Set(pass, i)
				value.Get(pass)
				memo.Get(pass)
				memo.Clear(pass)
			}
		})
	}
	group.Wait()
}
