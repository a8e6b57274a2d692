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
// A second pass must write nothing. Requests can be refused, and the cache can be made
// not to show what is there. Package memory is the API server of it, package operator
// what runs the passes, and package faults goes on from there to everything that can go
// wrong. [Live] and [Requests] are for tests on a real API server.
package steptest
