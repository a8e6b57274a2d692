package memory

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// orElse sets what is not set.
func orElse[V comparable](at *V, value V) {
	var zero V
	if *at == zero {
		*at = value
	}
}

func orElseNew[V any](at **V, value V) {
	if *at == nil {
		*at = &value
	}
}

// setDefaults fills in the defaults of the kinds that operators make the most of. Of
// other kinds there are none.
func setDefaults(object runtime.Object) {
	switch object := object.(type) {
	case *appsv1.Deployment:
		defaultDeployment(&object.Spec)
	case *appsv1.StatefulSet:
		defaultStatefulSet(&object.Spec)
	case *appsv1.DaemonSet:
		orElse(&object.Spec.UpdateStrategy.Type, appsv1.RollingUpdateDaemonSetStrategyType)
		if object.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType {
			orElseNew(&object.Spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateDaemonSet{})
			orElseNew(&object.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
			orElseNew(&object.Spec.UpdateStrategy.RollingUpdate.MaxSurge, intstr.FromInt32(0))
		}
		orElseNew(&object.Spec.RevisionHistoryLimit, 10)
		defaultPod(&object.Spec.Template.Spec)
	case *batchv1.Job:
		defaultJob(&object.Spec)
		if len(object.Labels) == 0 {
			object.Labels = object.Spec.Template.Labels
		}
	case *corev1.Service:
		defaultService(&object.Spec)
	case *corev1.Secret:
		orElse(&object.Type, corev1.SecretTypeOpaque)
		for name, value := range object.StringData {
			if object.Data == nil {
				object.Data = map[string][]byte{}
			}
			object.Data[name] = []byte(value)
		}
		object.StringData = nil
	case *corev1.Pod:
		defaultPod(&object.Spec)
		orElseNew(&object.Spec.EnableServiceLinks, true)
	case *corev1.PersistentVolumeClaim:
		orElse(&object.Status.Phase, corev1.ClaimPending)
		orElseNew(&object.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	case *corev1.Namespace:
		orElse(&object.Status.Phase, corev1.NamespaceActive)
		if object.Name != "" {
			if object.Labels == nil {
				object.Labels = map[string]string{}
			}
			object.Labels[corev1.LabelMetadataName] = object.Name
		}
	}
}

func defaultDeployment(spec *appsv1.DeploymentSpec) {
	orElseNew(&spec.Replicas, 1)
	orElse(&spec.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
	if spec.Strategy.Type == appsv1.RollingUpdateDeploymentStrategyType {
		orElseNew(&spec.Strategy.RollingUpdate, appsv1.RollingUpdateDeployment{})
		orElseNew(&spec.Strategy.RollingUpdate.MaxUnavailable, intstr.FromString("25%"))
		orElseNew(&spec.Strategy.RollingUpdate.MaxSurge, intstr.FromString("25%"))
	}
	orElseNew(&spec.RevisionHistoryLimit, 10)
	orElseNew(&spec.ProgressDeadlineSeconds, 600)
	defaultPod(&spec.Template.Spec)
}

func defaultStatefulSet(spec *appsv1.StatefulSetSpec) {
	orElse(&spec.PodManagementPolicy, appsv1.OrderedReadyPodManagement)
	if spec.UpdateStrategy.Type == "" {
		spec.UpdateStrategy.Type = appsv1.RollingUpdateStatefulSetStrategyType
		orElseNew(&spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateStatefulSetStrategy{})
	}
	if spec.UpdateStrategy.Type == appsv1.RollingUpdateStatefulSetStrategyType && spec.UpdateStrategy.RollingUpdate != nil {
		orElseNew(&spec.UpdateStrategy.RollingUpdate.Partition, 0)
		orElseNew(&spec.UpdateStrategy.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
	}
	orElseNew(&spec.PersistentVolumeClaimRetentionPolicy, appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{})
	orElse(&spec.PersistentVolumeClaimRetentionPolicy.WhenDeleted, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	orElse(&spec.PersistentVolumeClaimRetentionPolicy.WhenScaled, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	orElseNew(&spec.Replicas, 1)
	orElseNew(&spec.RevisionHistoryLimit, 10)
	defaultPod(&spec.Template.Spec)
}

func defaultJob(spec *batchv1.JobSpec) {
	if spec.Completions == nil && spec.Parallelism == nil {
		orElseNew(&spec.Completions, 1)
	}
	orElseNew(&spec.Parallelism, 1)
	orElseNew(&spec.BackoffLimit, 6)
	orElseNew(&spec.CompletionMode, batchv1.NonIndexedCompletion)
	orElseNew(&spec.Suspend, false)
	orElseNew(&spec.PodReplacementPolicy, batchv1.TerminatingOrFailed)
	orElseNew(&spec.ManualSelector, false)
	defaultPod(&spec.Template.Spec)
}

func defaultPod(spec *corev1.PodSpec) {
	orElse(&spec.DNSPolicy, corev1.DNSClusterFirst)
	orElse(&spec.RestartPolicy, corev1.RestartPolicyAlways)
	orElseNew(&spec.SecurityContext, corev1.PodSecurityContext{})
	orElseNew(&spec.TerminationGracePeriodSeconds, corev1.DefaultTerminationGracePeriodSeconds)
	orElse(&spec.SchedulerName, corev1.DefaultSchedulerName)
	spec.DeprecatedServiceAccount = spec.ServiceAccountName
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			defaultContainer(&containers[i])
		}
	}
	for i := range spec.Volumes {
		volume := &spec.Volumes[i]
		switch {
		case volume.ConfigMap != nil:
			orElseNew(&volume.ConfigMap.DefaultMode, corev1.ConfigMapVolumeSourceDefaultMode)
		case volume.Secret != nil:
			orElseNew(&volume.Secret.DefaultMode, corev1.SecretVolumeSourceDefaultMode)
		}
	}
}

func defaultContainer(container *corev1.Container) {
	policy := corev1.PullIfNotPresent
	image := container.Image[strings.LastIndex(container.Image, "/")+1:]
	if !strings.ContainsAny(image, ":@") || strings.HasSuffix(image, ":latest") {
		policy = corev1.PullAlways
	}
	orElse(&container.ImagePullPolicy, policy)
	orElse(&container.TerminationMessagePath, corev1.TerminationMessagePathDefault)
	orElse(&container.TerminationMessagePolicy, corev1.TerminationMessageReadFile)
	for i := range container.Ports {
		orElse(&container.Ports[i].Protocol, corev1.ProtocolTCP)
	}
	for i := range container.Env {
		if source := container.Env[i].ValueFrom; source != nil && source.FieldRef != nil {
			orElse(&source.FieldRef.APIVersion, "v1")
		}
	}
	for _, probe := range []*corev1.Probe{container.LivenessProbe, container.ReadinessProbe, container.StartupProbe} {
		if probe == nil {
			continue
		}
		orElse(&probe.TimeoutSeconds, 1)
		orElse(&probe.PeriodSeconds, 10)
		orElse(&probe.SuccessThreshold, 1)
		orElse(&probe.FailureThreshold, 3)
		if probe.HTTPGet != nil {
			orElse(&probe.HTTPGet.Path, "/")
			orElse(&probe.HTTPGet.Scheme, corev1.URISchemeHTTP)
		}
	}
}

func defaultService(spec *corev1.ServiceSpec) {
	orElse(&spec.SessionAffinity, corev1.ServiceAffinityNone)
	orElse(&spec.Type, corev1.ServiceTypeClusterIP)
	for i := range spec.Ports {
		port := &spec.Ports[i]
		orElse(&port.Protocol, corev1.ProtocolTCP)
		if port.TargetPort == intstr.FromInt32(0) || port.TargetPort == intstr.FromString("") {
			port.TargetPort = intstr.FromInt32(port.Port)
		}
	}
	if spec.Type == corev1.ServiceTypeNodePort || spec.Type == corev1.ServiceTypeLoadBalancer {
		orElse(&spec.ExternalTrafficPolicy, corev1.ServiceExternalTrafficPolicyCluster)
	}
	if spec.Type != corev1.ServiceTypeExternalName {
		orElseNew(&spec.InternalTrafficPolicy, corev1.ServiceInternalTrafficPolicyCluster)
	}
	if spec.Type == corev1.ServiceTypeLoadBalancer {
		orElseNew(&spec.AllocateLoadBalancerNodePorts, true)
	}
}

// clusterIP is what every Service gets that asks for an address. It is the same for
// all, because nothing listens there.
const clusterIP = "10.96.0.10"

// allotService fills in what the server allots to a Service.
func allotService(object runtime.Object, before *unstructured.Unstructured) {
	spec := &object.(*corev1.Service).Spec
	if spec.Type == corev1.ServiceTypeExternalName {
		return
	}
	if before != nil {
		if kept, _, _ := unstructured.NestedString(before.Object, "spec", "clusterIP"); kept != "" {
			orElse(&spec.ClusterIP, kept)
		}
	}
	orElse(&spec.ClusterIP, clusterIP)
	if len(spec.ClusterIPs) == 0 {
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []corev1.IPFamily{corev1.IPv4Protocol}
	}
	orElseNew(&spec.IPFamilyPolicy, corev1.IPFamilyPolicySingleStack)
}
