package controller

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// isGuarded reports whether it is said who may call the app.
func isGuarded(app *v1.MyApp) bool { return app.Spec.NetworkPolicy != nil }

// desiredNetworkPolicy lets the pods of some namespaces call the app's port, and
// nobody else.
func desiredNetworkPolicy(app *v1.MyApp) (*networkingv1.NetworkPolicy, error) {
	peers := []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}} // of the same namespace
	if from := app.Spec.NetworkPolicy.FromNamespaces; len(from) > 0 {
		peers = append(peers, networkingv1.NetworkPolicyPeer{NamespaceSelector: &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{
				Key: corev1.LabelMetadataName, Operator: metav1.LabelSelectorOpIn, Values: from,
			}},
		}})
	}
	return &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name, Labels: labels(app)},
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: labels(app)},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
			Ingress: []networkingv1.NetworkPolicyIngressRule{{
				From:  peers,
				Ports: []networkingv1.NetworkPolicyPort{{Port: new(intstr.FromString("http"))}},
			}},
		},
	}, nil
}
