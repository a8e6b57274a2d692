package resources

import (
	"encoding/json"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
)

// autoscalerConditions is where version 1 of the API has the conditions.
const autoscalerConditions = "autoscaling.alpha.kubernetes.io/conditions"

// autoscalerReadiness waits until the autoscaler works, which takes metrics.
// What its conditions say in words is full of numbers, and left out.
func autoscalerReadiness(autoscaler *autoscalingv2.HorizontalPodAutoscaler) Readiness {
	if observed := autoscaler.Status.ObservedGeneration; observed != nil && *observed < autoscaler.Generation {
		return unseen
	}
	conditions := autoscaler.Status.Conditions
	if text, ok := autoscaler.Annotations[autoscalerConditions]; ok && len(conditions) == 0 {
		if err := json.Unmarshal([]byte(text), &conditions); err != nil {
			return notReady("Unreadable", "annotation %s: %v", autoscalerConditions, err)
		}
	}
	active := false
	for i := range conditions {
		condition := &conditions[i]
		switch condition.Type {
		case autoscalingv2.AbleToScale:
			if condition.Status != corev1.ConditionTrue {
				return notReady(condition.Reason, "it cannot scale its target: see its condition AbleToScale")
			}
		case autoscalingv2.ScalingActive:
			active = condition.Status == corev1.ConditionTrue || condition.Reason == "ScalingDisabled"
			if !active {
				return notReady(condition.Reason, "it cannot tell how many pods there should be: see its condition ScalingActive")
			}
		}
	}
	if !active {
		return notReady("NotActive", "it has not begun to scale yet")
	}
	return ready
}
