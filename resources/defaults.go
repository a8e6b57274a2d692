package resources

import (
	"reflect"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// atomicDefaults fill in what the API server fills into values that server-side
// apply owns as a whole, which makes the server's value differ from the one that
// was applied. Everywhere else a field that the server filled in is not owned,
// so that it does not come into a comparison. The types are those whose fields
// are defaulted (k8s.io/kubernetes, pkg/apis/*/v1/defaults.go) at or below a list
// or struct that the API declares atomic.
var atomicDefaults = map[reflect.Type]func(any){
	reflect.TypeFor[corev1.ObjectFieldSelector](): func(value any) {
		selector := value.(*corev1.ObjectFieldSelector)
		selector.APIVersion = or(selector.APIVersion, "v1")
	},
	reflect.TypeFor[corev1.ServiceAccountTokenProjection](): func(value any) {
		projection := value.(*corev1.ServiceAccountTokenProjection)
		projection.ExpirationSeconds = orPointer(projection.ExpirationSeconds, 60*60)
	},
	reflect.TypeFor[corev1.PersistentVolumeClaim](): func(value any) {
		claim := value.(*corev1.PersistentVolumeClaim)
		claim.Kind = or(claim.Kind, "PersistentVolumeClaim")
		claim.APIVersion = or(claim.APIVersion, "v1")
		claim.Spec.VolumeMode = orPointer(claim.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
		claim.Status = corev1.PersistentVolumeClaimStatus{}
	},
	reflect.TypeFor[networkingv1.NetworkPolicyPort](): func(value any) {
		port := value.(*networkingv1.NetworkPolicyPort)
		port.Protocol = orPointer(port.Protocol, corev1.ProtocolTCP)
	},
	reflect.TypeFor[batchv1.PodFailurePolicyOnPodConditionsPattern](): func(value any) {
		pattern := value.(*batchv1.PodFailurePolicyOnPodConditionsPattern)
		pattern.Status = or(pattern.Status, corev1.ConditionTrue)
	},
}

func or[V comparable](value, otherwise V) V {
	var zero V
	if value == zero {
		return otherwise
	}
	return value
}

func orPointer[V any](value *V, otherwise V) *V {
	if value == nil {
		return &otherwise
	}
	return value
}

// fillAtomicDefaults applies atomicDefaults to everything that value, a pointer,
// contains.
func fillAtomicDefaults(value reflect.Value) {
	switch value.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !value.IsNil() {
			fillAtomicDefaults(value.Elem())
		}
	case reflect.Slice, reflect.Array:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range value.Len() {
			fillAtomicDefaults(value.Index(i))
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if value.Type().Field(i).IsExported() {
				fillAtomicDefaults(value.Field(i))
			}
		}
		if fill, ok := atomicDefaults[value.Type()]; ok && value.CanAddr() {
			fill(value.Addr().Interface())
		}
	}
}
