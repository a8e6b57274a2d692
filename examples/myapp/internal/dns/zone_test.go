package dns_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trueup-dev/trueup/examples/myapp/internal/dns"
)

func TestZone(t *testing.T) {
	type call = func(context.Context, *dns.Zone) error
	register := func(host, target string) call {
		return func(ctx context.Context, zone *dns.Zone) error { return zone.Register(ctx, host, target) }
	}
	release := func(host string) call {
		return func(ctx context.Context, zone *dns.Zone) error { return zone.Release(ctx, host) }
	}
	cases := map[string]struct {
		reason string
		calls  []call
		want   map[string]string
	}{
		"register":       {"a record is kept", []call{register("a", "x")}, map[string]string{"a": "x"}},
		"register again": {"registering is idempotent", []call{register("a", "x"), register("a", "x")}, map[string]string{"a": "x"}},
		"move":           {"the last target counts", []call{register("a", "x"), register("a", "y")}, map[string]string{"a": "y"}},
		"release":        {"the others stay", []call{register("a", "x"), register("b", "y"), release("a")}, map[string]string{"b": "y"}},
		"release again":  {"releasing is idempotent", []call{register("a", "x"), release("a"), release("a")}, map[string]string{}},
		"release none":   {"that there was none is as good", []call{release("a")}, map[string]string{}},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			zone := dns.NewZone()
			for _, do := range test.calls {
				if err := do(t.Context(), zone); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(test.want, zone.Records()); diff != "" {
				t.Errorf("%s: records (-want +got):\n%s", test.reason, diff)
			}
			for host, want := range test.want {
				if target, ok := zone.Lookup(host); !ok || target != want {
					t.Errorf("Lookup(%s) is %q, %t, want %q", host, target, ok, want)
				}
			}
		})
	}
}

func TestZoneRefuses(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	zone := dns.NewZone()
	if err := zone.Register(t.Context(), "kept", "x"); err != nil {
		t.Fatal(err)
	}
	if err := zone.Register(t.Context(), "", "x"); err == nil {
		t.Error("an empty host was registered")
	}
	if err := zone.Register(t.Context(), "a", ""); err == nil {
		t.Error("an empty target was registered")
	}
	if err := zone.Register(done, "a", "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("Register with a done context returned %v", err)
	}
	if err := zone.Release(done, "kept"); !errors.Is(err, context.Canceled) {
		t.Errorf("Release with a done context returned %v", err)
	}
	if diff := cmp.Diff(map[string]string{"kept": "x"}, zone.Records()); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func TestZoneIsSafeForConcurrentUse(t *testing.T) {
	zone := dns.NewZone()
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			host := dns.Host("demo", fmt.Sprintf("web-%d", i))
			for range 100 {
				if err := zone.Register(t.Context(), host, "x"); err != nil {
					t.Error(err)
				}
				if _, ok := zone.Lookup(host); !ok {
					t.Errorf("%s is not there", host)
				}
				if err := zone.Release(t.Context(), host); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if left := zone.Records(); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// A copy of the records is the caller's own.
func TestRecordsAreACopy(t *testing.T) {
	zone := dns.NewZone()
	zone.Records()["a"] = "x"
	if _, ok := zone.Lookup("a"); ok {
		t.Error("changing the copy changed the zone")
	}
}

func TestDryRun(t *testing.T) {
	var told []string
	zone := dns.DryRun(func(change string) { told = append(told, change) })
	if err := errors.Join(zone.Register(t.Context(), "a", "b"), zone.Release(t.Context(), "a")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"register a for b", "release a"}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if len(zone.Records()) > 0 {
		t.Errorf("there is %v", zone.Records())
	}
}
