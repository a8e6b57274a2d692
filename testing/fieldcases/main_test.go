package fieldcases_test

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/yaml"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/cluster"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

func TestMain(m *testing.M) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(v1.CRD, crd); err != nil {
		panic(err)
	}
	cluster.Main(m, cluster.Options{
		Controllers: true,
		CRDs:        []*apiextensionsv1.CustomResourceDefinition{crd},
		Flags: map[cluster.Component][]string{cluster.ControllerManager: {
			"--controllers=garbage-collector-controller,namespace-controller,serviceaccount-controller," +
				"serviceaccount-token-controller,persistentvolumeclaim-protection-controller",
		}},
	})
}

// pipeline is the operator that is made with the library.
type pipeline = *reconcile.Pipeline[*v1.MyApp]

// fieldCase is one case.
type fieldCase struct {
	id string
	// trueup makes the operator of a process. Defaults to the one without options.
	trueup func(*world.Process) pipeline
	// naive makes the handwritten one. Defaults to the one without options.
	naive func(*world.Process) *naive.Reconciler
	// shows is what the handwritten one has to fail in: a part of the fault's text.
	shows string
	// run is the case.
	run func(*world.World)
}

// cases are all cases. Each is made anew for each run.
var cases = []func() fieldCase{
	c01, c03, c05, c07, c09, c11, c13, c15, c17, c19, c21, c23, c25, c27, c29, c31, c33, c35,
	c37, c39, c41, c43, c45, c47, c49, c51, c53, c55,
	c57, c59, c61, c63, c65, c67, c69, c71, c73, c75,
}

func TestFieldCases(t *testing.T) {
	for _, made := range cases {
		c := made()
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			t.Run("naive", func(t *testing.T) { failsNaively(t, made()) })
			t.Run("trueup", func(t *testing.T) { passes(t, made()) })
		})
	}
}

// failsNaively runs a case with the handwritten reconciler, which has to fail it.
func failsNaively(t *testing.T, c fieldCase) {
	t.Helper()
	shown := func(fault string) bool { return c.shows != "" && strings.Contains(fault, c.shows) }
	faults := c.in(t, shown, func(p *world.Process) (ctrlreconcile.Reconciler, error) {
		made := &naive.Reconciler{}
		if c.naive != nil {
			made = c.naive(p)
		}
		made.Client, made.Recorder, made.Clock = p.Env.Client, p.Env.Recorder, p.Env.Clock
		return made, nil
	})
	if len(faults) > 0 && shown(faults[len(faults)-1]) {
		t.Logf("fails as it should: %.200s", faults[len(faults)-1])
		return
	}
	t.Errorf("the handwritten reconciler does not fail in %q, but in:\n%s", c.shows, strings.Join(faults, "\n"))
}

// passes runs a case with the operator that is made with the library.
func passes(t *testing.T, c fieldCase) {
	t.Helper()
	faults := c.in(t, nil, func(p *world.Process) (ctrlreconcile.Reconciler, error) {
		made := operator.New(operator.Options{})
		if c.trueup != nil {
			made = c.trueup(p)
		}
		return world.SetUp(p, made)
	})
	for _, fault := range faults {
		t.Error(fault)
	}
}

func (c fieldCase) in(t *testing.T, enough func(string) bool, build world.Build) []string {
	t.Helper()
	shared := cluster.Shared(t)
	return world.Run(t, shared.Config(), func() string { return shared.Namespace(t) }, build, c.run, enough)
}
