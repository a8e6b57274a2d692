package v1

// Probes say how to find out how a pod is.
type Probes struct {
	// path is what is asked for, at the app's port. 200 to 399 is a good answer.
	// +required
	// +kubebuilder:validation:Pattern=`^/`
	// +kubebuilder:validation:MaxLength=1024
	Path string `json:"path"`
}

// EnvVar is an environment variable.
type EnvVar struct {
	// name of the variable.
	// +required
	// +kubebuilder:validation:Pattern=`^[A-Za-z_][A-Za-z0-9_]*$`
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// value of the variable, as it is.
	// +optional
	Value string `json:"value,omitempty"`
}

// Spread is between what pods are spread.
//
// +kubebuilder:validation:Enum=Node;Zone
type Spread string

// The ways to spread pods.
const (
	SpreadNode Spread = "Node"
	SpreadZone Spread = "Zone"
)

// Ingress is how the world gets to an app.
type Ingress struct {
	// host is the name by which it does.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Subdomain().validate(self).hasValue()",message="must be the name of a host: lower-case letters, digits, '-' and '.'"
	Host string `json:"host"`

	// className is the class of the Ingress. Defaults to that of the cluster.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ClassName *string `json:"className,omitempty"`

	// tlsSecretName is the Secret with the certificate. Defaults to no TLS.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	TLSSecretName string `json:"tlsSecretName,omitempty"`
}

// Autoscaling is between what bounds there are pods, and why.
//
// +kubebuilder:validation:XValidation:rule="!has(self.minReplicas) || self.minReplicas <= self.maxReplicas",message="minReplicas must not be more than maxReplicas"
type Autoscaling struct {
	// minReplicas is how many pods there are at least. The webhook makes it replicas
	// if it is not set; otherwise it is 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	MinReplicas *int32 `json:"minReplicas,omitempty"`

	// maxReplicas is how many pods there are at most.
	// +required
	// +kubebuilder:validation:Minimum=1
	MaxReplicas int32 `json:"maxReplicas"`

	// cpuPercent is the part of the requested CPU that pods should use on average.
	// +optional
	// +kubebuilder:default=80
	// +kubebuilder:validation:Minimum=1
	CPUPercent int32 `json:"cpuPercent,omitempty"`
}

// Disruption limits how many pods may be away.
type Disruption struct {
	// maxUnavailable is how many.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	MaxUnavailable *int32 `json:"maxUnavailable,omitempty"`
}

// ServiceAccount is whom the pods act as. They get no token for the API server.
type ServiceAccount struct {
	// annotations of the account, by which clouds know it.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Annotations map[string]string `json:"annotations,omitempty"`
}

// NetworkPolicy is who may call the app: the pods of its own namespace, and of others.
type NetworkPolicy struct {
	// fromNamespaces are the others.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=63
	FromNamespaces []string `json:"fromNamespaces,omitempty"`
}
