package resources

import (
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// readyRules judge the kinds for which what all objects have in common does not
// tell enough.
var readyRules = map[schema.GroupKind]readyRule{
	{Group: "apps", Kind: "Deployment"}:                               ruleOf[appsv1.Deployment](deploymentReadiness),
	{Group: "apps", Kind: "StatefulSet"}:                              ruleOf[appsv1.StatefulSet](statefulSetReadiness),
	{Group: "apps", Kind: "DaemonSet"}:                                ruleOf[appsv1.DaemonSet](daemonSetReadiness),
	{Group: "apps", Kind: "ReplicaSet"}:                               ruleOf[appsv1.ReplicaSet](replicaSetReadiness),
	{Group: "", Kind: "Pod"}:                                          ruleOf[corev1.Pod](podReadiness),
	{Group: "batch", Kind: "Job"}:                                     ruleOf[batchv1.Job](jobReadiness),
	{Group: "", Kind: "Service"}:                                      ruleOf[corev1.Service](serviceReadiness),
	{Group: "networking.k8s.io", Kind: "Ingress"}:                     ruleOf[networkingv1.Ingress](ingressReadiness),
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}:           ruleOf[autoscalingv2.HorizontalPodAutoscaler](autoscalerReadiness),
	{Group: "", Kind: "PersistentVolumeClaim"}:                        ruleOf[corev1.PersistentVolumeClaim](claimReadiness),
	{Group: "policy", Kind: "PodDisruptionBudget"}:                    ruleOf[policyv1.PodDisruptionBudget](budgetReadiness),
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: ruleOf[apiextensionsv1.CustomResourceDefinition](definitionReadiness),
	{Group: "apiregistration.k8s.io", Kind: "APIService"}:             {judge: ReadyCondition[client.Object]("Available")},
}

// readyTypes finds the kind of a typed object, which the decoder does not tell.
var readyTypes = typesOf(readyRules)

// readyRule judges the objects of a kind, typed or not.
type readyRule struct {
	goType reflect.Type // nil if the module does not have it
	judge  func(client.Object) Readiness
}

// ruleOf makes a rule of a function of the Go type of its kind, into which
// unstructured objects, and those of other versions, are converted field by
// field.
func ruleOf[O any, P interface {
	*O
	client.Object
}](judge func(P) Readiness) readyRule {
	return readyRule{goType: reflect.TypeFor[P](), judge: func(object client.Object) Readiness {
		if typed, ok := object.(P); ok {
			return judge(typed)
		}
		content, err := contentOf(object)
		if err != nil {
			return notReady("Unreadable", "%v", err)
		}
		typed := P(new(O))
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, typed); err != nil {
			return notReady("Unreadable", "%v", err)
		}
		return judge(typed)
	}}
}

func typesOf(rules map[schema.GroupKind]readyRule) map[reflect.Type]schema.GroupKind {
	autoscaler := schema.GroupKind{Group: autoscalingv1.GroupName, Kind: "HorizontalPodAutoscaler"}
	types := map[reflect.Type]schema.GroupKind{
		reflect.TypeFor[*autoscalingv1.HorizontalPodAutoscaler](): autoscaler,
	}
	for kind, rule := range rules {
		if rule.goType != nil {
			types[rule.goType] = kind
		}
	}
	return types
}

// ruleFor returns the rule for the kind of an object.
func ruleFor(object client.Object) (readyRule, bool) {
	kind, ok := readyTypes[reflect.TypeOf(object)]
	if !ok {
		kind = object.GetObjectKind().GroupVersionKind().GroupKind()
	}
	rule, ok := readyRules[kind]
	return rule, ok
}
