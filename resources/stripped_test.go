package resources_test

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// transformed is a client whose cache has a transform.
type transformed struct {
	client.Client
	transform toolscache.TransformFunc
}

func (c *transformed) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	if err := c.Client.Get(ctx, key, into, options...); err != nil {
		return err
	}
	if child, ok := into.(*corev1.ConfigMap); ok {
		out, err := c.transform(child.DeepCopy())
		if err != nil {
			return err
		}
		out.(*corev1.ConfigMap).DeepCopyInto(child)
	}
	return nil
}

func stripAll(object any) (any, error) {
	object.(client.Object).SetManagedFields(nil)
	return object, nil
}

func TestACacheThatDropsManagedFields(t *testing.T) {
	for name, test := range map[string]struct {
		reason    string
		transform toolscache.TransformFunc
		noOps     []string // what others' changes and a restart make the step send
	}{
		"all of them":     {"it is detected; what is not known is asked for", stripAll, []string{"patch configmaps web"}},
		"all but our own": {"nothing is lost", resources.TrimManagedFields("test"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, resources.Ensure(desiredConfigMap))
			b.Environment.Client = &transformed{Client: b.Environment.Client, transform: test.transform}
			b.want("first pass", reconcile.Continue)
			child := b.configMap()
			b.quiet(child)

			b.get(child)
			child.Labels["theirs"] = "x"
			b.update(child)
			b.caughtUp(child)
			b.writes()
			b.Events.Reset()
			b.want("after another's change", reconcile.Continue)
			b.wrote(test.reason, test.noOps...)
			if events := b.Events.All(); len(events) > 0 {
				t.Errorf("events = %q, want none: nothing of ours has changed", events)
			}
			b.quiet(child)

			for i := range 5 { // no contest: nobody touches what is ours
				b.get(child)
				child.Annotations = map[string]string{"theirs": strings.Repeat("x", i)}
				b.update(child)
				b.caughtUp(child)
				b.want("after another change of theirs", reconcile.Continue)
			}

			b.get(child)
			child.Data["image"] = "theirs"
			b.update(child)
			b.caughtUp(child)
			b.writes()
			b.want("after drift", reconcile.Continue)
			b.wrote("it is repaired", "patch configmaps web")
			b.quiet(child)

			b.restart()
			b.want("after a restart", reconcile.Continue)
			b.wrote(test.reason, test.noOps...)
			b.quiet(child)
		})
	}
}
