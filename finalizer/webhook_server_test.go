package finalizer_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// refusal is what a webhook that refuses says.
const refusal = "no credentials today"

// admission is an admission webhook, an HTTPS server that the API server has to
// ask. It refuses, or is down, when it is told to.
type admission struct {
	*operated
	server *httptest.Server
	mu     sync.Mutex
	asked  int
	denies bool
}

// admission starts a webhook for an operation on a resource of the namespace and
// returns it when the API server asks it.
func (o *operated) admission(operation admissionregistrationv1.OperationType, group, resource string) *admission {
	o.Helper()
	a := &admission{operated: o}
	a.serve("127.0.0.1:0")
	o.Cleanup(func() { a.server.Close() })
	rule := admissionregistrationv1.Rule{APIGroups: []string{group}, APIVersions: []string{"v1"}, Resources: []string{resource}}
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: o.app.Namespace},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name:                    "credentials.example.com",
			AdmissionReviewVersions: []string{"v1"},
			SideEffects:             ptr.To(admissionregistrationv1.SideEffectClassNone),
			FailurePolicy:           ptr.To(admissionregistrationv1.Fail),
			NamespaceSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: o.app.Namespace}},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{operation}, Rule: rule,
			}},
			ClientConfig: admissionregistrationv1.WebhookClientConfig{
				URL:      ptr.To(a.server.URL),
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.server.Certificate().Raw}),
			},
		}},
	}
	if err := o.Create(o.Context(), configuration); err != nil {
		o.Fatal(err)
	}
	o.Cleanup(func() {
		if err := o.Delete(context.WithoutCancel(o.Context()), configuration); err != nil {
			o.Error(err)
		}
	})
	o.eventually("the webhook is asked", func() bool {
		a.probe(operation, resource)
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.asked > 0
	})
	return a
}

// probe makes a request that the webhook has to be asked about, and that changes
// nothing.
func (a *admission) probe(operation admissionregistrationv1.OperationType, resource string) {
	a.Helper()
	var object client.Object = child(a.operated, &v1.MyApp{})
	if resource == "configmaps" {
		object = child(a.operated, &corev1.ConfigMap{})
	}
	if !a.read(object) {
		a.Fatalf("there is no %T", object)
	}
	object.SetLabels(map[string]string{"probe": "true"})
	var err error
	if operation == admissionregistrationv1.Delete {
		err = a.Delete(a.Context(), object, client.DryRunAll)
	} else {
		err = a.Update(a.Context(), object, client.DryRunAll)
	}
	if err != nil {
		a.Fatal(err)
	}
}

// serve starts the server, at an address that it may have had before.
func (a *admission) serve(address string) {
	a.Helper()
	a.server = httptest.NewUnstartedServer(a)
	_ = a.server.Listener.Close()
	a.eventually("the address is free", func() (free bool) {
		var config net.ListenConfig
		var err error
		a.server.Listener, err = config.Listen(a.Context(), "tcp", address)
		return err == nil
	})
	a.server.StartTLS()
}

// down takes the server down, and returns what brings it back.
func (a *admission) down() (back func()) {
	a.server.Close()
	return func() { a.Helper(); a.serve(a.server.Listener.Addr().String()) }
}

// refuse makes the server refuse, and returns what makes it accept again.
func (a *admission) refuse() (back func()) {
	set := func(denies bool) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.denies = denies
	}
	set(true)
	return func() { set(false) }
}

// ServeHTTP implements [http.Handler].
func (a *admission) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil || review.Request == nil {
		http.Error(w, "no review", http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked++
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: !a.denies}
	if a.denies {
		review.Response.Result = &metav1.Status{Code: http.StatusForbidden, Message: refusal}
	}
	_ = json.NewEncoder(w).Encode(review)
}
