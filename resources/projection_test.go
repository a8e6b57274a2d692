package resources_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// What somebody does to the fields of a Deployment, and whether it is ours to
// repair.
func TestOnlyWhatIsOwnedCounts(t *testing.T) {
	for name, test := range map[string]struct {
		reason string
		change func(*appsv1.Deployment)
		repair bool
	}{
		"label":       {"others' labels stay", func(d *appsv1.Deployment) { d.Labels["theirs"] = "x" }, false},
		"annotation":  {"so do others' annotations", func(d *appsv1.Deployment) { d.Annotations = map[string]string{"a": "b"} }, false},
		"replicas":    {"an autoscaler's replicas stay", func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](7) }, false},
		"restart":     {"kubectl rollout restart stays (C47)", func(d *appsv1.Deployment) { d.Spec.Template.Annotations = map[string]string{"restartedAt": "now"} }, false},
		"sidecar":     {"an injected container stays (C47)", addContainer(1), false},
		"sidecar 1st": {"also in the first place", addContainer(0), false},
		"image":       {"our image is ours", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "theirs" }, true},
		"our label":   {"our label is ours", func(d *appsv1.Deployment) { delete(d.Labels, resources.StepLabel) }, true},
		"owner":       {"so is the ownership, while the controller is still us", func(d *appsv1.Deployment) { d.OwnerReferences[0].BlockOwnerDeletion = nil }, true},
		"our port":    {"a field of ours in a list", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Ports[0].Name = "other" }, true},
		"our env":     {"an item of ours that was removed", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Env = nil }, true},
		"order": {"the order of our items", func(d *appsv1.Deployment) {
			env := d.Spec.Template.Spec.Containers[0].Env
			env[0], env[1] = env[1], env[0]
		}, true},
		"their env": {"an item of theirs among ours", func(d *appsv1.Deployment) {
			container := &d.Spec.Template.Spec.Containers[0]
			container.Env = append(container.Env, corev1.EnvVar{Name: "THEIRS", Value: "x"})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			step := resources.Ensure(func(app *v1.MyApp) (*appsv1.Deployment, error) {
				child, err := desiredDeployment(app)
				child.Spec.Replicas = nil
				container := &child.Spec.Template.Spec.Containers[0]
				container.Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}}
				container.Env = []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}}
				return child, err
			}).ReadyWhen(func(*appsv1.Deployment) resources.Readiness { return resources.Readiness{Ready: true} })
			b := newBench(t, step)
			b.want("first pass", reconcile.Continue)
			child := b.deployment()
			b.get(child)
			wanted := child.DeepCopy()
			test.change(child)
			b.update(child)
			changed := child.DeepCopy()
			b.caughtUp(child)
			b.writes()
			b.Events.Reset()
			b.want("after the change", reconcile.Continue)
			b.get(child)
			if !test.repair {
				b.wrote(test.reason)
				if child.ResourceVersion != changed.ResourceVersion {
					t.Errorf("%s: it was changed", test.reason)
				}
			} else {
				b.wrote(test.reason, "patch deployments web")
				if diff := cmp.Diff(wanted.Spec, child.Spec); diff != "" {
					t.Errorf("%s: not as it was (-want +got):\n%s", test.reason, diff)
				}
				if events := b.Events.All(); len(events) != 1 || !strings.HasPrefix(events[0], "Normal Repaired") {
					t.Errorf("events = %q, want one about the repair", events)
				}
			}
			b.quiet(child)
		})
	}
}

func addContainer(at int) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) {
		theirs := corev1.Container{Name: "proxy", Image: "proxy"}
		containers := d.Spec.Template.Spec.Containers
		d.Spec.Template.Spec.Containers = append(containers[:at:at], append([]corev1.Container{theirs}, containers[at:]...)...)
	}
}

func TestAStatusUpdateSendsNothing(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredDeployment))
	if _, err := b.pass(); err != nil {
		t.Fatal(err)
	}
	child := b.deployment()
	b.get(child)
	child.Status.ObservedGeneration = 1
	child.Status.Replicas = 1
	if err := b.User.Status().Update(t.Context(), child); err != nil {
		t.Fatal(err)
	}
	b.quiet(child)
}

// What the server fills in or writes in its own way is not drift (C01, C03, C41).
func TestServersFormIsNotDrift(t *testing.T) {
	b := newBench(t, resources.Ensure(func(app *v1.MyApp) (*corev1.Service, error) {
		return &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: app.Name},
			Spec: corev1.ServiceSpec{
				Type:     corev1.ServiceTypeNodePort,
				Selector: map[string]string{"app": app.Name},
				Ports:    []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(8080)}},
			},
		}, nil
	}))
	b.want("first pass", reconcile.Continue)
	child := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: b.namespace}}
	b.get(child)
	if child.Spec.ClusterIP == "" || child.Spec.Ports[0].NodePort == 0 || child.Spec.Ports[0].Protocol == "" {
		t.Fatalf("the server filled in nothing: %+v", child.Spec)
	}
	addresses := child.Spec.DeepCopy()
	b.quiet(child)

	child.Labels["theirs"] = "x" // moves the resourceVersion
	b.update(child)
	b.quiet(child)

	b.Environment.Memory = reconcile.NewMemory() // as after a restart
	b.want("first pass after a restart", reconcile.Continue)
	b.get(child)
	if diff := cmp.Diff(*addresses, child.Spec); diff != "" {
		t.Errorf("addresses changed (-before +after):\n%s", diff)
	}
	b.quiet(child)
}

// A restarted operator recognises what it made before.
func TestARestartOverConvergedChildrenSendsNothing(t *testing.T) {
	quantity := resource.MustParse
	for name, step := range map[string]reconcile.Step[*v1.MyApp]{
		"ConfigMap": resources.Ensure(desiredConfigMap),
		"Deployment": resources.Ensure(func(app *v1.MyApp) (*appsv1.Deployment, error) {
			child, err := desiredDeployment(app)
			pod := &child.Spec.Template.Spec
			pod.Volumes = []corev1.Volume{
				{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
				{Name: "secret", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "s"}}},
			}
			pod.NodeSelector = map[string]string{"disk": "fast"}
			pod.Tolerations = []corev1.Toleration{{Key: "a", Operator: corev1.TolerationOpExists}}
			container := &pod.Containers[0]
			container.Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}, {Name: "dns", ContainerPort: 53, Protocol: corev1.ProtocolUDP}}
			container.Env = []corev1.EnvVar{{Name: "B", Value: "2"}, {Name: "A", Value: ""}, {Name: "IP", ValueFrom: &corev1.EnvVarSource{
				FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.podIP"},
			}}}
			container.Resources.Limits = corev1.ResourceList{"cpu": quantity("1000m"), "memory": quantity("1024Mi")}
			container.ReadinessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
				HTTPGet: &corev1.HTTPGetAction{Path: "/", Port: intstr.FromString("http")},
			}}
			container.SecurityContext = &corev1.SecurityContext{Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}}
			return child, err
		}).ReadyWhen(func(*appsv1.Deployment) resources.Readiness { return resources.Readiness{Ready: true} }),
		"Service": resources.Ensure(func(app *v1.MyApp) (*corev1.Service, error) {
			return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: app.Name, Annotations: map[string]string{"a": "b"}}, Spec: corev1.ServiceSpec{
				Selector: map[string]string{"app": app.Name},
				Ports:    []corev1.ServicePort{{Name: "http", Port: 80}, {Name: "dns", Port: 53, Protocol: corev1.ProtocolUDP, TargetPort: intstr.FromString("dns")}},
			}}, nil
		}),
		"Secret": resources.Ensure(func(app *v1.MyApp) (*corev1.Secret, error) {
			return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: app.Name}, StringData: map[string]string{"a": "b"}, Data: map[string][]byte{"c": []byte("d")}}, nil
		}),
		"NetworkPolicy": resources.Ensure(func(app *v1.MyApp) (*networkingv1.NetworkPolicy, error) {
			return &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: app.Name}, Spec: networkingv1.NetworkPolicySpec{
				PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{"app": app.Name}},
				Ingress:     []networkingv1.NetworkPolicyIngressRule{{Ports: []networkingv1.NetworkPolicyPort{{Port: ptr.To(intstr.FromInt32(80))}}}},
			}}, nil
		}),
		"StatefulSet": resources.Ensure(func(app *v1.MyApp) (*appsv1.StatefulSet, error) {
			labels := map[string]string{"app": app.Name}
			return &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: app.Name}, Spec: appsv1.StatefulSetSpec{
				Selector: &metav1.LabelSelector{MatchLabels: labels},
				Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
					Containers: []corev1.Container{{Name: "app", Image: "x"}},
					Volumes: []corev1.Volume{{Name: "token", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
						Sources: []corev1.VolumeProjection{{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token"}}},
					}}}},
				}},
				VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: corev1.PersistentVolumeClaimSpec{
					AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
					Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": quantity("1024Mi")}},
				}}},
			}}, nil
		}).ReadyWhen(func(*appsv1.StatefulSet) resources.Readiness { return resources.Readiness{Ready: true} }),
		"Job": resources.Ensure(func(app *v1.MyApp) (*batchv1.Job, error) {
			return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: app.Name}, Spec: batchv1.JobSpec{
				Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
					RestartPolicy: corev1.RestartPolicyNever,
					Containers:    []corev1.Container{{Name: "app", Image: "x"}},
				}},
				PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
					Action:          batchv1.PodFailurePolicyActionIgnore,
					OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: corev1.DisruptionTarget}},
				}}},
			}}, nil
		}).ReadyWhen(func(*batchv1.Job) resources.Readiness { return resources.Readiness{Ready: true} }),
		"unstructured": resources.Ensure(func(app *v1.MyApp) (*unstructured.Unstructured, error) {
			return &unstructured.Unstructured{Object: map[string]any{
				"metadata": map[string]any{"name": app.Name + "-child"},
				"spec":     map[string]any{"replicas": 3, "image": "x"},
			}}, nil
		}).Kind(v1.GroupVersion.WithKind("MyApp")).ReadyWhen(func(*unstructured.Unstructured) resources.Readiness { return resources.Readiness{Ready: true} }),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, step)
			b.want("first pass", reconcile.Continue)
			b.restart()
			b.quiet()
			b.app.Spec.Image = "img:2" // still quiet for a child that does not depend on it
			if _, err := b.pass(); err != nil {
				t.Fatal(err)
			}
			b.restart()
			b.quiet()
		})
	}
}
