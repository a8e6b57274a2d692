package proxy

import (
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"
)

const loopback = "127.0.0.1"

// listener knows the connections that it has accepted, so that they can be reset.
type listener struct {
	net.Listener
	down   atomic.Bool
	turned atomic.Int64
	reset  atomic.Int64

	mu   sync.Mutex
	open map[*connection]bool
}

func listen() (*listener, error) {
	inner, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return nil, err
	}
	return &listener{Listener: inner, open: map[*connection]bool{}}, nil
}

// Accept implements [net.Listener]. While the listener is down, whoever comes is turned
// away.
func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		made := &connection{Conn: accepted, listener: l}
		l.mu.Lock()
		l.open[made] = true
		l.mu.Unlock()
		if !l.down.Load() {
			return made, nil
		}
		l.turned.Add(1)
		made.reset()
	}
}

// cut resets all connections.
func (l *listener) cut() {
	l.mu.Lock()
	all := slices.Collect(maps.Keys(l.open)) // closing one takes the lock
	l.mu.Unlock()
	l.reset.Add(int64(len(all)))
	for _, open := range all {
		open.reset()
	}
}

// connection is one that was accepted.
type connection struct {
	net.Conn
	listener *listener
}

// Close implements [net.Conn].
func (c *connection) Close() error {
	c.listener.mu.Lock()
	delete(c.listener.open, c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// reset ends the connection without a farewell: the other side gets an RST.
func (c *connection) reset() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}
