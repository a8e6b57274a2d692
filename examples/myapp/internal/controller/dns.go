package controller

import (
	"context"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/internal/dns"
	"github.com/trueup-dev/trueup/reconcile"
)

// record keeps an app's record in a zone. Both methods may be called again and again.
type record struct{ zone *dns.Zone }

func (r record) acquire(ctx context.Context, run *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
	app := run.Object()
	host, target := dns.Host(app.Namespace, app.Name), app.Name+"."+app.Namespace+".svc"
	if is, ok := r.zone.Lookup(host); ok && is == target {
		return reconcile.Continue, nil
	}
	if there, err := run.Confirm(ctx); err != nil || !there { // of a record made now, nobody would get rid
		return reconcile.Continue, err
	}
	return reconcile.Continue, r.zone.Register(ctx, host, target)
}

func (r record) release(ctx context.Context, run *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
	return reconcile.Continue, r.zone.Release(ctx, dns.Host(run.Object().Namespace, run.Object().Name))
}
