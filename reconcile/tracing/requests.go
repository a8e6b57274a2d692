package tracing

import (
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/client-go/rest"
)

// Requests returns a copy of the configuration with which each request to the API
// server that is sent in a recorded span, such as that of a step, has one of its
// own. Give it to the manager. Other requests, such as those of the cache, have
// none. The provider must not be nil.
func Requests(config *rest.Config, provider trace.TracerProvider) *rest.Config {
	config = rest.CopyConfig(config)
	tracer := provider.Tracer(scope)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &transport{next: next, tracer: tracer}
	})
	return config
}

// transport makes a span of each request in a span.
type transport struct {
	next   http.RoundTripper
	tracer trace.Tracer
}

// RoundTrip implements [http.RoundTripper]. The span ends with the answer's header.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if !trace.SpanFromContext(request.Context()).IsRecording() {
		return t.next.RoundTrip(request)
	}
	ctx, span := t.tracer.Start(request.Context(), request.Method+" "+resourceOf(request.URL.Path),
		trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()
	span.SetAttributes(
		attribute.String("http.request.method", request.Method),
		attribute.String("url.path", request.URL.Path),
	)
	response, err := t.next.RoundTrip(request.WithContext(ctx))
	if err != nil {
		span.RecordError(err)
		span.SetStatus(codes.Error, err.Error())
		return response, err
	}
	span.SetAttributes(attribute.Int("http.response.status_code", response.StatusCode))
	if response.StatusCode >= http.StatusBadRequest {
		span.SetStatus(codes.Error, response.Status)
	}
	return response, nil
}

// WrappedRoundTripper lets client-go see what is below.
func (t *transport) WrappedRoundTripper() http.RoundTripper { return t.next }

// resourceOf returns the resource that a path is about, with its subresource, so
// that the names of spans are few: "deployments", "myapps/status".
func resourceOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:] // api, the version
	case len(parts) > 3 && parts[0] == "apis":
		parts = parts[3:] // apis, the group and the version
	default:
		return "other"
	}
	if len(parts) > 2 && parts[0] == "namespaces" && !isNamespaceSubresource(parts) {
		parts = parts[2:]
	}
	if len(parts) > 2 {
		return parts[0] + "/" + parts[2]
	}
	return parts[0]
}

// isNamespaceSubresource tells the status of a namespace from a resource in it.
func isNamespaceSubresource(parts []string) bool {
	return len(parts) == 3 && (parts[2] == "status" || parts[2] == "finalize")
}
