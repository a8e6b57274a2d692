package v2

import (
	"context"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// ToV1 makes of a MyApp of this version what it is in v1, which is how it is
// stored. Nothing is lost either way. What into has of slices, maps and pointers
// is shared with from afterwards.
func ToV1(_ context.Context, from *MyApp, into *v1.MyApp) error {
	into.ObjectMeta, into.Status = from.ObjectMeta, from.Status
	into.Spec = v1.MyAppSpec{
		Image:          from.Spec.Image,
		Replicas:       from.Spec.Replicas,
		Port:           from.Spec.ContainerPort,
		NodeSelector:   from.Spec.NodeSelector,
		Resources:      from.Spec.Resources,
		Probes:         from.Spec.Probes,
		Env:            from.Spec.Env,
		Config:         from.Spec.Config,
		SecretName:     from.Spec.SecretName,
		Spread:         from.Spec.Spread,
		Ingress:        from.Spec.Ingress,
		Autoscaling:    from.Spec.Autoscaling,
		Disruption:     from.Spec.Disruption,
		ServiceAccount: from.Spec.ServiceAccount,
		NetworkPolicy:  from.Spec.NetworkPolicy,
	}
	return nil
}

// FromV1 makes of a MyApp as it is stored one of this version, see [ToV1].
func FromV1(_ context.Context, from *v1.MyApp, into *MyApp) error {
	into.ObjectMeta, into.Status = from.ObjectMeta, from.Status
	into.Spec = MyAppSpec{
		Image:          from.Spec.Image,
		Replicas:       from.Spec.Replicas,
		ContainerPort:  from.Spec.Port,
		NodeSelector:   from.Spec.NodeSelector,
		Resources:      from.Spec.Resources,
		Probes:         from.Spec.Probes,
		Env:            from.Spec.Env,
		Config:         from.Spec.Config,
		SecretName:     from.Spec.SecretName,
		Spread:         from.Spec.Spread,
		Ingress:        from.Spec.Ingress,
		Autoscaling:    from.Spec.Autoscaling,
		Disruption:     from.Spec.Disruption,
		ServiceAccount: from.Spec.ServiceAccount,
		NetworkPolicy:  from.Spec.NetworkPolicy,
	}
	return nil
}
