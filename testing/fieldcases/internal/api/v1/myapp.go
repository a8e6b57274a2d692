// Package v1 is the MyApp of the field cases: the kind that their operators
// reconcile.
//
// +kubebuilder:object:generate=true
// +groupName=myapp.example
package v1

import (
	_ "embed"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

//go:generate go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0 object crd paths=. output:crd:dir=.

// GroupVersion is the API group and version of MyApps.
var GroupVersion = schema.GroupVersion{Group: "myapp.example", Version: "v1"}

// AddToScheme makes MyApps known to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &MyApp{}, &MyAppList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

// CRD is the definition of MyApps.
//
//go:embed myapp.example_myapps.yaml
var CRD []byte

// Spec is what its user wants a MyApp to be.
type Spec struct {
	// replicas: nil means 1.
	Replicas *int32 `json:"replicas,omitempty"`
	// image must not be empty, which no schema says: it is for the operator to find.
	Image string `json:"image,omitempty"`
	// port: nil means 8080.
	Port *int32 `json:"port,omitempty"`

	Env            map[string]string           `json:"env,omitempty"`
	PodLabels      map[string]string           `json:"podLabels,omitempty"`
	PodAnnotations map[string]string           `json:"podAnnotations,omitempty"`
	Resources      corev1.ResourceRequirements `json:"resources,omitempty"`
	NodeSelector   map[string]string           `json:"nodeSelector,omitempty"`

	ServiceLabels      map[string]string  `json:"serviceLabels,omitempty"`
	ServiceAnnotations map[string]string  `json:"serviceAnnotations,omitempty"`
	ServiceType        corev1.ServiceType `json:"serviceType,omitempty"`
	ExtraPorts         []Port             `json:"extraPorts,omitempty"`

	// configData becomes the ConfigMap <app>-config.
	ConfigData map[string]string `json:"configData,omitempty"`
	// secretName is a Secret of the user's.
	SecretName string `json:"secretName,omitempty"`
	// workers each have a Deployment and a Service <app>-<worker>, and a claim
	// data-<worker>.
	Workers []string `json:"workers,omitempty"`
	// expose asks for an Ingress.
	Expose bool `json:"expose,omitempty"`
	// migrate asks for a Job for each image.
	Migrate bool `json:"migrate,omitempty"`
	// storage asks for a StatefulSet <app>-data with a claim data-0 of this size.
	Storage *resource.Quantity `json:"storage,omitempty"`
}

// Port is a further port of the Service.
type Port struct {
	Name string `json:"name"`
	Port int32  `json:"port"`
}

// Status is how a MyApp is doing.
type Status struct {
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	ReadyReplicas      int32 `json:"readyReplicas,omitempty"`
	// registryID is what the Registry calls the app.
	RegistryID string `json:"registryID,omitempty"`
	// auditID is somebody else's.
	AuditID string `json:"auditID,omitempty"`
	// draining are workers that are on their way out.
	// +listType=map
	// +listMapKey=name
	Draining []Draining `json:"draining,omitempty"`
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Draining is a worker that is not wanted any more.
type Draining struct {
	Name  string      `json:"name"`
	Since metav1.Time `json:"since"`
}

// MyApp is an application.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type MyApp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   Spec   `json:"spec,omitempty"`
	Status Status `json:"status,omitempty"`
}

// MyAppList is a list of MyApps.
//
// +kubebuilder:object:root=true
type MyAppList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []MyApp `json:"items"`
}
