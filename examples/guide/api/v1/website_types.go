package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// WebsiteSpec is what its user wants a Website to be.
type WebsiteSpec struct {
	// pages are what the site shows, by the names of the files.
	// +required
	// +kubebuilder:validation:MinProperties=1
	Pages map[string]string `json:"pages"`

	// replicas is how many pods serve the site.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	Replicas *int32 `json:"replicas,omitempty"`
}

// WebsiteStatus is what the operator says of a Website.
type WebsiteStatus struct {
	// observedGeneration is the generation that this status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// url is where the world finds the site.
	// +optional
	URL string `json:"url,omitempty"`

	// readyReplicas is how many pods serve the site.
	// +optional
	// +kubebuilder:default=0
	ReadyReplicas int32 `json:"readyReplicas"`

	// conditions tell of each part of the site, and Ready of the whole.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Website is some pages that the world can see. Its name is that of its Service too,
// so what a Service cannot be called is refused at once.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="URL",type=string,JSONPath=`.status.url`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be a DNS label that starts with a letter"
type Website struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec WebsiteSpec `json:"spec"`
	// +optional
	Status WebsiteStatus `json:"status,omitzero"`
}

// WebsiteList is a list of Websites.
//
// +kubebuilder:object:root=true
type WebsiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Website `json:"items"`
}
