package reconcile

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

// An event that comes between a write and its answer wakes nobody if it is of that
// write, and does, when the pass is over, if it is of somebody else's.
func TestAnEventBeforeTheAnswerIsHeldBack(t *testing.T) {
	for name, test := range map[string]struct {
		reason string
		theirs bool // somebody else writes after the pass
		fails  bool // the answer is lost
		woken  int
	}{
		"echo":        {reason: "the pass has seen all there is in it"},
		"theirs":      {reason: "the pass has seen nothing of it", theirs: true, woken: 1},
		"lost answer": {reason: "nobody knows whose it was", fails: true, woken: 1},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "b", UID: "1"}}
			key := client.ObjectKeyFromObject(pod)
			var p *Pipeline[*corev1.Pod]
			before := &corev1.Pod{}
			passed := func(now *corev1.Pod) bool {
				return p.withoutEchoes().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: now})
			}
			server := fake.NewClientBuilder().WithObjects(pod).WithStatusSubresource(pod).WithInterceptorFuncs(interceptor.Funcs{
				SubResourcePatch: func(ctx context.Context, c client.Client, sub string, object client.Object, patch client.Patch, options ...client.SubResourcePatchOption) error {
					if err := c.SubResource(sub).Patch(ctx, object, patch, options...); err != nil {
						return err
					}
					now := object.DeepCopyObject().(*corev1.Pod)
					if passed(now) {
						t.Error("the event of the write was let through before its answer")
					}
					if test.theirs {
						now.Annotations = map[string]string{"theirs": "new"}
						if err := c.Update(ctx, now); err != nil {
							return err
						}
						if passed(now) {
							t.Error("the event of somebody else's write was let through during the pass")
						}
					}
					if test.fails {
						return context.DeadlineExceeded
					}
					return nil
				},
			}).Build()
			queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[ctrl.Request]())
			defer queue.ShutDown()
			p = NewPipeline("test", Func("work", func(context.Context, *Run[*corev1.Pod]) (Result, error) { return Continue, nil }),
				podPhase{corev1.PodRunning})
			if err := p.Setup(Environment{Client: server}); err != nil {
				t.Fatal(err)
			}
			if err := p.early.source().Start(t.Context(), queue); err != nil {
				t.Fatal(err)
			}
			if err := server.Get(t.Context(), key, before); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); (err != nil) != test.fails {
				t.Fatalf("err = %v", err)
			}
			if queue.Len() != test.woken {
				t.Errorf("%s: %d requests are queued, want %d", test.reason, queue.Len(), test.woken)
			}
			later := before.DeepCopy()
			later.ResourceVersion += "9"
			if !passed(later) {
				t.Error("an event after the pass was held back")
			}
		})
	}
}
