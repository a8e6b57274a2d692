package reconcile

import (
	"errors"
	"fmt"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
)

// A Place is where, or as whom, steps work that are given to [In]. Make one with
// [Elsewhere] or [As], once, at setup. It is safe for concurrent use.
type Place struct {
	name    string
	foreign bool // another cluster
	cluster cluster.Cluster
	client  client.Client
	live    client.Reader
	user    *rest.ImpersonationConfig
	err     error
}

// Elsewhere returns another cluster as a place: its clients, and its cache for what
// steps read and are woken by. The name is for people. The cluster is the
// caller's to add to the manager, so that its cache is started:
//
//	member, err := cluster.New(config, func(o *cluster.Options) { o.Scheme = scheme })
//	…
//	err = mgr.Add(member)
//	reconcile.In(reconcile.Elsewhere("member", member), deployment)
func Elsewhere(name string, other cluster.Cluster) *Place {
	p := &Place{name: name, foreign: true, cluster: other}
	if isNil(other) {
		p.err = errors.New("the cluster is nil")
		return p
	}
	p.client, p.live = other.GetClient(), other.GetAPIReader()
	return p
}

// As returns a place in a cluster, most often that of the manager, in which
// everything is written, and read past the cache, as another user: requests are
// sent with the operator's own credentials and with impersonation headers, so that
// the API server decides by what the user may do. What is read from the cache is
// seen as the operator sees it.
//
// The operator has to be allowed to impersonate the user, its groups and its extra
// fields: see [Pipeline.PolicyRules].
func As(home cluster.Cluster, user rest.ImpersonationConfig) *Place {
	p := &Place{name: user.UserName, cluster: home, user: &user}
	if isNil(home) || user.UserName == "" {
		p.err = errors.New("As: a cluster and the name of a user are needed")
		return p
	}
	config := rest.CopyConfig(home.GetConfig())
	config.Impersonate = user
	options := client.Options{Scheme: home.GetScheme(), Mapper: home.GetRESTMapper()}
	live, err := client.New(config, options)
	if err != nil {
		p.err = fmt.Errorf("As: %w", err)
		return p
	}
	options.Cache = &client.CacheOptions{Reader: home.GetCache()}
	cached, err := client.New(config, options)
	if err != nil {
		p.err = fmt.Errorf("As: %w", err)
		return p
	}
	p.client, p.live = cached, live
	return p
}

// Name returns the name of the place, or of the user.
func (p *Place) Name() string { return p.name }

// environment returns what steps work with there.
func (p *Place) environment(home *Environment) *Environment {
	env := *home
	env.Client, env.Live, env.Cache = p.client, p.live, p.cluster.GetCache()
	return &env
}

// isForeign reports whether a place is in another cluster.
func (p *Place) isForeign() bool { return p != nil && p.foreign }
