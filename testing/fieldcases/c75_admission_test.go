package fieldcases_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C75: an admission check refuses that the finalizer is removed.
// https://github.com/redpanda-data/redpanda/issues/9130
//
// The check is a real webhook. The library has no part in admission: that it skips
// what is being deleted is the author's to write. What the server says of a refusal is
// the reason: Forbidden.
func c75() fieldCase {
	return fieldCase{
		id:     "C75",
		trueup: func(p *world.Process) pipeline { return operator.New(operator.Options{Registry: p.Registry}) },
		naive: func(p *world.Process) *naive.Reconciler {
			return &naive.Reconciler{Registry: p.Registry, Faults: naive.Faults{Registers: true}}
		},
		shows: "step 1: Ready is True",
		run: func(w *world.World) {
			creds := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "creds", Namespace: w.Namespace}}
			w.Must(w.User.Create(w.Context(), creds))
			app := w.S0(func(app *v1.MyApp) { app.Spec.SecretName = "creds" })
			hook := startHook(w)
			w.Must(w.User.Delete(w.Context(), creds))
			w.Expect(w.Eventually(func() bool { return refused(w, app) }), "the hook is not called")
			w.Expect(len(w.Registry.Members()) == 1, "start: the Registry has %v", w.Registry.Members())
			w.Delete(app.Get())
			w.Mark()

			due := time.Duration(0)
			for passes := 0; due < longestBackoff && passes < 30 && !w.Crashed(); passes++ {
				pass := app.Pass()
				w.Expect(pass.Retried() || w.Naive, "step 1: the pass is not retried: %v", pass.Err)
				w.Expect(app.Due() > due || w.Naive, "step 1: the backoff does not grow: %s", app.Due())
				// Cleaning up what is clean does no harm: it goes on to what is refused.
				w.Expect(apierrors.IsForbidden(pass.Err) && len(w.Registry.Members()) == 0, "step 1: the clean-up again: %v", pass.Err)
				due = app.Due()
				w.Clock.SetTime(w.Clock.Now().Add(due))
			}
			w.Expect(due == longestBackoff, "step 1: the backoff has grown to %s, want its cap", due)
			w.Condition("step 1", app, "Ready", metav1.ConditionFalse, world.AdmissionDenied)
			w.Same("step 1: status writes", 1, w.Count(world.WritesTo("myapps/status")))
			w.Expect(len(w.Registry.Members()) == 0, "step 1: the Registry has %v", w.Registry.Members())
			_, cleanups := w.Registry.Calls()
			w.Expect(cleanups >= 2, "step 1: %d clean-ups, want the first and more that do no harm", cleanups)
			w.Expect(slices.Contains(app.Get().Finalizers, world.Finalizer), "step 1: the finalizers are %v", app.Get().Finalizers)
			w.Mark()

			hook.skips.Store(true)
			app.Pass()
			w.Expect(world.Find[v1.MyApp](w, "web") == nil, "step 2: MyApp is still there")
			for _, request := range w.Requests.All(world.WritesTo("myapps")) {
				body := map[string]any{}
				w.Must(json.Unmarshal([]byte(request.Body), &body))
				_, metadata := body["metadata"]
				w.Expect(metadata && len(body) == 1, "step 2: the removal changes more than metadata: %s", request.Body)
			}
			w.Forget(app)

			again := w.App("again")
			hook.off.Store(true) // there are no creds, and this is not about them
			w.Converge()
			hook.down.Store(true)
			w.Delete(again.Get())
			w.Advance(time.Minute)
			w.Expect(world.Find[v1.MyApp](w, "again") != nil, "variant: MyApp is gone")
			hook.down.Store(false)
			w.Advance(longestBackoff)
			w.Expect(world.Find[v1.MyApp](w, "again") == nil, "variant: MyApp is still there")
		},
	}
}

// longestBackoff is controller-runtime's.
const longestBackoff = 1000 * time.Second

// refused reports whether the server refuses an update that would change nothing.
func refused(w *world.World, app *world.App) bool {
	now := app.Get()
	return w.User.Update(w.Context(), now, client.DryRunAll) != nil
}

// hook is an admission webhook that refuses updates of MyApps, but not of their
// status, while their Secret is missing.
type hook struct {
	world *world.World
	skips atomic.Bool // what is being deleted
	off   atomic.Bool // lets everything pass
	down  atomic.Bool // answers nobody
}

func startHook(w *world.World) *hook {
	h := &hook{world: w}
	server := httptest.NewTLSServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of connections that are cut
	w.TB().Cleanup(server.Close)
	config := &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: w.Namespace},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "creds.myapp.example",
			ClientConfig: admissionregistrationv1.WebhookClientConfig{
				URL:      ptr.To(server.URL),
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
			},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Update},
				Rule: admissionregistrationv1.Rule{
					APIGroups: []string{v1.GroupVersion.Group}, APIVersions: []string{"v1"}, Resources: []string{"myapps"},
				},
			}},
			NamespaceSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: w.Namespace}},
			SideEffects:             ptr.To(admissionregistrationv1.SideEffectClassNone),
			AdmissionReviewVersions: []string{"v1"},
		}},
	}
	w.Must(w.User.Create(w.Context(), config))
	w.TB().Cleanup(func() { _ = w.User.Delete(context.Background(), config) })
	return h
}

// ServeHTTP implements http.Handler.
func (h *hook) ServeHTTP(answer http.ResponseWriter, asked *http.Request) {
	if h.down.Load() {
		panic(http.ErrAbortHandler)
	}
	review := &admissionv1.AdmissionReview{}
	app := &v1.MyApp{}
	if json.NewDecoder(asked.Body).Decode(review) != nil || json.Unmarshal(review.Request.Object.Raw, app) != nil {
		http.Error(answer, "not a review", http.StatusBadRequest)
		return
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	if !h.off.Load() && (app.DeletionTimestamp == nil || !h.skips.Load()) {
		err := h.world.User.Get(asked.Context(), client.ObjectKey{Namespace: app.Namespace, Name: "creds"}, &corev1.Secret{})
		if err != nil {
			review.Response.Allowed = false
			review.Response.Result = &metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: err.Error()}
		}
	}
	_ = json.NewEncoder(answer).Encode(review)
}
