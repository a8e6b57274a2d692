package steptest_test

import (
	"net/http"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/lives"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// image is a step by itself: a ConfigMap that says which image an app has.
func image() *resources.Child[*v1.MyApp, *corev1.ConfigMap] {
	return resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		return said(app.Name, app.Spec.Image), nil
	})
}

func said(name, image string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"image": image}}
}

// refused is what is told of a Deployment that is.
const refused = `Warning InternalError: Deployment: apply demo/web: an error on the server ("refused by the test") has prevented the request from succeeding (patch deployments.apps web)`

// myApps are cases of this module's pipelines.
var myApps = map[string]steptest.Case{
	"the whole pipeline": {
		Reason: "everything is made at once",
		Setup:  lives.Subject().Setup,
		Want: steptest.Want{
			Writes: []string{
				"patch myapps demo/web", "apply deployments demo/web",
				"apply services demo/web", "patch myapps/status demo/web",
			},
			Events:     []string{"Normal Created: created Deployment web", "Normal Created: created Service web"},
			Conditions: map[string]string{"ServiceReady": "True Ready", "Ready": "False LatestGenerationNotObserved"},
		},
	},
	"the whole pipeline, refused": {
		Reason: "one failing does not freeze the other",
		Setup:  lives.Subject().Setup,
		Refuse: map[string]int{"apply deployments demo/web": http.StatusInternalServerError},
		Want: steptest.Want{
			Writes: []string{
				"patch myapps demo/web", "apply deployments demo/web refused: Internal Server Error",
				"apply services demo/web", "patch myapps/status demo/web",
			},
			Events:     []string{"Normal Created: created Service web", refused},
			Conditions: map[string]string{"DeploymentReady": "False InternalError", "ServiceReady": "True Ready"},
			Error:      "refused by the test",
		},
	},
	"a cache that does not show what was made": {
		Reason: "what was made is not made again, nor told again",
		Setup:  lives.Subject().Setup,
		Want: steptest.Want{
			Writes: []string{
				"patch myapps demo/web", "apply deployments demo/web",
				"apply services demo/web", "patch myapps/status demo/web",
			},
			Events: []string{"Normal Created: created Deployment web", "Normal Created: created Service web"},
		},
		Then: []steptest.Next{{
			Behind: []client.Object{&appsv1.Deployment{}, &corev1.Service{}},
			Want:   steptest.Want{Conditions: map[string]string{"ServiceReady": "True Ready"}},
		}},
	},
	"a failure that is over": {
		Reason: "only what failed is done again",
		Setup:  lives.Subject().Setup,
		Fail:   []steptest.Failure{{Request: "apply deployments demo/web", Code: http.StatusInternalServerError}},
		Want: steptest.Want{
			Writes: []string{
				"patch myapps demo/web", "apply deployments demo/web refused: Internal Server Error",
				"apply services demo/web", "patch myapps/status demo/web",
			},
			Events: []string{"Normal Created: created Service web", refused},
			Error:  "refused by the test",
		},
		Then: []steptest.Next{{Wait: time.Second, Want: steptest.Want{
			Writes: []string{"apply deployments demo/web", "patch myapps/status demo/web"},
			Events: []string{"Normal Created: created Deployment web"},
		}}},
	},
	"a single step": {
		Reason: "a step needs no pipeline around it",
		Setup:  steptest.Steps("image", image()),
		Want: steptest.Want{
			Writes:  []string{"apply configmaps demo/web"},
			Events:  []string{"Normal Created: created ConfigMap web"},
			Objects: []client.Object{said("web", lives.App().Spec.Image)},
		},
	},
}

// Pipelines, and steps by themselves, make the same passes in memory and on a real API
// server.
func TestMyApp(t *testing.T) {
	kinds, err := lives.Kinds()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range myApps {
		test.Kinds, test.Given = kinds, []client.Object{lives.App()}
		t.Run(name, func(t *testing.T) {
			t.Run("in memory", test.Run)
			t.Run("on a cluster", func(t *testing.T) {
				shared := cluster.Shared(t)
				test.RunOn(t, shared.Config(), shared.Namespace(t))
			})
		})
	}
}
