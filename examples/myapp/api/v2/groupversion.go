// Package v2 is version v2 of the API group apps.example.com. It says what v1
// says, and calls the port of the container what it is.
//
// +kubebuilder:object:generate=true
// +groupName=apps.example.com
package v2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of the kinds of this package.
var GroupVersion = schema.GroupVersion{Group: "apps.example.com", Version: "v2"}

// AddToScheme makes the kinds of this package known to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &MyApp{}, &MyAppList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
