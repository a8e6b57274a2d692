package steptest

import (
	"context"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// mirror is a reconciler that is written by hand, without anything of this module: it
// keeps a ConfigMap that says what a Service is annotated with.
type mirror struct {
	client.Client
	events   events.EventRecorder
	dated    bool // it says the time, too
	restless bool // it writes in each pass
}

func (m mirror) setup(mgr ctrl.Manager) error {
	m.Client, m.events = mgr.GetClient(), mgr.GetEventRecorder("mirror")
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Service{}).Owns(&corev1.ConfigMap{}).Complete(&m)
}

// Reconcile implements the interface of controller-runtime.
func (m *mirror) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	service := &corev1.Service{}
	if err := m.Get(ctx, request.NamespacedName, service); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := service.DeepCopy()
	if service.DeletionTimestamp != nil {
		service.Finalizers = nil
		return ctrl.Result{}, m.Patch(ctx, service, client.MergeFrom(before))
	}
	if err := m.child(ctx, service); err != nil {
		return ctrl.Result{}, err
	}
	if meta.SetStatusCondition(&service.Status.Conditions, metav1.Condition{
		Type: "Mirrored", Status: metav1.ConditionTrue, Reason: "Done", LastTransitionTime: metav1.Now(),
	}) || m.restless {
		return ctrl.Result{RequeueAfter: time.Hour}, m.Status().Patch(ctx, service, client.MergeFrom(before))
	}
	return ctrl.Result{RequeueAfter: time.Hour}, nil
}

func (m *mirror) child(ctx context.Context, service *corev1.Service) error {
	wanted := said(service.Annotations["say"])
	if wanted.Namespace = service.Namespace; m.dated {
		wanted.Data["at"] = time.Now().UTC().Format(time.RFC3339)
	}
	if err := controllerutil.SetControllerReference(service, wanted, m.Scheme()); err != nil {
		return err
	}
	found := &corev1.ConfigMap{}
	err := m.Get(ctx, client.ObjectKeyFromObject(wanted), found)
	switch {
	case apierrors.IsNotFound(err):
		if err := m.Create(ctx, wanted); err != nil {
			return err
		}
		m.events.Eventf(service, nil, corev1.EventTypeNormal, "Made", "Make", "made %s/%s", wanted.Namespace, wanted.Name)
		return nil
	case err != nil || maps.Equal(found.Data, wanted.Data):
		return err
	}
	found.Data = wanted.Data
	return m.Update(ctx, found)
}

// said is a ConfigMap as the mirror makes it.
func said(what string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Data: map[string]string{"said": what}}
}

// owned is what the Service of the cases owns.
func owned(configMap *corev1.ConfigMap) *corev1.ConfigMap {
	configMap.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(saying(""), corev1.SchemeGroupVersion.WithKind("Service"))}
	return configMap
}

// ownedBy is one that something else owns.
func ownedBy(configMap *corev1.ConfigMap, uid types.UID) *corev1.ConfigMap {
	owned(configMap).OwnerReferences[0].UID = uid
	return configMap
}

// other is one of another name.
func other(configMap *corev1.ConfigMap) *corev1.ConfigMap {
	configMap.Name = "other"
	return configMap
}

// saying is the Service of the cases. It was seen before.
func saying(what string) *corev1.Service {
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", UID: "made up", Annotations: map[string]string{"say": what}}}
	service.Spec.Ports = []corev1.ServicePort{{Name: "http", Port: 80}}
	service.Status.Conditions = []metav1.Condition{{
		Type: "Mirrored", Status: metav1.ConditionTrue, Reason: "Done", LastTransitionTime: metav1.Unix(0, 0),
	}}
	return service
}

// held is the same, with a finalizer.
func held(service *corev1.Service) *corev1.Service {
	service.Finalizers = []string{"example.com/held"}
	return service
}

// dying is one that is being deleted.
func dying(service *corev1.Service) *corev1.Service {
	service.DeletionTimestamp = new(metav1.Unix(0, 0))
	return service
}

// unseen is the same, and nobody has seen it yet.
func unseen(service *corev1.Service) *corev1.Service {
	service.Status = corev1.ServiceStatus{}
	return service
}

// say returns what has a user annotate the Service.
func say(what string) func(context.Context, client.Client) error {
	return func(ctx context.Context, user client.Client) error {
		body := fmt.Sprintf(`{"metadata":{"annotations":{"say":%q}}}`, what)
		service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
		return user.Patch(ctx, service, client.RawPatch("application/merge-patch+json", []byte(body)))
	}
}
