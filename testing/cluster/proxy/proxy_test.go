package proxy_test

import (
	"bytes"
	"crypto/tls"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/cluster/proxy"
)

func start(t *testing.T) (*proxy.Proxy, client.Client, client.Client) {
	t.Helper()
	shared := cluster.Shared(t)
	way, err := proxy.Start(shared.Config())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := way.Close(); err != nil {
			t.Error(err)
		}
	})
	namespace := shared.Namespace(t)
	through, err := client.New(way.Config(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	direct, err := client.New(shared.Config(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return way, client.NewNamespacedClient(through, namespace), client.NewNamespacedClient(direct, namespace)
}

func named(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func plain(request *http.Request) bool { return !proxy.Watch(request) }

func write(request *http.Request) bool { return request.Method != http.MethodGet }

// What becomes of a request, as the client and the server have it.
func TestDisturb(t *testing.T) {
	cases := map[string]struct {
		reason  string
		trouble proxy.Trouble
		fails   bool
		done    bool
	}{
		"nothing": {"without trouble it is passed on", proxy.Trouble{}, false, true},
		"delay":   {"what is slow is done", proxy.Trouble{Delay: 10 * time.Millisecond}, false, true},
		"reset":   {"what is reset is not done", proxy.Trouble{Reset: true}, true, false},
		"lose":    {"what is lost is done", proxy.Trouble{Lose: true}, true, true},
	}
	way, through, direct := start(t)
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			way.Disturb(proxy.Every(1, test.trouble, write))
			err := through.Create(t.Context(), named(name))
			if (err != nil) != test.fails {
				t.Errorf("%s: the client has %v", test.reason, err)
			}
			err = direct.Get(t.Context(), client.ObjectKey{Name: name}, named(name))
			if apierrors.IsNotFound(err) == test.done {
				t.Errorf("%s: the server has %v", test.reason, err)
			}
		})
	}
}

// Who is throttled is told when to come again.
func TestThrottle(t *testing.T) {
	way, _, _ := start(t)
	way.Disturb(proxy.Every(1, proxy.Trouble{Throttle: 1100 * time.Millisecond}, plain))
	transport, err := rest.TransportFor(way.Config())
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, way.Config().Host+"/api/v1/namespaces", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if again := answer.Header.Get("Retry-After"); answer.StatusCode != http.StatusTooManyRequests || again != "2" {
		t.Errorf("%d, to come again after %q; want 429 and 2", answer.StatusCode, again)
	}
}

// While the proxy is down nobody gets through, and afterwards everybody does.
func TestDown(t *testing.T) {
	way, through, _ := start(t)
	if err := through.Create(t.Context(), named("before")); err != nil {
		t.Fatal(err)
	}
	way.Down()
	for range 2 { // the first finds its connection reset, the second gets none
		if err := through.Create(t.Context(), named("while")); err == nil {
			t.Error("got through")
		}
	}
	if way.Tally().Turned == 0 {
		t.Error("nobody was turned away")
	}
	way.Up()
	if err := through.Create(t.Context(), named("after")); err != nil {
		t.Error(err)
	}
}

// After a rotation another certificate is shown, which the same clients trust.
func TestRotate(t *testing.T) {
	way, through, _ := start(t)
	before := shown(t, way)
	if err := way.Rotate(); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(before, shown(t, way)) {
		t.Error("the certificate is the same")
	}
	if err := through.Create(t.Context(), named("web")); err != nil {
		t.Error(err)
	}
}

// shown returns the certificate that the proxy shows.
func shown(t *testing.T, way *proxy.Proxy) []byte {
	t.Helper()
	trust, err := rest.TLSConfigFor(way.Config())
	if err != nil {
		t.Fatal(err)
	}
	dialer := &tls.Dialer{Config: trust}
	conn, err := dialer.DialContext(t.Context(), "tcp", way.Config().Host[len("https://"):])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0].Raw
}
