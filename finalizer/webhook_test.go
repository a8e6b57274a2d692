package finalizer_test

import (
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/resources"
)

// An admission webhook, a real server, that refuses or is down: the status says
// so, in the API server's words, and what was under way goes on when it is over.
func TestAWebhookThatRefusesOrIsDown(t *testing.T) {
	for what, s := range map[string]subject{
		"apply":           {admissionregistrationv1.Update, "", "configmaps", "ConfigMap: "},
		"delete":          {admissionregistrationv1.Delete, "", "configmaps", "deletion waits for ConfigMap: "},
		"take-finalizers": {admissionregistrationv1.Update, v1.GroupVersion.Group, "myapps", "deletion waits for finalizers: "},
	} {
		for reason, words := range map[string]string{"Denied": refusal, "WebhookFailed": "failed calling webhook"} {
			name := what + "-" + strings.ToLower(reason)
			t.Run(name, func(t *testing.T) {
				o := operate(t, name, (&held{}).step(), resources.Ensure(desiredConfigMap).Finalizer("apps.example.com/config"))
				o.says("Ready", "every step is ready")
				webhook := o.admission(s.operation, s.group, s.resource)
				end := webhook.refuse
				if reason == "WebhookFailed" {
					end = webhook.down
				}
				s.play(o, end, func() { o.tells(reason, s.about, words) })
				if n := len(o.requests.All(isStatus)); n > 3 {
					t.Errorf("the status was written %d times: when it was ready, when it was not, and when it was again", n)
				}
			})
		}
	}
}

// subject is what a webhook is asked about, and how the status begins that tells
// of it.
type subject struct {
	operation              admissionregistrationv1.OperationType
	group, resource, about string
}

// play has the webhook fail while the app is changed, or deleted where it is not
// asked about an apply, and checks that this goes on in the end.
func (s *subject) play(o *operated, fail func() (back func()), told func()) {
	o.Helper()
	config := child(o, &corev1.ConfigMap{})
	back := fail()
	if !strings.HasPrefix(s.about, "deletion") {
		o.change(o.app, func() { o.app.Spec.Image = "img:2" })
		told()
		back()
		o.says("Ready", "every step is ready")
		if !o.read(config) || config.Data["image"] != "img:2" {
			o.Errorf("it did not go on: %v", config.Data)
		}
		return
	}
	o.remove(o.app, metav1.DeletePropagationBackground)
	told()
	back()
	o.gone(o.app, config)
}

// tells waits until the Ready condition is False for a reason and its message is
// about something and has some words.
func (o *operated) tells(reason, about, words string) {
	o.Helper()
	o.eventually("it tells "+reason+": "+about+"…"+words, func() bool {
		if !o.read(o.app) {
			o.Fatal("it is gone")
		}
		ready := meta.FindStatusCondition(o.app.Status.Conditions, "Ready")
		return ready != nil && ready.Status == metav1.ConditionFalse && ready.Reason == reason &&
			strings.HasPrefix(ready.Message, about) && strings.Contains(ready.Message, words)
	})
}
