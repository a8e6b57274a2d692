package resources_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

func TestAContestIsNoticedNamedAndBackedOffFrom(t *testing.T) {
	for name, transform := range map[string]toolscache.TransformFunc{
		"the cache has all managedFields": nil,
		"only our own":                    resources.TrimManagedFields("test"),
		"none":                            stripAll,
	} {
		t.Run(name, func(t *testing.T) { testContest(t, transform) })
	}
}

func testContest(t *testing.T, transform toolscache.TransformFunc) {
	t.Helper()
	b := newBench(t, resources.Ensure(desiredConfigMap))
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	b.Environment.Clock = clock
	if transform != nil {
		b.Environment.Client = &transformed{Client: b.Environment.Client, transform: transform}
	}
	b.want("first pass", reconcile.Continue)
	child := b.configMap()
	interfere := func() {
		b.get(child)
		child.Data["image"] = "theirs"
		if err := b.User.Update(t.Context(), child, client.FieldOwner("meddler")); err != nil {
			t.Fatal(err)
		}
		b.caughtUp(child)
		b.writes()
		clock.SetTime(clock.Now().Add(time.Second))
	}
	for range 3 {
		interfere()
		b.want("a repair", reconcile.Continue)
		b.wrote("it is repaired at once", "patch configmaps web")
	}
	b.Events.Reset()
	interfere()
	for range 2 {
		result, err := b.pass()
		if err != nil || result.Reason() != "Contested" || !strings.Contains(result.Message(), "meddler (field .data.image)") {
			t.Fatalf("got %v, %v; want to wait, and who and what it is about", result, err)
		}
		if result.RequeueAfter() <= 0 || result.RequeueAfter() > 10*time.Second {
			t.Errorf("again after %v, want within ten seconds", result.RequeueAfter())
		}
	}
	b.wrote("it is not repaired at once any more")
	child.Labels["theirs"] = "x"
	b.update(child)
	b.caughtUp(child)
	if result, err := b.pass(); err != nil || !strings.Contains(result.Message(), "meddler (field .data.image)") {
		t.Errorf("after a change of somebody else: got %v, %v; want the same words", result, err)
	}
	if events := b.Events.All(); len(events) != 1 || !strings.HasPrefix(events[0], "Warning Contested") {
		t.Errorf("events = %q, want one", events)
	}
	clock.SetTime(clock.Now().Add(10 * time.Second))
	b.want("when it is time", reconcile.Continue)
	b.wrote("it is repaired", "patch configmaps web")
	b.get(child)
	child.Labels["theirs"] = "y"
	b.update(child)
	b.caughtUp(child)
	b.want("a change that leaves it as wanted is none to wait for", reconcile.Continue)
	interfere()
	if result, err := b.pass(); err != nil || result.RequeueAfter() <= 10*time.Second {
		t.Errorf("got %v, %v; want to wait longer", result, err)
	}
	clock.SetTime(clock.Now().Add(11 * time.Minute))
	b.want("after a quiet time", reconcile.Continue)
	interfere()
	b.want("it is as if nothing had been", reconcile.Continue)
	b.caughtUp(child)
	b.quiet(child)
}

// What an operator that updated its children owned goes with the first apply,
// also the fields that are not wanted any more.
func TestFormerManagersFieldsAreTakenOver(t *testing.T) {
	for name, test := range map[string]struct {
		former []string
		want   map[string]string
	}{
		"named":     {[]string{"old-operator"}, map[string]string{"image": "img:1", "theirs": "stays"}},
		"not named": {nil, map[string]string{"image": "img:1", "theirs": "stays", "dropped": "yes"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, resources.Ensure(desiredConfigMap).FormerManagers(test.former...))
			child := b.configMap()
			child.Data = map[string]string{"image": "img:0", "dropped": "yes"}
			child.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(b.app, b.kind())}
			if err := b.User.Create(t.Context(), child, client.FieldOwner("old-operator")); err != nil {
				t.Fatal(err)
			}
			child.Data["theirs"] = "stays"
			if err := b.User.Update(t.Context(), child, client.FieldOwner("kubectl-edit")); err != nil {
				t.Fatal(err)
			}
			b.caughtUp(child)
			b.want("first pass", reconcile.Continue)
			b.get(child)
			if diff := cmp.Diff(test.want, child.Data); diff != "" {
				t.Errorf("data (-want +got):\n%s", diff)
			}
			b.quiet(child)
			b.restart()
			b.quiet(child)
		})
	}
}

func TestTrimManagedFieldsKeepsWhatAStepNeeds(t *testing.T) {
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{
		{Manager: "kubectl", Operation: metav1.ManagedFieldsOperationUpdate},
		{Manager: "test", Operation: metav1.ManagedFieldsOperationUpdate},
		{Manager: "test", Operation: metav1.ManagedFieldsOperationApply, Subresource: "status"},
		{Manager: "test", Operation: metav1.ManagedFieldsOperationApply},
	}}}
	got, err := resources.TrimManagedFields("test")(object)
	if err != nil {
		t.Fatal(err)
	}
	want := []metav1.ManagedFieldsEntry{
		{Manager: "test", Operation: metav1.ManagedFieldsOperationUpdate},
		{Manager: "test", Operation: metav1.ManagedFieldsOperationApply},
	}
	if diff := cmp.Diff(want, got.(*corev1.ConfigMap).ManagedFields); diff != "" {
		t.Errorf("managedFields (-want +got):\n%s", diff)
	}
	if _, err := resources.TrimManagedFields("test")("a tombstone"); err != nil {
		t.Errorf("what is no object: %v", err)
	}
}
