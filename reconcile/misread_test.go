package reconcile_test

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/trueup-dev/trueup/reconcile"
)

// A step that reads the handle of one that cannot have run has failed, and says of
// which; one that reads from a step that was passed over, or held up, has not.
func TestReadingAStepThatHasNotRunIsAFailure(t *testing.T) {
	value := reconcile.NewValue[int]().By("writer")
	writer := func() step {
		return reconcile.Func("writer", func(_ context.Context, run run) (reconcile.Result, error) {
			value.Set(run, 1)
			return reconcile.Continue, nil
		})
	}
	read := func(_ context.Context, run run) (reconcile.Result, error) {
		value.Get(run)
		return reconcile.Continue, nil
	}
	reader, waits := reconcile.Func("reader", read), reconcile.Func("waits", func(context.Context, run) (reconcile.Result, error) {
		return reconcile.Wait("Waiting", "for ever"), nil
	})
	// The reader reads first where both may run at the same time.
	hasRead := make(chan struct{}, 1)
	first := reconcile.Func("reader", func(ctx context.Context, run run) (reconcile.Result, error) {
		defer func() { hasRead <- struct{}{} }()
		return read(ctx, run)
	})
	second := reconcile.Func("writer", func(_ context.Context, run run) (reconcile.Result, error) {
		<-hasRead
		value.Set(run, 1)
		return reconcile.Continue, nil
	})
	never := func(object) bool { return false }
	one := func(object) []string { return []string{"one"} }
	const early = `step reader: reads what step writer has observed, which has not run yet: it comes later, or at the same time`
	const absent = `step reader: reads what step writer has observed, which is not in the pipeline`
	for name, test := range map[string]struct {
		steps []step
		want  string
	}{
		"before":                        {[]step{writer(), reader}, ""},
		"after":                         {[]step{reader, writer()}, early},
		"before, in All":                {[]step{reconcile.All(writer(), reader)}, ""},
		"after, in All":                 {[]step{reconcile.All(reader, writer())}, early},
		"beside, in Parallel":           {[]step{reconcile.Parallel(reader, writer()).Limit(1)}, early},
		"beside, in a Graph":            {[]step{reconcile.Graph(reconcile.At("r", first), reconcile.At("w", second))}, early},
		"before, in a Graph":            {[]step{reconcile.Graph(reconcile.At("r", reader).After("w"), reconcile.At("w", writer()))}, ""},
		"deep in what is before":        {[]step{reconcile.All(reconcile.Sequence(writer())), reconcile.Retry(2, time.Millisecond, reader)}, ""},
		"deep in what is after":         {[]step{reconcile.Retry(2, time.Millisecond, reader), reconcile.All(reconcile.Sequence(writer()))}, early},
		"not in the pipeline":           {[]step{reader}, absent},
		"in a branch that is not taken": {[]step{reconcile.When(never, writer()), reader}, ""},
		"held up": {[]step{reconcile.Graph(reconcile.At("x", waits), reconcile.At("w", writer()).After("x"),
			reconcile.At("r", reader).AfterTrying("w"))}, ""},
		"run with Do": {[]step{reconcile.Func("reader", func(ctx context.Context, run run) (reconcile.Result, error) {
			if _, err := run.Do(ctx, writer()); err != nil {
				return reconcile.Result{}, err
			}
			return read(ctx, run)
		})}, ""},
		"reporting, before":              {[]step{quickReport(read), waits, writer()}, ""},
		"reporting, not in the pipeline": {[]step{quickReport(read)}, absent},
		"of an item, before":             {[]step{reconcile.ForEach("each", one, writer(), reader)}, ""},
		"of an item, after": {[]step{reconcile.ForEach("each", one, reader, writer())},
			strings.Replace(early, "step", `step each: one: step`, 1)},
		"from an item, before": {[]step{writer(), reconcile.ForEach("each", one, reader)}, ""},
		"from an item, after": {[]step{reconcile.ForEach("each", one, reader), writer()},
			strings.Replace(early, "step", `step each: one: step`, 1)},
		"of items, not through Of": {[]step{reconcile.ForEach("each", one, writer()), reader},
			`step reader: reads what step writer has observed, which is run for each item of each: it is to be read through Of`},
	} {
		t.Run(name, func(t *testing.T) {
			owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "b", UID: "uid"}}
			pipeline := reconcile.NewPipeline("test", test.steps...)
			if err := pipeline.Setup(reconcile.Environment{Client: fake.NewClientBuilder().WithObjects(owner).Build()}); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				_, err := pipeline.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(owner)})
				got := ""
				if err != nil {
					got = err.Error()
				}
				if got = strings.TrimPrefix(got, "terminal error: "); got != test.want {
					t.Errorf("err = %q, want %q", got, test.want)
				}
			}
		})
	}
}

// quickReport is a reporting step named reader.
func quickReport(compute reconcile.Action[object]) step {
	return reportingStep{reconcile.Func("reader", compute)}
}

type reportingStep struct{ step }

func (r reportingStep) Describe() reconcile.Description {
	about := r.step.Describe()
	about.Reporting = true
	return about
}
