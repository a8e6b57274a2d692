package controller

import (
	"context"

	v1 "github.com/trueup-dev/trueup/examples/guide/api/v1"
	"github.com/trueup-dev/trueup/examples/guide/internal/cdn"
	"github.com/trueup-dev/trueup/reconcile"
)

func hostOf(site *v1.Website) string { return cdn.Host(site.Namespace, site.Name) }

// publishIn returns an action that has the CDN show the site. The finalizer is on the
// site before it is called.
func publishIn(world *cdn.CDN) reconcile.Action[*v1.Website] {
	return func(ctx context.Context, run *reconcile.Run[*v1.Website]) (reconcile.Result, error) {
		site := run.Object()
		host, target := hostOf(site), site.Name+"."+site.Namespace+".svc"
		if world.Sites()[host] == target {
			return reconcile.Continue, nil
		}
		// The cache may be behind. What is published for a site that is gone, nobody
		// would ever withdraw.
		if there, err := run.Confirm(ctx); err != nil || !there {
			return reconcile.Continue, err
		}
		return reconcile.Continue, world.Publish(ctx, host, target)
	}
}

// withdrawFrom returns the action that undoes it, on deletion.
func withdrawFrom(world *cdn.CDN) reconcile.Action[*v1.Website] {
	return func(ctx context.Context, run *reconcile.Run[*v1.Website]) (reconcile.Result, error) {
		return reconcile.Continue, world.Withdraw(ctx, hostOf(run.Object()))
	}
}
