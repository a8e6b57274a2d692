package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MyAppSpec is what its user wants a MyApp to be.
type MyAppSpec struct {
	// image is the container image to run. It must run as a user other than root.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Image string `json:"image"`

	// replicas is how many pods there should be. 0 stops the app.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	Replicas *int32 `json:"replicas,omitempty"`

	// port is what the container listens on. The Service offers it as port 80.
	// +optional
	// +kubebuilder:default=8080
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port,omitempty"`

	// nodeSelector says by their labels which nodes the pods may run on. Whether
	// its values are ones that a label can have is for the API server to say, when
	// it is given the Deployment.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// resources are what a pod asks for and may use.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`

	// probes say how to find out whether a pod is alive and ready. Defaults to its
	// process being there.
	// +optional
	Probes *Probes `json:"probes,omitempty"`

	// env are environment variables of the container.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=128
	Env []EnvVar `json:"env,omitempty"`

	// config are files, by name, that the container finds in /etc/myapp. Pods start
	// anew when they change.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(file, file.matches('^[-._a-zA-Z0-9]{1,253}$'))",message="the name of a file may have letters, digits, '-', '_' and '.', and at most 253 of them"
	Config map[string]string `json:"config,omitempty"`

	// secretName is a Secret of the same namespace whose keys are environment
	// variables too. It is waited for, and pods start anew when it changes.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	SecretName string `json:"secretName,omitempty"`

	// spread keeps pods apart where that is possible.
	// +optional
	Spread Spread `json:"spread,omitempty"`

	// ingress lets the world in. Defaults to not.
	// +optional
	Ingress *Ingress `json:"ingress,omitempty"`

	// autoscaling has an autoscaler say how many pods there are, instead of
	// replicas. Defaults to not.
	// +optional
	Autoscaling *Autoscaling `json:"autoscaling,omitempty"`

	// disruption limits how many pods may be away at a time, as when nodes are
	// drained. Defaults to no limit.
	// +optional
	Disruption *Disruption `json:"disruption,omitempty"`

	// serviceAccount gives the pods an account of their own. Defaults to the default
	// one of the namespace.
	// +optional
	ServiceAccount *ServiceAccount `json:"serviceAccount,omitempty"`

	// networkPolicy says who may call the app. Defaults to whoever may by other
	// policies.
	// +optional
	NetworkPolicy *NetworkPolicy `json:"networkPolicy,omitempty"`
}

// MyAppStatus is how a MyApp is doing.
type MyAppStatus struct {
	// observedGeneration is the generation that this status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// replicas is how many pods there are.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`

	// readyReplicas is how many of the pods are ready. It is 0, and not left out,
	// as long as none is.
	// +optional
	// +kubebuilder:default=0
	ReadyReplicas int32 `json:"readyReplicas"`

	// selector finds the pods, for autoscalers.
	// +optional
	Selector string `json:"selector,omitempty"`

	// conditions tell of each part of the app, and Ready of the whole.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// MyApp is an application: some replicas of an image behind a Service, known to
// the DNS zone.
//
// The name is also that of the Service, which has to be a DNS label. It is
// checked here, because a name that cannot be mended should not get in.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=ma
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:printcolumn:name="Replicas",type=integer,JSONPath=`.spec.replicas`
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.spec.image`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be a DNS label that starts with a letter, as its Service needs: lower-case letters, digits and '-', at most 63"
type MyApp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec MyAppSpec `json:"spec"`
	// +optional
	Status MyAppStatus `json:"status,omitzero"`
}

// MyAppList is a list of MyApps.
//
// +kubebuilder:object:root=true
type MyAppList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []MyApp `json:"items"`
}
