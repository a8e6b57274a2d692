package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"

	"github.com/trueup-dev/trueup/testing/cluster/internal/pki"
)

// A Proxy passes requests on to an API server, as well or as badly as it is told to.
// Make one with [Start]. Safe for concurrent use.
type Proxy struct {
	server    *http.Server
	listener  *listener
	authority *pki.Authority
	pass      *httputil.ReverseProxy
	serving   atomic.Pointer[tls.Certificate]
	disturb   atomic.Pointer[func(*http.Request) Trouble]
	rotated   atomic.Bool
	counts    counters

	mu      sync.Mutex
	next    int
	watches map[int]context.CancelFunc
}

// Start starts a proxy to the API server of a configuration, on a free port of this
// machine. Close it when it is not needed any more.
func Start(config *rest.Config) (*Proxy, error) {
	target, err := url.Parse(config.Host)
	if err != nil {
		return nil, fmt.Errorf("start proxy: %w", err)
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, fmt.Errorf("start proxy: %w", err)
	}
	authority, err := pki.NewAuthority("trueup-proxy")
	if err != nil {
		return nil, fmt.Errorf("start proxy: %w", err)
	}
	p := &Proxy{authority: authority, watches: map[int]context.CancelFunc{}}
	if err := p.renew(); err != nil {
		return nil, fmt.Errorf("start proxy: %w", err)
	}
	if p.listener, err = listen(); err != nil {
		return nil, fmt.Errorf("start proxy: %w", err)
	}
	silent := log.New(io.Discard, "", 0) // that connections break is what it is for
	p.pass = &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1, // events of a watch are passed on as they come
		ErrorLog:      silent,
		ErrorHandler:  p.unanswered,
	}
	p.server = &http.Server{
		Handler:           http.HandlerFunc(p.serve),
		ErrorLog:          silent,
		ReadHeaderTimeout: time.Minute,
		TLSConfig: &tls.Config{
			MinVersion:     tls.VersionTLS12,
			GetCertificate: p.show,
		},
	}
	go func() { _ = p.server.ServeTLS(p.listener, "", "") }()
	return p, nil
}

// Config returns a configuration whose requests come this way. It has no limit of its
// own of requests a second.
func (p *Proxy) Config() *rest.Config {
	return &rest.Config{
		Host:            "https://" + p.listener.Addr().String(),
		TLSClientConfig: rest.TLSClientConfig{CAData: p.authority.Certificate()},
		QPS:             -1,
	}
}

// Close breaks off all connections and ends the proxy.
func (p *Proxy) Close() error {
	err := p.server.Close()
	p.listener.cut()
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close proxy: %w", err)
	}
	return nil
}

// Cut resets all connections, whatever goes on in them.
func (p *Proxy) Cut() { p.listener.cut() }

// Down resets all connections, and every new one, as while an API server is away.
func (p *Proxy) Down() {
	p.listener.down.Store(true)
	p.listener.cut()
}

// Up ends what Down began.
func (p *Proxy) Up() { p.listener.down.Store(false) }

// DropWatches breaks off the watches that go on now, and nothing else, and returns how
// many there were.
func (p *Proxy) DropWatches() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	dropped := len(p.watches)
	p.counts.dropped.Add(int64(dropped))
	for id, cancel := range p.watches {
		cancel()
		delete(p.watches, id)
	}
	return dropped
}

// Rotate takes a new serving certificate, of the same authority, and resets all
// connections, so that everybody is shown it.
func (p *Proxy) Rotate() error {
	if err := p.renew(); err != nil {
		return fmt.Errorf("rotate certificate: %w", err)
	}
	p.rotated.Store(true)
	p.Cut()
	return nil
}

// show returns the certificate of now.
func (p *Proxy) show(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if p.rotated.Load() {
		p.counts.renewed.Add(1)
	}
	return p.serving.Load(), nil
}

func (p *Proxy) renew() error {
	pair, err := p.authority.Server([]string{"localhost"}, []net.IP{net.ParseIP(loopback)})
	if err != nil {
		return err
	}
	serving, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	if err != nil {
		return err
	}
	p.serving.Store(&serving)
	return nil
}
