package certs

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

// How long it is to the next look at most: when there is a certificate, and while
// there is none. A look ends after lookTime, whatever it waits for.
const (
	maxRound = time.Minute
	hurry    = 2 * time.Second
	lookTime = 30 * time.Second
)

// Serve returns a webhook server that keeps the certificate for as long as it serves.
//
// A manager starts it before it fills its caches, which is why a Keeper is no
// runnable of its own: those are started once the caches are filled, and to fill
// them the API server may have to call the webhooks, as it does to convert what is
// stored in another version than is watched.
func (k *Keeper) Serve(server webhook.Server) webhook.Server { return &kept{server, k} }

type kept struct {
	webhook.Server
	keeper *Keeper
}

// Start implements [webhook.Server].
func (s *kept) Start(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var keeping sync.WaitGroup
	defer keeping.Wait()
	defer cancel()
	keeping.Go(func() { s.keeper.keep(ctx) })
	return s.Server.Start(ctx)
}

// keep keeps the certificate until the context is done. What goes wrong is logged,
// shows in [Keeper.Check] and is tried again in the next round, which comes soon as
// long as there is no certificate: the API server may be what cannot be reached.
func (k *Keeper) keep(ctx context.Context) {
	for ctx.Err() == nil {
		err := k.look(ctx)
		if err != nil && ctx.Err() == nil {
			log.FromContext(ctx).Error(err, "the certificate of the webhooks was not looked after")
		}
		k.fault.Store(&err)
		pause := min(maxRound, k.lifetime()/30)
		if k.serving.Load() == nil {
			pause = min(pause, hurry)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// look is a round that ends.
func (k *Keeper) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	return k.round(ctx)
}

// Certificate returns what to serve with. It is for [tls.Config].GetCertificate.
func (k *Keeper) Certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if certificate := k.serving.Load(); certificate != nil {
		return certificate, nil
	}
	return nil, errors.New("there is no certificate yet")
}

// Check is a readiness check: there is a certificate, and the API server has been
// told to trust it.
func (k *Keeper) Check(*http.Request) error {
	certificate := k.serving.Load()
	if certificate == nil {
		if fault := k.fault.Load(); fault != nil && *fault != nil {
			return *fault
		}
		return errors.New("there is no certificate yet")
	}
	if time.Now().After(certificate.Leaf.NotAfter) {
		return fmt.Errorf("the certificate has expired at %s", certificate.Leaf.NotAfter)
	}
	return nil
}
