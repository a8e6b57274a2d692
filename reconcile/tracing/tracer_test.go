package tracing_test

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/reconcile/tracing"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/status"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

type app = *v1.MyApp

// tree returns the spans that have ended as indented lines, children in the order
// in which they began, with the outcome and what was written.
func tree(exporter *tracetest.InMemoryExporter) []string {
	spans := exporter.GetSpans()
	slices.SortStableFunc(spans, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
	var lines []string
	var add func(parent trace.SpanID, indent string)
	add = func(parent trace.SpanID, indent string) {
		for _, span := range spans {
			if span.Parent.SpanID() != parent {
				continue
			}
			lines = append(lines, indent+span.Name+told(span))
			add(span.SpanContext.SpanID(), indent+"  ")
		}
	}
	add(trace.SpanID{}, "")
	return lines
}

// told returns what a span has to say.
func told(span tracetest.SpanStub) string {
	text := ""
	for _, pair := range span.Attributes {
		switch pair.Key {
		case "trueup.outcome", "trueup.reason":
			text += " " + pair.Value.AsString()
		case "http.response.status_code":
			text += " " + pair.Value.String()
		}
	}
	for _, event := range span.Events {
		text += " [" + event.Name
		for _, pair := range event.Attributes {
			if pair.Key == "trueup.verb" || pair.Key == "trueup.kind" || pair.Key == "trueup.cause" {
				text += " " + pair.Value.AsString()
			}
		}
		text += "]"
	}
	return text
}

// traced makes passes on the real API server.
type traced struct {
	*testing.T
	*steptest.Live
	pipeline *reconcile.Pipeline[app]
	app      app
}

func newTraced(t *testing.T, provider trace.TracerProvider) *traced {
	t.Helper()
	shared := cluster.Shared(t)
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	child := resources.Ensure(func(app app) (*corev1.ConfigMap, error) {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Name}, Data: map[string]string{"image": app.Spec.Image}}, nil
	})
	wait := reconcile.Func("dns", func(context.Context, *reconcile.Run[app]) (reconcile.Result, error) {
		return reconcile.Wait("Pending", "not yet"), nil
	})
	b := &traced{T: t}
	b.pipeline = reconcile.NewPipeline("traced", child, wait,
		status.Summarize(func(app app) *[]metav1.Condition { return &app.Status.Conditions })).Trace(tracing.New(provider))
	namespace := shared.Namespace(t)
	b.Live = steptest.StartLive[app](t, tracing.Requests(shared.Config(), provider), scheme, []string{namespace}, "traced", child)
	if err := b.pipeline.Setup(b.Environment); err != nil {
		t.Fatal(err)
	}
	b.app = &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace}, Spec: v1.MyAppSpec{Image: "img:1"}}
	if err := b.User.Create(t.Context(), b.app); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *traced) pass() {
	b.Helper()
	b.CaughtUp(b.T, b.app)
	if _, err := b.pipeline.Reconcile(b.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(b.app)}); err != nil {
		b.Fatal(err)
	}
	b.CaughtUp(b.T, b.app)
	b.CaughtUp(b.T, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: b.app.Namespace}})
}

func TestAPassIsATreeOfSpans(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	b := newTraced(t, sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter)))
	exporter.Reset()
	b.pass()
	want := []string{
		"pass traced Wait Pending [write patch MyApp.apps.example.com status]",
		"  step ConfigMap Continue [write apply ConfigMap created]",
		"    PATCH configmaps 201",
		"  step dns Wait Pending",
		"  step summary Continue",
		"  PATCH myapps/status 200",
	}
	if diff := cmp.Diff(want, tree(exporter)); diff != "" {
		t.Errorf("the first pass (-want +got):\n%s", diff)
	}
	exporter.Reset()
	b.pass()
	want = []string{"pass traced Wait Pending", "  step ConfigMap Continue", "  step dns Wait Pending", "  step summary Continue"}
	if diff := cmp.Diff(want, tree(exporter)); diff != "" {
		t.Errorf("a quiet pass (-want +got):\n%s", diff)
	}
}

func TestAPassThatIsNotSampledHasNoSpans(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	b := newTraced(t, sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter), sdktrace.WithSampler(sdktrace.NeverSample())))
	b.pass()
	if got := tree(exporter); len(got) > 0 {
		t.Errorf("spans %q of a pass that is not sampled", got)
	}
}

// Where nobody records, steps and writes cost no allocation.
func TestWhatIsNotRecordedCostsNothing(t *testing.T) {
	tracer := tracing.New(noop.NewTracerProvider())
	ctx, end := tracer.Pass(t.Context(), "quiet", &v1.MyApp{})
	if end != nil {
		t.Error("a pass that is not recorded has an end")
	}
	about := &reconcile.Description{Name: "step"}
	allocations := testing.AllocsPerRun(100, func() {
		if inner, end := tracer.Step(ctx, about, false); end != nil || inner != ctx {
			t.Error("a step that is not recorded has a span")
		}
		tracer.Write(ctx, reconcile.Write{})
	})
	if allocations > 0 {
		t.Errorf("a step that is not recorded allocates %v times", allocations)
	}
}

// Which SDK there is, is the operator's choice.
func TestNoSDKIsCompiled(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "go.opentelemetry.io/otel/trace") || strings.Contains(string(out), "go.opentelemetry.io/otel/sdk") {
		t.Errorf("package tracing compiles:\n%s", out)
	}
}
