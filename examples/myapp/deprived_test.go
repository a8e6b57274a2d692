package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/resources"
)

// deprived is an operator that lacks rights, in a namespace of its own.
type deprived struct {
	*site
	namespace string
	told      []string // what the conditions of the app that were False have said
	mu        sync.Mutex
	denials   []string
}

// deprive binds the service account of a new namespace to a Role without the
// rights.
func (s *site) deprive(without []right) *deprived {
	s.Helper()
	d := &deprived{site: s, namespace: s.env.Namespace(s.T)}
	role := roleIn(s.T, d.namespace)
	rights := slices.DeleteFunc(rightsOf(role.Rules), func(r right) bool { return slices.Contains(without, r) })
	role.Rules = nil
	for _, r := range rights {
		role.Rules = append(role.Rules, rbacv1.PolicyRule{
			APIGroups: []string{r.group}, Resources: []string{r.resource}, Verbs: []string{r.verb},
		})
	}
	s.must(s.client.Create(s.ctx, role))
	s.must(s.client.Create(s.ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: d.namespace, Name: "operator"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: d.namespace, Name: "operator"}},
	}))
	s.must(s.client.Create(s.ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: d.namespace, Name: "operator"}}))
	return d
}

// legacy creates an app that has children under names that the operator does not
// give any more.
func (d *deprived) legacy() *v1.MyApp {
	d.Helper()
	app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Namespace: d.namespace, Name: "web"}, Spec: v1.MyAppSpec{Image: "img:1"}}
	full(&app.Spec)
	d.must(d.client.Create(d.ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: d.namespace, Name: app.Spec.SecretName}}))
	d.must(d.client.Create(d.ctx, app))
	old := func(step string) metav1.ObjectMeta {
		return metav1.ObjectMeta{
			Namespace: d.namespace, Name: "web-old", Labels: map[string]string{resources.StepLabel: "myapp." + step},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(app, v1.GroupVersion.WithKind("MyApp"))},
		}
	}
	labels := map[string]string{"app": "old"}
	d.must(d.client.Create(d.ctx, &corev1.Service{
		ObjectMeta: old("Service"), Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	}))
	d.must(d.client.Create(d.ctx, &appsv1.Deployment{
		ObjectMeta: old("Deployment"),
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "img:1"}}},
			},
		},
	}))
	return app
}

// start runs the operator, limited to the namespace.
func (d *deprived) start() {
	d.Helper()
	account, err := d.env.ServiceAccount(d.ctx, d.namespace, "operator")
	d.must(err)
	account.Wrap(d.listen)
	ctx, cancel := context.WithCancel(context.Background())
	d.cancel, d.done = cancel, make(chan error, 1)
	d.probes = freeAddress(d.T)
	o := options{metricsAddress: "0", probeAddress: d.probes, namespaces: []string{d.namespace}, again: true}
	go func() { d.done <- run(ctx, account, o) }()
	d.Cleanup(cancel)
}

// listen notes what the API server says when it forbids something.
func (d *deprived) listen(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(request)
		if err != nil || answer.StatusCode != http.StatusForbidden {
			return answer, err
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			return nil, err
		}
		_ = answer.Body.Close()
		answer.Body = io.NopCloser(bytes.NewReader(text))
		d.mu.Lock()
		defer d.mu.Unlock()
		// In JSON or protobuf, whichever the kind is sent in: the words are in it.
		d.denials = append(d.denials, strings.ReplaceAll(string(text), `\"`, `"`))
		return answer, err
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// denied reports whether the API server has denied each of the rights, and the app has
// told so where it can. It fails the test if another right was denied, or if the time is
// over.
func (d *deprived) denied(without []right) bool {
	d.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	lacking := func(words []string, r right) bool {
		return !slices.ContainsFunc(words, func(message string) bool { return strings.Contains(message, r.denial()) })
	}
	var silent []right
	for _, r := range without {
		if lacking(d.denials, r) || r.shows() && lacking(d.told, r) {
			silent = append(silent, r)
		}
	}
	if err := d.ctx.Err(); err != nil {
		d.Fatalf("nobody told that these were denied: %v: %v", silent, err)
	}
	for _, message := range d.denials {
		known := func(r right) bool { return strings.Contains(message, r.denial()) }
		if !strings.Contains(message, "exceeded quota") && !slices.ContainsFunc(without, known) {
			d.Fatalf("the role lacks %v, and the API server says: %s", without, message)
		}
	}
	return len(silent) == 0
}

// stir does what makes an operator act: in turn somebody asks for what cannot be
// and deletes what it made, asks for less, and asks for all again and writes to the
// app while it works. It lets the operator answer, if it can.
func (d *deprived) stir(app *v1.MyApp, round int) {
	d.Helper()
	child := metav1.ObjectMeta{Namespace: d.namespace, Name: app.Name}
	switch round % 3 {
	case 0:
		d.change(app, func() { app.Spec.NodeSelector = map[string]string{"disk": "very fast"} })
		d.must(client.IgnoreNotFound(d.client.Delete(d.ctx, &corev1.Service{ObjectMeta: child})))
		d.must(client.IgnoreNotFound(d.client.Delete(d.ctx, &appsv1.Deployment{ObjectMeta: child})))
		for _, part := range parts() {
			part.SetNamespace(child.Namespace)
			part.SetName(child.Name)
			d.must(client.IgnoreNotFound(d.client.Delete(d.ctx, part)))
		}
		d.answer(app, "DeploymentReady", "very fast", time.Second)
	case 1:
		d.change(app, func() { app.Spec = v1.MyAppSpec{Image: app.Spec.Image} }) // nothing but the least
		d.answer(app, "DeploymentReady", "0 of 1", time.Second)
	default:
		d.change(app, func() { full(&app.Spec) })
		for i := range 20 {
			d.change(app, func() { metav1.SetMetaDataAnnotation(&app.ObjectMeta, "stirred", fmt.Sprint(round, i)) })
		}
		d.rollOut(app)
		d.answer(app, "DeploymentReady", "", time.Second)
	}
}

// quota lets nobody create what the operator creates.
func (d *deprived) quota() *corev1.ResourceQuota {
	d.Helper()
	none := corev1.ResourceList{"count/services": resource.MustParse("0"), "count/deployments.apps": resource.MustParse("0")}
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: d.namespace, Name: "none"}, Spec: corev1.ResourceQuotaSpec{Hard: none},
	}
	d.must(d.client.Create(d.ctx, quota))
	quota.Status = corev1.ResourceQuotaStatus{Hard: none, Used: none} // as a controller would
	d.must(d.client.Status().Update(d.ctx, quota))
	return quota
}

// answer waits until a condition of the app has the words, or until it is clear
// that the operator does not answer.
func (d *deprived) answer(app *v1.MyApp, condition, words string, patience time.Duration) {
	ctx, cancel := context.WithTimeout(d.ctx, patience)
	defer cancel()
	_ = stage.Await(ctx, "the operator answers", func(ctx context.Context) error {
		if err := d.client.Get(ctx, client.ObjectKeyFromObject(app), app); err != nil {
			return err
		}
		for _, says := range app.Status.Conditions {
			if says.Status == metav1.ConditionFalse && !slices.Contains(d.told, says.Message) {
				d.told = append(d.told, says.Message)
			}
		}
		is := meta.FindStatusCondition(app.Status.Conditions, condition)
		if is == nil || !strings.Contains(is.Message, words) || is.ObservedGeneration != app.Generation {
			return fmt.Errorf("it says %+v", is)
		}
		return nil
	})
}

// rollOut says of the app's Deployment, if it is there, that its pods are ready.
func (d *deprived) rollOut(app *v1.MyApp) {
	d.Helper()
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: app.Namespace, Name: app.Name}}
	if err := d.client.Get(d.ctx, client.ObjectKeyFromObject(deployment), deployment); apierrors.IsNotFound(err) {
		return
	}
	deployment.Status = appsv1.DeploymentStatus{
		ObservedGeneration: deployment.Generation,
		Replicas:           1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1,
	}
	if err := d.client.Status().Update(d.ctx, deployment); !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		d.must(err)
	}
}

// change sends what change makes of the app.
func (d *deprived) change(app *v1.MyApp, change func()) {
	d.Helper()
	before := app.DeepCopy()
	change()
	d.must(d.client.Patch(d.ctx, app, client.MergeFrom(before)))
}
