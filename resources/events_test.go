package resources_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// told returns the events on the object, as the server has them, oldest first.
func (b *bench) told(ctx testContext) []string {
	list := &eventsv1.EventList{}
	if err := b.User.List(ctx, list, client.InNamespace(b.namespace)); err != nil {
		b.Fatal(err)
	}
	slices.SortStableFunc(list.Items, func(x, y eventsv1.Event) int {
		return cmp.Or(x.EventTime.Compare(y.EventTime.Time), strings.Compare(x.Name, y.Name))
	})
	var words []string
	for _, event := range list.Items {
		if event.Regarding.UID == b.app.UID && event.ReportingController == "events" {
			words = append(words, event.Type+" "+event.Reason+": "+event.Note)
		}
	}
	return words
}

// A person who looks at the events of an object, as the recorder of the manager has
// sent them, reads what was done to its children and what is in the way, once each.
func TestEventsTellWhatAPersonCaresAbout(t *testing.T) {
	taken := resources.Ensure(func(app *v1.MyApp) (*corev1.Secret, error) {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: app.Name}}, nil
	})
	made := resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		child, err := desiredConfigMap(app)
		child.Immutable = new(true)
		return child, err
	}).When(wanted).Recreate()
	b := newBench(t, resources.Ensure(desiredConfigMap))
	b.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: b.namespace}})
	b.control(reconcile.NewPipeline("events", reconcile.All(taken, made)))
	var want []string
	tells := func(reason string, events ...string) {
		t.Helper()
		want = append(want, events...)
		b.eventually(reason+": "+strings.Join(events, ", "), func(ctx testContext) bool {
			return len(b.told(ctx)) >= len(want)
		})
	}
	// What is in the way is told again when somebody has changed the spec, and it still is.
	refused := "Warning NotControlled: Secret: " + b.namespace + "/web exists and has no controller; it is not taken over"
	tells("at first", refused, "Normal Created: created ConfigMap web")

	b.set("img:2")
	tells("it has to be made again", refused,
		"Normal Deleted: deleted ConfigMap web, which cannot be changed in place and is made again",
		"Normal Created: created ConfigMap web")

	child := b.configMap()
	b.get(child)
	child.OwnerReferences[0].BlockOwnerDeletion = nil
	b.update(child)
	tells("somebody has changed it", "Normal Repaired: repaired ConfigMap web, which somebody had changed")

	b.set("none")
	tells("it is not wanted", refused, "Normal Deleted: deleted ConfigMap web, which is not wanted")

	// Passes in which there is nothing to do tell nothing: the next event is the next.
	for range 5 {
		b.get(b.app)
		b.app.Labels = map[string]string{"touched": b.app.ResourceVersion}
		b.update(b.app)
	}
	b.set("img:3")
	tells("it is wanted again", refused, "Normal Created: created ConfigMap web")
	got := b.told(t.Context())
	slices.Sort(got)
	slices.Sort(want)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// set changes the image, which is what children are made of.
func (b *bench) set(image string) {
	b.Helper()
	b.get(b.app)
	b.app.Spec.Image = image
	b.update(b.app)
}
