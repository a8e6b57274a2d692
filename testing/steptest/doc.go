// Package steptest tests steps, pipelines and handwritten reconcilers: what they ask of
// the API server, and what becomes of the objects.
//
// A [Case] makes one pass over given objects in memory, for tables:
//
//	func TestFirstPass(t *testing.T) {
//		steptest.Case{
//			Reason: "everything is made at once",
//			Kinds:  kinds, // memory.NewKinds(scheme, crd), once for all tests
//			Setup:  func(mgr ctrl.Manager) error { return NewPipeline(zone).SetupWithManager(mgr) },
//			Given:  []client.Object{app},
//			Want: steptest.Want{
//				Writes: []string{
//					"patch myapps demo/web", "apply deployments demo/web",
//					"apply services demo/web", "patch myapps/status demo/web",
//				},
//				Events:     []string{"Normal Created: created Deployment web", "Normal Created: created Service web"},
//				Conditions: map[string]string{"ServiceReady": "True Ready"},
//				Golden:     "testdata/first-pass.yaml",
//			},
//		}.Run(t)
//	}
//
// A second pass must send nothing and tell no event, see [Want.Restless]. Setup is that of
// production, of a pipeline, of [Steps] or of a Reconcile written by hand. On demand
// requests fail ([Case.Refuse]), or some of them ([Case.Fail]), and the cache shows objects
// as they were before ([Case.Stale]), not at all ([Case.Unseen]), or without what was just
// done ([Next.Behind]). Steps may run at the same time: their requests take turns, in the
// order of their texts. The clock is a fake one: [Case.Then] moves it on, or has users do
// something, and says what is wanted of the pass after that. [Case.RunOn] makes the same
// passes on a real API server, such as one of package cluster:
//
//	shared := cluster.Shared(t)
//	test.RunOn(t, shared.Config(), shared.Namespace(t))
//
// Package memory is the API server of [Case.Run], package operator what runs the passes,
// and package faults goes on from there to everything that can go wrong. [Live] and
// [Requests] are for steps that are run by hand on a real API server.
package steptest
