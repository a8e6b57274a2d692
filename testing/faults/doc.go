// Package faults proves an operator: it leads it through a scenario once, and then
// again for every single thing that can go wrong on the way, and demands that the end
// is the same.
//
// # What goes wrong
//
// A [Sweep] learns the requests of the undisturbed run. For each of them, and for each
// [Kind] of fault, there is a run in which just that goes wrong at just that request:
// the server refuses, or does it and the answer is lost; it answers with a conflict or
// a timeout; the process crashes before or after, and starts again with a cache that is
// up to date or stale; and for each kind of object, the cache is late by some changes,
// shows them all at once, or misses them. Pairs of faults can be drawn besides.
//
// # What has to hold
//
// Whatever goes wrong, the operator comes to an end, the objects and what it keeps
// outside of the cluster are what they are at the end of the undisturbed run, and when
// it is then started again it writes nothing. Authors add what holds at every moment of
// their own operator as an [Invariant].
//
// # Prove your operator
//
//	func TestSweep(t *testing.T) {
//		kinds, err := memory.NewKinds(scheme, crd) // once for all tests
//		if err != nil {
//			t.Fatal(err)
//		}
//		app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: v1.MyAppSpec{Image: "img:1"}}
//		faults.Sweep{
//			Kinds: kinds,
//			New: func() faults.Subject {
//				zone := dns.NewZone()
//				return faults.Subject{
//					Setup:   func(mgr ctrl.Manager) error { return NewPipeline(zone).SetupWithManager(mgr) },
//					Outside: func() any { return zone.Records() },
//				}
//			},
//			Given:   []client.Object{app},
//			Changes: []faults.Change{{Name: "delete", Do: func(ctx context.Context, user client.Client) error {
//				return user.Delete(ctx, app.DeepCopy())
//			}}},
//		}.Check(t)
//	}
//
// Setup is the function that sets the operator up in production, with a pipeline of
// this module or a Reconcile written by hand: the controllers, watches and predicates
// are the real ones (see package operator), and the API server is made of the real
// one's parts (see package memory). The same schedule gives the same run, also of steps
// that run at the same time, whose requests take turns: [Sweep.Run] says what is not the
// same. "go test -v -run TestSweep -faults.schedule='3:crash-after'" tells it line by
// line, with its requests and where the fault struck; the schedule can be in a file, as
// -faults.schedule=@file. Samples and pairs are drawn by [Sweep.Seed], or by -faults.seed.
package faults
