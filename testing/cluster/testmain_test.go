package cluster

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// tests stands in for testing.M.
type tests func() int

func (t tests) Run() int { return t() }

// TestSharedIsLazy runs this test binary without a test that asks for the
// cluster, in an environment in which none can start.
func TestSharedIsLazy(t *testing.T) {
	for _, flag := range []string{"-test.run=^TestNamespacePrefix$", "-test.list=."} {
		cmd := exec.Command(os.Args[0], flag)
		cmd.Env = append(os.Environ(), "KUBEBUILDER_ASSETS=/does/not/exist", "HOME=", "XDG_CACHE_HOME=")
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", flag, err, output)
		}
	}
}

func TestSharedReportsStart(t *testing.T) {
	t.Setenv("KUBEBUILDER_ASSETS", "/does/not/exist")
	var s sharing
	code := s.run(tests(func() int {
		for range 2 { // the second does not try again
			if _, err := s.get(t.Context()); err == nil || !strings.Contains(err.Error(), "/does/not/exist") {
				t.Errorf("want the error of the start, got %v", err)
			}
		}
		return 1
	}), Options{})
	if code != 1 {
		t.Errorf("want the code of the tests, 1, got %d", code)
	}
}

func TestSharedWithoutMain(t *testing.T) {
	var s sharing
	if _, err := s.get(t.Context()); err == nil || !strings.Contains(err.Error(), "no TestMain that calls cluster.Main") {
		t.Errorf("want an error that says what to do, got %v", err)
	}
}

// TestSharedStops runs tests that share a cluster, of which a component is
// killed meanwhile, or not.
func TestSharedStops(t *testing.T) {
	cases := map[string]struct {
		kill bool
		code int
		want int
	}{
		"Failed":       {code: 2, want: 2},
		"PassedKilled": {kill: true, code: 0, want: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var s sharing
			var c *Cluster
			got := s.run(tests(func() int {
				for range 2 {
					shared, err := s.get(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					if c != nil && c != shared {
						t.Error("the cluster should be shared")
					}
					c = shared
				}
				if tc.kill {
					for _, r := range c.running {
						_ = syscall.Kill(r.process.ID(), syscall.SIGKILL)
					}
					<-c.Done()
					if _, err := s.get(t.Context()); err == nil {
						t.Error("a cluster that has failed should not be handed out")
					}
				}
				return tc.code
			}), Options{})
			t.Cleanup(func() { _ = os.RemoveAll(c.Directory()) })
			if got != tc.want {
				t.Errorf("want code %d, got %d", tc.want, got)
			}
			if left := processesIn(t, c.Directory()); len(left) > 0 {
				t.Errorf("left running are %s", describe(left))
			}
		})
	}
}
