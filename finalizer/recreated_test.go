package finalizer_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/resources"
)

const holder = "example.com/hold"

// Another controller makes a child again while the owner is being deleted, as it
// was, with our marks and the owner reference: it is deleted as often as it comes,
// also while another step is waited for, and in the end nothing is left.
func TestAChildThatComesBackWithOurMarks(t *testing.T) {
	effect := &held{waiting: true}
	o := operate(t, "comes-back", effect.step(), resources.Ensure(desiredConfigMap).OnDelete(resources.Background).Finalizer("apps.example.com/config"))
	config := child(o, &corev1.ConfigMap{})
	o.eventually("the child is there", func() bool { return o.read(config) })
	again := config.DeepCopy()
	again.ResourceVersion, again.UID, again.ManagedFields, again.Finalizers = "", "", nil, []string{holder}
	o.settled()
	o.change(config, func() { config.Finalizers = []string{holder} })
	o.remove(o.app, metav1.DeletePropagationBackground)

	const times = 3
	for i := range times {
		o.says("Deleting", "deletion waits for ConfigMap: "+o.app.Namespace+"/web is being deleted, held by the finalizer "+holder)
		o.change(config, func() { config.Finalizers = nil })
		if i == 0 {
			o.says("Deleting", "deletion waits for dns: the zone is slow") // another step, the next one
		}
		was := config.UID
		config = again.DeepCopy()
		if err := o.Create(t.Context(), config); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
		o.eventually("it is deleted again", func() bool { return o.read(config) && config.UID != was && config.DeletionTimestamp != nil })
	}
	effect.hold(false)
	o.says("Deleting", "deletion waits for ConfigMap: "+o.app.Namespace+"/web is being deleted, held by the finalizer "+holder)
	o.change(config, func() { config.Finalizers = nil })
	o.gone(o.app, config)
	deletes := slices.DeleteFunc(o.requests.Writes(), isNoDelete)
	if len(deletes) < times+1 {
		t.Errorf("%v: it came back %d times", deletes, times)
	}
}

// Another controller takes the name of a child that is gone for an object of its own,
// while the owner is being deleted: that one stays, and deletion ends.
func TestAChildThatAnotherControllerRecreates(t *testing.T) {
	effect := &held{waiting: true}
	o := operate(t, "recreates", effect.step(), resources.Ensure(desiredConfigMap).OnDelete(resources.Background).Finalizer("apps.example.com/config"))
	config := child(o, &corev1.ConfigMap{})
	o.eventually("the child is there", func() bool { return o.read(config) })
	o.settled()
	o.remove(o.app, metav1.DeletePropagationBackground)
	o.says("Deleting", "deletion waits for dns: the zone is slow")
	theirs := child(o, &corev1.ConfigMap{Data: map[string]string{"theirs": "stays"}})
	if err := o.Create(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	o.settled()
	effect.hold(false)
	o.gone(o.app)
	o.settled()
	uid := theirs.UID
	if !o.read(theirs) || theirs.UID != uid || theirs.DeletionTimestamp != nil || len(theirs.Labels)+len(theirs.OwnerReferences) > 0 {
		t.Errorf("what another controller has made is %+v", theirs.ObjectMeta)
	}
}

// A user takes our finalizers off by hand while we wait: the object is gone, which
// is no error, and nothing is made again.
func TestAFinalizerThatAUserTakesOff(t *testing.T) {
	effect := &held{waiting: true}
	o := operate(t, "taken-off", effect.step(), resources.Ensure(desiredConfigMap))
	config := child(o, &corev1.ConfigMap{})
	o.eventually("the child is there", func() bool { return o.read(config) })
	o.settled()
	o.requests.Reset()
	o.remove(o.app, metav1.DeletePropagationBackground)
	o.says("Deleting", "deletion waits for dns: the zone is slow")
	o.change(o.app, func() { o.app.Finalizers = nil })
	o.gone(o.app, config)
	o.settled()
	for _, request := range o.requests.Writes() {
		if !isStatus(request) {
			t.Errorf("%s: there was nothing to write", request)
		}
	}
}
