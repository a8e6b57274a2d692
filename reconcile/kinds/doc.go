// Package kinds watches kinds that are known only at run time, because an object
// names them, and lets go of them when no object names them any more.
//
//	watches := kinds.New(mgr, &v1.MyApp{})
//	err := pipeline.SetupWithManager(mgr, func(b *builder.Builder) { b.WatchesRawSource(watches.Source()) })
//
// A step says in each pass what its object needs, and reads it from the cache:
//
//	err := watches.Need(ctx, client.ObjectKeyFromObject(app), gvk)
//	if meta.IsNoMatchError(err) {
//		return reconcile.Wait("KindNotInstalled", err.Error()).After(kinds.LookAgain), nil
//	}
//	…
//	err = watches.Get(ctx, key, child)
//
// Kinds that are known at setup are better declared in the description of a step,
// and are then watched by the manager's cache for as long as it runs.
package kinds
