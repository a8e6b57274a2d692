package memory

import (
	"context"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// An Actor is somebody else who works on the objects of a server: a part of
// Kubernetes that is played, or another operator.
type Actor interface {
	// Act does at most one thing, and reports whether there was one to do. It is
	// called again and again until there is none. It finds what to do by looking at
	// the server, because it is shared by servers and remembers nothing.
	Act(ctx context.Context, server *Server) (bool, error)
}

// ActorFunc is an [Actor] that is a function.
type ActorFunc func(ctx context.Context, server *Server) (bool, error)

// Act implements [Actor].
func (f ActorFunc) Act(ctx context.Context, server *Server) (bool, error) { return f(ctx, server) }

// Settle lets actors act, in turn, until none of them has anything to do.
func (s *Server) Settle(ctx context.Context, actors ...Actor) error {
	for {
		did, err := s.ActOnce(ctx, actors...)
		if err != nil || !did {
			return err
		}
	}
}

// ActOnce lets the first of the actors that has something to do do one thing, and
// reports whether there was one.
func (s *Server) ActOnce(ctx context.Context, actors ...Actor) (bool, error) {
	for _, actor := range actors {
		if did, err := actor.Act(ctx, s); did || err != nil {
			return did, err
		}
	}
	return false, nil
}

// as returns a client that bears a name, as the field manager and user agent.
func (s *Server) as(name string) client.Client {
	return client.WithFieldOwner(s.Client(rest.AddUserAgent(s.Config(), name)), name)
}
