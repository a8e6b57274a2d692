package resources_test

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/testing/cluster"
)

// Every refusal of the server has a reason that tells who has to do something, is
// tried again if that somebody is not the author, and is told in words that read
// well behind the name of the step.
func TestEveryRefusalHasItsOutcome(t *testing.T) {
	for name, test := range map[string]struct {
		reason   string
		desired  func(*v1.MyApp) (*corev1.ConfigMap, error)
		prepare  func(*bench)
		want     string
		terminal bool
		says     string
	}{
		"no permission": {
			reason: "whoever gives the operator its permissions",
			prepare: func(b *bench) {
				nobody, err := cluster.Shared(b.T).User("nobody")
				if err != nil {
					b.Fatal(err)
				}
				b.Environment.Client = writingAs(b.T, b.Environment.Client, b.Requests.Attach(nobody))
			},
			want: "Forbidden", says: `apply NS/web: forbidden: User "nobody" cannot patch resource "configmaps" in API group "" in the namespace "NS"`,
		},
		"quota": {
			reason:  "whoever sets the quota, or uses it up",
			prepare: func(b *bench) { b.quota(corev1.ResourceList{"count/configmaps": resource.MustParse("1")}) },
			want:    "QuotaExceeded", says: "apply NS/web: forbidden: exceeded quota: few, requested: count/configmaps=1, used: count/configmaps=1, limited: count/configmaps=1",
		},
		"a webhook denies": {
			reason: "whoever wrote it",
			prepare: func(b *bench) {
				b.webhook(&admissionv1.AdmissionResponse{Result: &metav1.Status{Message: "not on a Friday"}})
			},
			want: "Denied", says: `apply NS/web: admission webhook "friday.example.com" denied the request: not on a Friday`,
		},
		"a webhook denies as if it were invalid": {
			reason: "a code is not what tells a denial",
			prepare: func(b *bench) {
				b.webhook(&admissionv1.AdmissionResponse{Result: &metav1.Status{
					Message: "not on a Friday", Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid,
					Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Field: "data"}}},
				}})
			},
			want: "Denied", says: `apply NS/web: admission webhook "friday.example.com" denied the request: not on a Friday`,
		},
		"a webhook does not answer": {
			reason:  "whoever runs it",
			prepare: func(b *bench) { b.webhook(nil) },
			want:    "WebhookFailed", says: `failed calling webhook "friday.example.com"`,
		},
		"invalid": {
			reason: "the author; the same can never succeed",
			desired: func(app *v1.MyApp) (*corev1.ConfigMap, error) {
				return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Name}, Data: map[string]string{"not a key": ""}}, nil
			},
			want: "Invalid", terminal: true, says: "apply NS/web: invalid: data[not a key]: Invalid value",
		},
		"larger than the server takes": {
			reason:  "the author",
			desired: configMapOf(4 << 20),
			want:    "TooLarge", terminal: true, says: "apply NS/web: Request entity too large: limit is 3145728",
		},
		"larger than the kind may be": {
			reason:  "the author",
			desired: configMapOf(1<<20 + 1),
			want:    "Invalid", terminal: true, says: "apply NS/web: invalid: ",
		},
		"somebody is always faster": {
			reason: "nobody: it gets better",
			prepare: func(b *bench) {
				b.answer(apierrors.NewConflict(schema.GroupResource{Resource: "configmaps"}, "web", io.EOF))
			},
			want: "Conflict", says: "apply NS/web: Operation cannot be fulfilled",
		},
		"too many requests": {
			reason:  "nobody: it gets better",
			prepare: func(b *bench) { b.answer(apierrors.NewTooManyRequestsError("come back later")) },
			want:    "TooManyRequests", says: "apply NS/web: Too many requests: come back later",
		},
	} {
		t.Run(name, func(t *testing.T) {
			desired := test.desired
			if desired == nil {
				desired = desiredConfigMap
			}
			b := newBench(t, resources.Ensure(desired))
			if test.prepare != nil {
				test.prepare(b)
			}
			b.writes()
			_, run, err := b.run()
			if err == nil || reconcile.IsTerminal(err) != test.terminal {
				t.Fatalf("%s: err = %v, want it terminal: %t", test.reason, err, test.terminal)
			}
			report := run.Reports()[0]
			says := strings.ReplaceAll(test.says, "NS", b.namespace)
			if report.Reason != test.want || !strings.Contains(report.Message, says) {
				t.Errorf("%s: report = %s: %s\nwant     %s: %s", test.reason, report.Reason, report.Message, test.want, says)
			}
			if strings.Contains(report.Message, "ConfigMap") {
				t.Errorf("the message %q names the kind, which the step is named after", report.Message)
			}
			b.writes()
			if _, err := b.pass(); err == nil {
				t.Error("it is forgotten")
			}
			if writes := b.writes(); test.terminal != (len(writes) == 0) {
				t.Errorf("the next pass wrote %v", writes)
			}
		})
	}
}

func configMapOf(size int) func(*v1.MyApp) (*corev1.ConfigMap, error) {
	return func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Name}, Data: map[string]string{"x": strings.Repeat("x", size)}}, nil
	}
}

// What the store does not take in comes as an error of the server's own.
func TestWhatTheStoreDoesNotTakeInIsTerminal(t *testing.T) {
	for name, size := range map[string]int{"the store's limit": 1_700_000, "the limit of its client": 2_500_000} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, resources.Ensure(func(app *v1.MyApp) (*unstructured.Unstructured, error) {
				return &unstructured.Unstructured{Object: map[string]any{
					"metadata": map[string]any{"name": app.Name},
					"spec":     map[string]any{"a": strings.Repeat("x", size)},
				}}, nil
			}).Kind(thing))
			for range 2 {
				_, run, err := b.run()
				if !reconcile.IsTerminal(err) || run.Reports()[0].Reason != "TooLarge" {
					t.Fatalf("%v: reports = %.300v, want a terminal error", apierrors.ReasonForError(err), run.Reports())
				}
			}
			b.wrote("it is sent once", "patch things web")
		})
	}
}

// quota puts the namespace under a quota that is used up. The quota's controller
// does not run, so its status is set here.
func (b *bench) quota(hard corev1.ResourceList) {
	b.Helper()
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "few", Namespace: b.namespace},
		Spec:       corev1.ResourceQuotaSpec{Hard: hard},
	}
	b.create(quota)
	quota.Status = corev1.ResourceQuotaStatus{Hard: hard, Used: hard}
	if err := b.User.Status().Update(b.Context(), quota); err != nil {
		b.Fatal(err)
	}
	b.eventually("the quota is in force", func(ctx testContext) bool {
		return apierrors.IsForbidden(b.User.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "probe-", Namespace: b.namespace}}))
	})
}

// webhook has the ConfigMaps of the namespace go through an admission webhook
// that gives one answer, or none if that is nil, and waits until it is in force.
func (b *bench) webhook(answer *admissionv1.AdmissionResponse) {
	b.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		review := &admissionv1.AdmissionReview{}
		if err := json.NewDecoder(r.Body).Decode(review); err != nil || answer == nil {
			http.Error(w, "out of order", http.StatusInternalServerError)
			return
		}
		reply := *answer
		reply.UID = review.Request.UID
		review.Request, review.Response = nil, &reply
		_ = json.NewEncoder(w).Encode(review)
	}))
	b.Cleanup(server.Close)
	config := &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: b.namespace + "-friday"},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "friday.example.com",
			ClientConfig: admissionregistrationv1.WebhookClientConfig{
				URL: ptr.To(server.URL), CABundle: certificateOf(server.Certificate()),
			},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: b.namespace}},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}},
			SideEffects:             ptr.To(admissionregistrationv1.SideEffectClassNone),
			AdmissionReviewVersions: []string{"v1"},
		}},
	}
	b.create(config)
	b.Cleanup(func() { _ = b.User.Delete(b.background(), config) })
	b.eventually("the webhook is in force", func(ctx testContext) bool {
		return b.User.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "probe-", Namespace: b.namespace}}) != nil
	})
}

func certificateOf(certificate *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
}

// answer has every patch answered by an error instead of the server, which cannot
// be brought to it.
func (b *bench) answer(refusal *apierrors.StatusError) {
	b.Helper()
	config := rest.CopyConfig(cluster.Shared(b.T).Config())
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return sender(func(request *http.Request) (*http.Response, error) {
			if request.Method != http.MethodPatch {
				return next.RoundTrip(request)
			}
			status := refusal.Status()
			status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
			body, err := json.Marshal(status)
			return &http.Response{
				StatusCode: int(status.Code), Request: request,
				Header: http.Header{"Content-Type": {"application/json"}},
				Body:   io.NopCloser(strings.NewReader(string(body))),
			}, err
		})
	})
	b.Environment.Client = writingAs(b.T, b.Environment.Client, b.Requests.Attach(config))
}

type sender func(*http.Request) (*http.Response, error)

func (s sender) RoundTrip(request *http.Request) (*http.Response, error) { return s(request) }

// A Detached child whose namespace is not there, or was deleted and made again.
func TestANamespaceThatComesBackGetsItsChildAgain(t *testing.T) {
	elsewhere := ""
	step := resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Name, Namespace: elsewhere}}, nil
	}).Detached("apps.example.com/elsewhere")
	elsewhere = cluster.Shared(t).Namespace(t) + "-b"
	b := newBenchIn(t, []string{elsewhere}, step)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: elsewhere}}
	b.Cleanup(func() { b.finish(namespace) })

	for range 2 {
		result, err := b.pass()
		if err != nil || result.Reason() != "NamespaceNotFound" || result.RequeueAfter() <= 0 {
			t.Fatalf("got %v, %v; want to wait for the namespace, and to look again", result, err)
		}
	}
	b.wrote("it is tried once in a while", "patch configmaps web")
	b.create(namespace)
	b.Environment.Memory = reconcile.NewMemory() // the time has come
	b.want("when it is there", reconcile.Continue)
	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: elsewhere}}
	b.get(child)
	was := child.UID
	b.quiet(child)

	// The namespace's controller does not run: what it does is done here.
	if err := b.User.Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	if err := b.User.Delete(t.Context(), child); err != nil {
		t.Fatal(err)
	}
	b.caughtUp(child)
	b.writes()
	if result, err := b.pass(); err != nil || result.Reason() != "NamespaceTerminating" || result.RequeueAfter() <= 0 {
		t.Errorf("got %v, %v; want to wait, and to look again: it may come back", result, err)
	}
	b.finish(namespace)
	namespace = &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: elsewhere}}
	b.create(namespace)
	b.Environment.Memory = reconcile.NewMemory()
	b.want("when it is there again", reconcile.Continue)
	b.get(child)
	if child.UID == was {
		t.Error("it is the same child, want a new one")
	}
	b.quiet(child)
}

// finish deletes a namespace with what is in it, as its controller would.
func (b *bench) finish(namespace *corev1.Namespace) {
	ctx := b.background()
	_ = b.User.DeleteAllOf(ctx, &corev1.ConfigMap{}, client.InNamespace(namespace.Name))
	_ = b.User.Delete(ctx, namespace)
	if err := b.User.Get(ctx, clientKey(namespace), namespace); err != nil {
		return
	}
	namespace.Spec.Finalizers = nil
	_ = b.User.SubResource("finalize").Update(ctx, namespace)
}
