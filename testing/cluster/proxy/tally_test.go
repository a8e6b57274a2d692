package proxy_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/cluster/proxy"
)

// What a proxy has done is counted, each thing as what it is.
func TestTally(t *testing.T) {
	cases := map[string]struct {
		do   func(*testing.T, *proxy.Proxy, client.Client)
		want proxy.Tally
	}{
		"nothing":  {func(*testing.T, *proxy.Proxy, client.Client) {}, proxy.Tally{}},
		"delay":    {disturbed(proxy.Trouble{Delay: time.Millisecond}), proxy.Tally{Delayed: 1}},
		"throttle": {disturbed(proxy.Trouble{Throttle: time.Second}), proxy.Tally{Throttled: 1}},
		"reset":    {disturbed(proxy.Trouble{Reset: true}), proxy.Tally{Reset: 1}},
		"lose":     {disturbed(proxy.Trouble{Lose: true}), proxy.Tally{Lost: 1}},
		"cut":      {func(_ *testing.T, way *proxy.Proxy, _ client.Client) { way.Cut() }, proxy.Tally{Cut: 1}},
		"rotate": {func(t *testing.T, way *proxy.Proxy, through client.Client) {
			t.Helper()
			if err := way.Rotate(); err != nil {
				t.Error(err)
			}
			for range 2 { // the first finds its connection reset
				_ = through.Create(t.Context(), named("rotated"))
			}
		}, proxy.Tally{Cut: 1, Renewed: 1}},
		"nobody there": {func(t *testing.T, _ *proxy.Proxy, through client.Client) {
			t.Helper()
			if err := cluster.Shared(t).RestartAPIServer(t.Context(), func() {
				_ = through.Create(t.Context(), named("while"))
			}); err != nil {
				t.Error(err)
			}
		}, proxy.Tally{Unanswered: 1}},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			way, through, _ := start(t)
			if err := through.Create(t.Context(), named("before")); err != nil {
				t.Fatal(err)
			}
			test.do(t, way, through)
			if diff := cmp.Diff(test.want, way.Tally()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func disturbed(trouble proxy.Trouble) func(*testing.T, *proxy.Proxy, client.Client) {
	return func(t *testing.T, way *proxy.Proxy, through client.Client) {
		t.Helper()
		matched := false
		way.Disturb(func(*http.Request) proxy.Trouble { // the first, and not what is sent again
			if matched {
				return proxy.Trouble{}
			}
			matched = true
			return trouble
		})
		_ = through.Create(t.Context(), named("disturbed"))
	}
}
