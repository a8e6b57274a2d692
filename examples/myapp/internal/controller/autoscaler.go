package controller

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// isScaled reports whether an autoscaler says how many pods there are.
func isScaled(app *v1.MyApp) bool { return app.Spec.Autoscaling != nil }

// desiredAutoscaler scales the Deployment by the CPU that its pods use.
func desiredAutoscaler(app *v1.MyApp) (*autoscalingv2.HorizontalPodAutoscaler, error) {
	want := app.Spec.Autoscaling
	return &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name, Labels: labels(app)},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: app.Name},
			MinReplicas:    want.MinReplicas,
			MaxReplicas:    want.MaxReplicas,
			Metrics: []autoscalingv2.MetricSpec{{
				Type: autoscalingv2.ResourceMetricSourceType,
				Resource: &autoscalingv2.ResourceMetricSource{
					Name:   corev1.ResourceCPU,
					Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &want.CPUPercent},
				},
			}},
		},
	}, nil
}
