// Package tracing makes OpenTelemetry spans of what a pipeline does: one for each
// pass, one under it for each step, and under that one for each request to the API
// server.
//
//	provider := otel.GetTracerProvider() // or one of your own
//	mgr, err := ctrl.NewManager(tracing.Requests(config, provider), ctrl.Options{})
//	…
//	err = pipeline.Trace(tracing.New(provider)).SetupWithManager(mgr)
//
// It needs the API of OpenTelemetry only; which SDK records the spans, and which
// exporter sends them, is the operator's choice. A pass that is not sampled, or
// that nobody records, costs the start of one span that is none, and nothing for
// its steps and requests.
//
// Spans have these attributes:
//
//	pass     trueup.pipeline, k8s.namespace.name, trueup.object.name, trueup.object.uid, trueup.object.generation
//	step     trueup.step, trueup.step.kind, trueup.undo
//	both     trueup.outcome, and where there is one trueup.reason and trueup.message; the error, if it failed
//	request  http.request.method, url.path, http.response.status_code
//
// A write is an event on the span of its step, or of the pass if the pipeline itself
// wrote, with trueup.verb, trueup.kind, trueup.child and trueup.cause: see
// [reconcile.Cause].
package tracing
