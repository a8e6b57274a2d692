package main

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/load/internal/contender"
	"github.com/trueup-dev/trueup/testing/load/internal/measure"
)

// failing is an implementation that does not start the nth time.
func failing(name string, nth int) contender.Implementation {
	made := 0
	sound := contender.All()[0]
	return contender.Implementation{Name: name, Make: func(mgr ctrl.Manager) (ctrlreconcile.Reconciler, *reconcile.Memory, error) {
		if made++; made == nth {
			return nil, nil, errors.New("boom")
		}
		return sound.Make(mgr)
	}}
}

// TestDropOut has one implementation fail beside one that does not.
func TestDropOut(t *testing.T) {
	w, err := openWorld(t.Context(), arguments{kubeconfig: cluster.Shared(t).Kubeconfig(), apiOnly: true}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	sound := contender.All()[0]
	sound.Name = "sound"
	for name, tt := range map[string]struct {
		reason  string
		failing contender.Implementation
		says    string
		fails   bool // the run as a whole
	}{
		"Converging": {reason: "the others go on", failing: failing("broken", 1), says: "broken: converge: boom"},
		"Restarting": {reason: "the others go on", failing: failing("broken", 2), says: "broken: restart: boom"},
		"Trueup":     {reason: "it is what the tool is for", failing: failing("trueup", 2), says: "trueup: restart: boom", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			var printed []measure.Result
			c := comparison{
				cluster: w.cluster, implementations: []contender.Implementation{tt.failing, sound},
				workers: 4, rounds: 1, timeout: time.Minute, progress: t.Logf,
				print: func(result measure.Result) error { printed = append(printed, result); return nil },
			}
			if err := c.run(t.Context(), 2); (err != nil) != tt.fails || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%s: err = %v", tt.reason, err)
			}
			if len(printed) != 2 {
				t.Fatalf("printed %+v", printed)
			}
			if got := printed[0]; got.Error != tt.says || got.Implementation != tt.failing.Name || got.Noop != nil || got.Convergence != nil {
				t.Errorf("of the one that fails: %+v, want %q and no numbers", got, tt.says)
			}
			if got := printed[1]; got.Error != "" || got.Convergence == nil || got.Noop == nil || got.Restart == nil || got.Records == nil {
				t.Errorf("%s: of the other: %+v, want all numbers", tt.reason, got)
			}
		})
	}
}

// TestVerdict tells when a run in which somebody fails is a failure.
func TestVerdict(t *testing.T) {
	for name, tt := range map[string]struct {
		reason string
		failed []string
		want   bool
	}{
		"Nobody":    {reason: "all went well"},
		"Another":   {reason: "that is its own affair", failed: []string{"apply"}},
		"Trueup":    {reason: "it is what the tool is for", failed: []string{"trueup"}, want: true},
		"Everybody": {reason: "nothing was measured", failed: []string{"trueup", "createorupdate", "apply"}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := &comparison{implementations: contender.All()}
			contest := c.contest(1)
			for _, e := range contest.entrants {
				if slices.Contains(tt.failed, e.Name) {
					e.err = errors.New("boom")
				}
			}
			if err := contest.verdict(); (err != nil) != tt.want {
				t.Errorf("%s: %v", tt.reason, err)
			}
		})
	}
	c := &comparison{implementations: contender.All()[1:]}
	contest := c.contest(1)
	for _, e := range contest.entrants {
		e.err = errors.New("boom")
	}
	if contest.verdict() == nil {
		t.Error("all of those that were chosen failed, and it says nothing")
	}
}
