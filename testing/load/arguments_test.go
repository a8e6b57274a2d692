package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	type parsed struct {
		Apps        []int
		Impl        []string
		Controllers bool
		Workers     int
		Rounds      int
		Timeout     time.Duration
	}
	all := []string{"trueup", "createorupdate", "apply"}
	for name, tt := range map[string]struct {
		reason string
		args   string
		want   parsed
	}{
		"Defaults": {
			reason: "nothing has to be said",
			want:   parsed{[]int{100}, all, false, 16, 3, 15 * time.Minute},
		},
		"Numbers": {
			reason: "numbers are taken in their order",
			args:   "--apps 1000,10 --workers 4 --rounds 1 --timeout 1m",
			want:   parsed{[]int{1000, 10}, all, false, 4, 1, time.Minute},
		},
		"Implementations": {
			reason: "the order is always the same",
			args:   "--impl apply,trueup",
			want:   parsed{[]int{100}, []string{"trueup", "apply"}, false, 16, 3, 15 * time.Minute},
		},
		"Full": {
			reason: "a whole cluster has controllers",
			args:   "--full",
			want:   parsed{[]int{100}, all, true, 16, 3, 15 * time.Minute},
		},
		"Running": {
			reason: "a running cluster is taken to have controllers",
			args:   "--kubeconfig file",
			want:   parsed{[]int{100}, all, true, 16, 3, 15 * time.Minute},
		},
		"RunningAPIOnly": {
			reason: "unless it is said to have none",
			args:   "--kubeconfig file --api-only",
			want:   parsed{[]int{100}, all, false, 16, 3, 15 * time.Minute},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			a, err := parse(strings.Fields(tt.args), &stderr)
			if err != nil {
				t.Fatalf("%s: %v\n%s", tt.reason, err, &stderr)
			}
			got := parsed{a.apps, nil, a.controllers(), a.workers, a.rounds, a.timeout}
			for _, implementation := range a.implementations {
				got.Impl = append(got.Impl, implementation.Name)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

func TestParseMistakes(t *testing.T) {
	for name, tt := range map[string]struct{ args, says string }{
		"NoNumber":       {"--apps many", `"many" is not a number between 1 and 99999`},
		"Zero":           {"--apps 10,0", `"0" is not a number`},
		"Implementation": {"--impl trueup,falsedown", `there is no implementation "falsedown"`},
		"Workers":        {"--workers 0", "--workers must be at least 1"},
		"Rounds":         {"--rounds 0", "--rounds must be at least 1"},
		"Timeout":        {"--timeout 0s", "--timeout must be positive"},
		"FullOfOther":    {"--full --kubeconfig file", "--full is about a cluster of its own"},
		"APIOnlyOwn":     {"--api-only", "--api-only is about the cluster of --kubeconfig"},
		"Rest":           {"100", `unexpected argument "100"`},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), strings.Fields(tt.args), &stdout, &stderr); code != 2 {
				t.Errorf("exit code %d, want 2", code)
			}
			if !strings.Contains(stderr.String(), tt.says) {
				t.Errorf("said\n%s\nwant %q in it", &stderr, tt.says)
			}
		})
	}
}

// TestHelp holds --help to explain every column and to list every flag.
func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"--help"}, &stdout, &stderr); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	help := stderr.String()
	for _, word := range slices.Concat(jsonFields(t), []string{"-apps", "-impl", "-kubeconfig", "-full", "-rounds"}) {
		if !strings.Contains(help, word) {
			t.Errorf("--help does not mention %s", word)
		}
	}
}

func TestKubeconfigThatIsNotThere(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"--kubeconfig", t.TempDir() + "/none"}, &stdout, &stderr); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if !strings.Contains(stderr.String(), "load: read kubeconfig: ") {
		t.Errorf("said\n%s", &stderr)
	}
}
