package faults_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/faults"
)

// broken are sweeps that cannot test anything.
var broken = map[string]struct {
	change func(*faults.Sweep)
	want   string // what is said
}{
	"no kinds":   {func(s *faults.Sweep) { s.Kinds = nil }, "Kinds and New are required"},
	"no New":     {func(s *faults.Sweep) { s.New = nil }, "Kinds and New are required"},
	"no setup":   {func(s *faults.Sweep) { s.New = func() faults.Subject { return faults.Subject{} } }, "Setup of what New returns is required"},
	"no request": {func(s *faults.Sweep) { s.Given = nil }, "sends no request at which something could go wrong"},
	"no change":  {func(s *faults.Sweep) { s.Changes = []faults.Change{{Name: "nothing"}} }, `"nothing", does nothing`},
	"no controller": {func(s *faults.Sweep) {
		s.New = func() faults.Subject { return faults.Subject{Setup: func(ctrl.Manager) error { return nil }} }
	}, "no controller was added to the manager"},
	"no invariant": {func(s *faults.Sweep) {
		s.New = func() faults.Subject {
			return faults.Subject{Setup: shadow{}.setup, Always: []faults.Invariant{{Name: "nothing"}}}
		}
	}, `"nothing" looks at nothing`},
}

// TestBroken runs the sweep that the environment names, for the tests below.
func TestBroken(t *testing.T) {
	name := os.Getenv("FAULTS_BROKEN")
	if name == "" {
		return // there is nothing to see unless another test runs it
	}
	service := &corev1.Service{ObjectMeta: named, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
	sweep := faults.Sweep{Kinds: kinds(t), Given: []client.Object{service}, New: func() faults.Subject {
		return faults.Subject{Setup: shadow{}.setup}
	}}
	if test, ok := broken[name]; ok {
		test.change(&sweep)
	}
	sweep.Check(t)
}

// again runs this test program, with the sweep of a name and more arguments.
func again(t *testing.T, name string, arguments ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], append([]string{"-test.run=^TestBroken$", "-test.v"}, arguments...)...)
	command.Env = append(os.Environ(), "FAULTS_BROKEN="+name)
	output, err := command.CombinedOutput()
	return string(output), err
}

// A sweep that cannot test anything ends its test and says why.
func TestSweepsThatCannotTestAnything(t *testing.T) {
	for name, test := range broken {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			output, err := again(t, name)
			if err == nil || !strings.Contains(output, test.want) || strings.Contains(output, "panic") {
				t.Errorf("the test ended with %v and said\n%s\nwant %q", err, output, test.want)
			}
		})
	}
}

// A run that is good is told when it is asked for, and a schedule that cannot happen is
// no good run.
func TestReplayOfAGoodRun(t *testing.T) {
	output, err := again(t, "none", "-faults.schedule=1:lost")
	want := []string{"1:lost, with which nothing is wrong", "FAULT 1:lost", "  1 create configmaps demo"}
	for _, line := range want {
		if err != nil || !strings.Contains(output, line) {
			t.Errorf("the test ended with %v and said\n%s\nwant %q", err, output, line)
		}
	}
	output, err = again(t, "none", "-faults.schedule=9:lost")
	if err == nil || !strings.Contains(output, "of 9:lost only [] happened: the run has 1 requests") {
		t.Errorf("the test ended with %v and said\n%s", err, output)
	}
}
