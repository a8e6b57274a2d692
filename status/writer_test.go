package status_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// conditionOf is the type of the condition of a writer.
func conditionOf(n int) string { return fmt.Sprintf("Writer%d", n) }

// writer is somebody else who keeps a condition of his own in objects, and makes
// sure before each write that what he last said there is still there.
type writer struct {
	rest  rest.Interface
	n     int
	said  map[string]string // by object, the message that was last written
	place map[string]int    // by object, where in the list its condition was
	write func(context.Context, *policyv1.PodDisruptionBudget, metav1.Condition) error
}

// newWriter returns the n-th writer. They write in three ways.
func newWriter(t *testing.T, config *rest.Config, n int) *writer {
	t.Helper()
	own := rest.CopyConfig(config)
	own.QPS = -1
	own.APIPath, own.GroupVersion = "/apis", &policyv1.SchemeGroupVersion
	own.NegotiatedSerializer = clientgoscheme.Codecs.WithoutConversion()
	c, err := rest.RESTClientFor(own)
	if err != nil {
		t.Fatal(err)
	}
	w := &writer{rest: c, n: n, said: map[string]string{}, place: map[string]int{}}
	w.write = []func(context.Context, *policyv1.PodDisruptionBudget, metav1.Condition) error{w.locate, w.apply, w.locate, w.update}[n%4]
	return w
}

// say makes the writer's i-th write, to an object that it reads first, unless it
// knows where its condition is and has the server test it.
func (w *writer) say(ctx context.Context, app *policyv1.PodDisruptionBudget, i int) error {
	condition := metav1.Condition{
		Type: conditionOf(w.n), Status: metav1.ConditionTrue, Reason: "Counted", Message: strconv.Itoa(i),
		LastTransitionTime: metav1.NewTime(time.Unix(int64(i), 0)),
	}
	if _, known := w.place[app.Name]; known && w.patch(ctx, app, condition) == nil {
		w.said[app.Name] = condition.Message
		return nil
	}
	for {
		data, err := w.to(w.rest.Get(), app.Namespace, app.Name).DoRaw(ctx)
		if err != nil {
			return err
		}
		live := &policyv1.PodDisruptionBudget{}
		if err := json.Unmarshal(data, live); err != nil {
			return err
		}
		if err := w.check(live); err != nil {
			return err
		}
		switch err := w.write(ctx, live, condition); {
		case err == nil:
			w.said[app.Name] = condition.Message
			return nil
		case !apierrors.IsConflict(err) && !apierrors.IsInvalid(err):
			return err
		}
	}
}

// check returns an error if what the writer last said of an object is not there.
func (w *writer) check(app *policyv1.PodDisruptionBudget) error {
	last, said := w.said[app.Name]
	if !said {
		return nil
	}
	condition := meta.FindStatusCondition(app.Status.Conditions, conditionOf(w.n))
	if condition == nil || condition.Message != last || condition.LastTransitionTime.Unix() != number(last) {
		return fmt.Errorf("%s lost write %s of %s at version %s: %+v", app.Name, last, conditionOf(w.n), app.ResourceVersion, condition)
	}
	return nil
}

func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// apply uses server-side apply, which needs no lock.
func (w *writer) apply(ctx context.Context, app *policyv1.PodDisruptionBudget, condition metav1.Condition) error {
	body, err := json.Marshal(map[string]any{
		"apiVersion": policyv1.SchemeGroupVersion.String(), "kind": "PodDisruptionBudget",
		"metadata": map[string]any{"name": app.Name},
		"status":   map[string]any{"conditions": []any{condition}},
	})
	if err != nil {
		return err
	}
	return w.to(w.rest.Patch(types.ApplyYAMLPatchType), app.Namespace, app.Name).
		Param("fieldManager", condition.Type).Param("force", "true").Body(body).Do(ctx).Error()
}

// update sends the whole object, under an optimistic lock.
func (w *writer) update(ctx context.Context, app *policyv1.PodDisruptionBudget, condition metav1.Condition) error {
	meta.SetStatusCondition(&app.Status.Conditions, condition)
	setTransition(app.Status.Conditions, condition)
	body, err := json.Marshal(app)
	if err != nil {
		return err
	}
	return w.to(w.rest.Put(), app.Namespace, app.Name).SetHeader("Content-Type", "application/json").Body(body).Do(ctx).Error()
}

// locate remembers where the condition is, or uses server-side apply to put it
// somewhere, and then writes.
func (w *writer) locate(ctx context.Context, app *policyv1.PodDisruptionBudget, condition metav1.Condition) error {
	place := slices.IndexFunc(app.Status.Conditions, func(c metav1.Condition) bool { return c.Type == condition.Type })
	if place < 0 {
		return w.apply(ctx, app, condition)
	}
	w.place[app.Name] = place
	return w.patch(ctx, app, condition)
}

// patch uses a JSON patch of the place in the list where its condition was, and
// has the server test that what it last said is still there.
func (w *writer) patch(ctx context.Context, app *policyv1.PodDisruptionBudget, condition metav1.Condition) error {
	path := fmt.Sprintf("/status/conditions/%d", w.place[app.Name])
	body, err := json.Marshal([]map[string]any{
		{"op": "test", "path": path + "/type", "value": condition.Type},
		{"op": "test", "path": path + "/message", "value": w.said[app.Name]},
		{"op": "replace", "path": path, "value": condition},
	})
	if err != nil {
		return err
	}
	return w.to(w.rest.Patch(types.JSONPatchType), app.Namespace, app.Name).
		Param("fieldManager", condition.Type).Body(body).Do(ctx).Error()
}

func setTransition(list []metav1.Condition, condition metav1.Condition) {
	meta.FindStatusCondition(list, condition.Type).LastTransitionTime = condition.LastTransitionTime
}

func (w *writer) to(request *rest.Request, namespace, name string) *rest.Request {
	return request.Namespace(namespace).Resource("poddisruptionbudgets").Name(name).SubResource("status")
}
