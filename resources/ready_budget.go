package resources

import (
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
)

// budgetReadiness waits until the budget is reckoned with. Whether it allows a
// disruption at the moment does not matter.
func budgetReadiness(budget *policyv1.PodDisruptionBudget) Readiness {
	if budget.Status.ObservedGeneration < budget.Generation {
		return unseen
	}
	condition := meta.FindStatusCondition(budget.Status.Conditions, policyv1.DisruptionAllowedCondition)
	if condition != nil && condition.Reason == policyv1.SyncFailedReason {
		return notReady(condition.Reason, "it is not in force: see its condition DisruptionAllowed")
	}
	return ready
}
