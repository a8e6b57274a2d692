package resources

import (
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestHorizontalPodAutoscalerReadiness(t *testing.T) {
	with := func(conditions ...autoscalingv2.HorizontalPodAutoscalerCondition) *autoscalingv2.HorizontalPodAutoscaler {
		return &autoscalingv2.HorizontalPodAutoscaler{Status: autoscalingv2.HorizontalPodAutoscalerStatus{Conditions: conditions}}
	}
	is := func(kind autoscalingv2.HorizontalPodAutoscalerConditionType, status corev1.ConditionStatus, reason string) autoscalingv2.HorizontalPodAutoscalerCondition {
		return autoscalingv2.HorizontalPodAutoscalerCondition{Type: kind, Status: status, Reason: reason}
	}
	able := is(autoscalingv2.AbleToScale, "True", "SucceededGetScale")
	active := is(autoscalingv2.ScalingActive, "True", "ValidMetricFound")
	outdated := with(able, active)
	outdated.Generation, outdated.Status.ObservedGeneration = 2, new(int64(1))
	judge(t, "autoscaling/v2", "HorizontalPodAutoscaler", map[string]judgement{
		"new":        {reason: "nobody has looked", object: with(), want: "NotActive"},
		"no target":  {reason: "there is nothing to scale", object: with(is(autoscalingv2.AbleToScale, "False", "FailedGetScale")), want: "FailedGetScale"},
		"no metrics": {reason: "it does not know", object: with(able, is(autoscalingv2.ScalingActive, "False", "FailedGetResourceMetric")), want: "FailedGetResourceMetric"},
		"active":     {reason: "it works", object: with(able, active, is(autoscalingv2.ScalingLimited, "True", "TooFewReplicas")), want: "ready"},
		"disabled":   {reason: "somebody has scaled to 0, which it respects", object: with(able, is(autoscalingv2.ScalingActive, "False", "ScalingDisabled")), want: "ready"},
		"changed":    {reason: "the status is about the previous version", object: outdated, want: "LatestGenerationNotObserved"},
	})
	v1With := func(annotation string) *autoscalingv1.HorizontalPodAutoscaler {
		return &autoscalingv1.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{autoscalerConditions: annotation}}}
	}
	judge(t, "autoscaling/v1", "HorizontalPodAutoscaler", map[string]judgement{
		"version 1, new":        {reason: "nobody has looked", object: &autoscalingv1.HorizontalPodAutoscaler{}, want: "NotActive"},
		"version 1, active":     {reason: "it works", object: v1With(`[{"type":"AbleToScale","status":"True"},{"type":"ScalingActive","status":"True"}]`), want: "ready"},
		"version 1, no metrics": {reason: "it does not know", object: v1With(`[{"type":"ScalingActive","status":"False","reason":"FailedGetResourceMetric"}]`), want: "FailedGetResourceMetric"},
		"version 1, broken":     {reason: "somebody wrote something else there", object: v1With(`{`), want: "Unreadable"},
	})
}
