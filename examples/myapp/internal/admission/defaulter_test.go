package admission

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

func TestDefaulter(t *testing.T) {
	cases := map[string]struct {
		reason    string
		app, want v1.MyAppSpec
	}{
		"nothing to do": {"what is right stays", v1.MyAppSpec{Image: "img:1"}, v1.MyAppSpec{Image: "img:1"}},
		"pasted":        {"white space around an image means nothing", v1.MyAppSpec{Image: " img:1\n"}, v1.MyAppSpec{Image: "img:1"}},
		"autoscaled": {
			"it begins with as many pods as there were",
			v1.MyAppSpec{Image: "img:1", Replicas: new(int32(3)), Autoscaling: &v1.Autoscaling{MaxReplicas: 5}},
			v1.MyAppSpec{Image: "img:1", Replicas: new(int32(3)), Autoscaling: &v1.Autoscaling{MinReplicas: new(int32(3)), MaxReplicas: 5}},
		},
		"autoscaled from 0": {
			"an autoscaler cannot begin there",
			v1.MyAppSpec{Image: "img:1", Replicas: new(int32(0)), Autoscaling: &v1.Autoscaling{MaxReplicas: 5}},
			v1.MyAppSpec{Image: "img:1", Replicas: new(int32(0)), Autoscaling: &v1.Autoscaling{MinReplicas: new(int32(1)), MaxReplicas: 5}},
		},
		"below": {
			"the bounds stay in order",
			v1.MyAppSpec{Image: "img:1", Replicas: new(int32(9)), Autoscaling: &v1.Autoscaling{MaxReplicas: 5}},
			v1.MyAppSpec{Image: "img:1", Replicas: new(int32(9)), Autoscaling: &v1.Autoscaling{MinReplicas: new(int32(5)), MaxReplicas: 5}},
		},
		"bounded": {
			"what was said counts",
			v1.MyAppSpec{Image: "img:1", Replicas: new(int32(3)), Autoscaling: &v1.Autoscaling{MinReplicas: new(int32(2)), MaxReplicas: 5}},
			v1.MyAppSpec{Image: "img:1", Replicas: new(int32(3)), Autoscaling: &v1.Autoscaling{MinReplicas: new(int32(2)), MaxReplicas: 5}},
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			app := &v1.MyApp{Spec: test.app}
			for range 2 { // the second time changes nothing
				if err := (defaulter{}).Default(t.Context(), app); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, app.Spec); diff != "" {
					t.Errorf("%s (-want +got):\n%s", test.reason, diff)
				}
			}
		})
	}
}
