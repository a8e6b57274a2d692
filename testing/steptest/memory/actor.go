package memory

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Cluster is what an [Actor] works on: a [Server], or a real cluster.
type Cluster interface {
	// All returns every object that there is and that matters, in a certain order. They
	// must not be changed.
	All() []*unstructured.Unstructured
	// As returns a client without a cache that goes by a name.
	As(name string) client.Client
}

var _ Cluster = &Server{}

// An Actor is somebody else who works on the objects of a cluster: a part of
// Kubernetes that is played, or another operator.
type Actor interface {
	// Act does at most one thing, and reports whether there was one to do. It is
	// called again and again until there is none. It finds what to do by looking,
	// because it is shared by clusters and remembers nothing.
	Act(ctx context.Context, cluster Cluster) (bool, error)
}

// ActorFunc is an [Actor] that is a function.
type ActorFunc func(ctx context.Context, cluster Cluster) (bool, error)

// Act implements [Actor].
func (f ActorFunc) Act(ctx context.Context, cluster Cluster) (bool, error) { return f(ctx, cluster) }

// Settle lets actors act, in turn, until none of them has anything to do.
func Settle(ctx context.Context, cluster Cluster, actors ...Actor) error {
	for {
		did, err := ActOnce(ctx, cluster, actors...)
		if err != nil || !did {
			return err
		}
	}
}

// ActOnce lets the first of the actors that has something to do do one thing, and
// reports whether there was one.
func ActOnce(ctx context.Context, cluster Cluster, actors ...Actor) (bool, error) {
	for _, actor := range actors {
		if did, err := actor.Act(ctx, cluster); did || err != nil {
			return did, err
		}
	}
	return false, nil
}

// As implements [Cluster]: the name is that of the field manager and the user agent.
func (s *Server) As(name string) client.Client {
	return client.WithFieldOwner(s.Client(rest.AddUserAgent(s.Config(), name)), name)
}
