package reconcile

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

type podPhase struct{ phase corev1.PodPhase }

func (podPhase) Describe() Description {
	return Description{Name: "phase", Kind: "test", Reporting: true}
}
func (s podPhase) Reconcile(_ context.Context, run *Run[*corev1.Pod]) (Result, error) {
	run.Object().Status.Phase = s.phase
	return Continue, nil
}
func (podPhase) Finalize(context.Context, *Run[*corev1.Pod]) (Result, error) { return Continue, nil }

// Only the event of exactly what the pass wrote, over what its steps have seen,
// is dropped.
func TestOnlyEchoesAreDropped(t *testing.T) {
	for name, test := range map[string]struct {
		reason     string
		overtaken  bool
		wantEchoed bool
	}{
		"undisturbed": {"the pass has seen all there is in it", false, true},
		"overtaken":   {"the steps have not seen what somebody else wrote meanwhile", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "b", UID: "1"}}
			server := fake.NewClientBuilder().WithObjects(pod).WithStatusSubresource(pod).Build()
			key := client.ObjectKeyFromObject(pod)
			step := Func("work", func(ctx context.Context, _ *Run[*corev1.Pod]) (Result, error) {
				if !test.overtaken {
					return Continue, nil
				}
				theirs := &corev1.Pod{}
				if err := server.Get(ctx, key, theirs); err != nil {
					return Result{}, err
				}
				theirs.Annotations = map[string]string{"theirs": "new"}
				return Continue, server.Update(ctx, theirs)
			})
			p := NewPipeline("test", step, podPhase{corev1.PodRunning})
			if err := p.Setup(Environment{Client: server}); err != nil {
				t.Fatal(err)
			}
			before, after := &corev1.Pod{}, &corev1.Pod{}
			if err := server.Get(t.Context(), key, before); err != nil {
				t.Fatal(err)
			}
			update := func(old, now client.Object) bool {
				return p.withoutEchoes().Update(event.UpdateEvent{ObjectOld: old, ObjectNew: now})
			}
			if _, err := p.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); err != nil {
				t.Fatal(err)
			}
			if err := server.Get(t.Context(), key, after); err != nil {
				t.Fatal(err)
			}
			if after.Status.Phase != corev1.PodRunning || after.ResourceVersion == before.ResourceVersion {
				t.Fatalf("pod = %+v, want its status written", after)
			}
			if echoed := !update(before, after); echoed != test.wantEchoed {
				t.Errorf("%s: dropped = %v, want %v", test.reason, echoed, test.wantEchoed)
			}
			if !update(after, after) {
				t.Error("a resync was dropped")
			}
			other := after.DeepCopy()
			other.ResourceVersion += "1"
			if !update(after, other) {
				t.Error("a later change was dropped")
			}
			other = after.DeepCopy()
			other.UID = "2"
			if !update(before, other) {
				t.Error("the event of another object of that name was dropped")
			}
			p.env.Memory.Forget(key)
			if !update(before, after) {
				t.Error("the event of an object of which nothing is remembered was dropped")
			}
		})
	}
}
