package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// scope is the name under which spans are made.
const scope = "github.com/trueup-dev/trueup/reconcile"

// Tracer makes spans of passes and steps. Make one with [New]. Safe for concurrent
// use; several pipelines may share it.
type Tracer struct{ tracer trace.Tracer }

var _ reconcile.Tracer = &Tracer{}

// New returns a tracer that has its spans from the provider, which must not be nil.
func New(provider trace.TracerProvider) *Tracer { return &Tracer{tracer: provider.Tracer(scope)} }

// Pass implements [reconcile.Tracer].
func (t *Tracer) Pass(ctx context.Context, pipeline string, object client.Object) (context.Context, func(reconcile.Result, error)) {
	inner, span := t.tracer.Start(ctx, "pass "+pipeline)
	if !span.IsRecording() {
		return inner, nil
	}
	span.SetAttributes(
		attribute.String("trueup.pipeline", pipeline),
		attribute.String("k8s.namespace.name", object.GetNamespace()),
		attribute.String("trueup.object.name", object.GetName()),
		attribute.String("trueup.object.uid", string(object.GetUID())),
		attribute.Int64("trueup.object.generation", object.GetGeneration()),
	)
	return inner, ending(span)
}

// Step implements [reconcile.Tracer].
func (t *Tracer) Step(ctx context.Context, about *reconcile.Description, undo bool) (context.Context, func(reconcile.Result, error)) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, nil
	}
	inner, span := t.tracer.Start(ctx, "step "+about.Name)
	span.SetAttributes(
		attribute.String("trueup.step", about.Name),
		attribute.String("trueup.step.kind", about.Kind),
		attribute.Bool("trueup.undo", undo),
	)
	return inner, ending(span)
}

// ending returns what ends a span.
func ending(span trace.Span) func(reconcile.Result, error) {
	return func(result reconcile.Result, err error) {
		defer span.End()
		if err != nil {
			span.RecordError(err)
			span.SetStatus(codes.Error, err.Error())
			span.SetAttributes(attribute.String("trueup.outcome", "Error"),
				attribute.Bool("trueup.terminal", reconcile.IsTerminal(err)))
			return
		}
		span.SetAttributes(attribute.String("trueup.outcome", result.Outcome().String()))
		if result.Outcome() != reconcile.Continued {
			span.SetAttributes(attribute.String("trueup.reason", result.Reason()),
				attribute.String("trueup.message", result.Message()))
		}
	}
}

// Write implements [reconcile.Tracer].
func (t *Tracer) Write(ctx context.Context, write reconcile.Write) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.AddEvent("write", trace.WithAttributes(
		attribute.String("trueup.verb", write.Verb),
		attribute.String("trueup.kind", write.Kind),
		attribute.String("trueup.child", write.Key.String()),
		attribute.String("trueup.cause", string(write.Cause)),
		attribute.Bool("trueup.accepted", write.Err == nil),
	))
}
