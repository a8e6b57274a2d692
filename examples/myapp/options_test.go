package main

import (
	"crypto/tls"
	"flag"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParse(t *testing.T) {
	defaults := options{metricsAddress: "0", probeAddress: ":8081", metricsSecure: true, pprofAddress: "0", workers: 4,
		lease: 15 * time.Second, renew: 10 * time.Second, retry: 2 * time.Second,
		webhookPort: 9443, webhookCertLifetime: 90 * 24 * time.Hour}
	cases := map[string]struct {
		args []string
		want options
	}{
		"defaults": {nil, defaults},
		"everything": {
			[]string{
				"--metrics-bind-address=:8443", "--health-probe-bind-address=:1", "--leader-elect",
				"--leader-election-namespace=ns", "--metrics-secure=false", "--enable-http2",
				"--namespaces=a,b", "--print-rbac", "--webhooks", "--webhook-port=1", "--webhook-cert-path=/certs",
				"--webhook-cert-lifetime=1h", "--pprof-bind-address=:2", "--dry-run", "--leader-elect-lease-duration=3s",
				"--leader-elect-renew-deadline=2s", "--leader-elect-retry-period=1s",
				"--max-concurrent-reconciles=2",
			},
			options{
				metricsAddress: ":8443", probeAddress: ":1", leaderElect: true,
				leaderNamespace: "ns", metricsSecure: false, allowHTTP2: true,
				namespaces: []string{"a", "b"}, workers: 2, printRBAC: true,
				webhooks: true, webhookPort: 1, webhookCertPath: "/certs", webhookCertLifetime: time.Hour,
				pprofAddress: ":2", dryRun: true, lease: 3 * time.Second, renew: 2 * time.Second, retry: time.Second,
			},
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := parse(flag.NewFlagSet("myapp", flag.ContinueOnError), test.args)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(options{}), cmpopts.IgnoreFields(options{}, "log")); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
		})
	}
	for _, nonsense := range []string{"--nonsense", "--namespaces=", "--namespaces=a,,b", "--namespaces=A"} {
		flags := flag.NewFlagSet("myapp", flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		if _, err := parse(flags, []string{nonsense}); err == nil {
			t.Errorf("%s was accepted", nonsense)
		}
	}
}

// Whoever may read metrics is asked for unless that is turned off, and HTTP/2 is
// off unless it is turned on.
func TestMetricsAreGuarded(t *testing.T) {
	for _, secure := range []bool{true, false} {
		for _, http2 := range []bool{true, false} {
			metrics := options{metricsSecure: secure, allowHTTP2: http2}.manager(nil).Metrics
			offered := &tls.Config{}
			for _, limit := range metrics.TLSOpts {
				limit(offered)
			}
			if metrics.SecureServing != secure || (metrics.FilterProvider != nil) != secure || (len(offered.NextProtos) == 0) != http2 {
				t.Errorf("secure %t, HTTP/2 %t: %+v, %v", secure, http2, metrics, offered.NextProtos)
			}
		}
	}
}

// Whatever the flags say, a replica is kept from writing a second before another one may
// have taken its lease.
func TestTermEndsBeforeTheLease(t *testing.T) {
	for _, test := range []struct{ lease, renew, want time.Duration }{
		{15 * time.Second, 10 * time.Second, 10 * time.Second},
		{15 * time.Second, 14500 * time.Millisecond, 14 * time.Second},
	} {
		if got := (options{lease: test.lease, renew: test.renew}).term(); got != test.want {
			t.Errorf("with a lease of %s and a renew deadline of %s it is %s, want %s", test.lease, test.renew, got, test.want)
		}
	}
}
