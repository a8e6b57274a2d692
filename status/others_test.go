package status_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/status"
)

// Between what the pass read and its write somebody else writes a condition and a
// field, once or more often (C09): both are there in the end, as they were
// written, whatever the type of the list, with and without a status subresource.
func TestOthersConditionsAndFieldsAreNeverLost(t *testing.T) {
	for _, g := range gadgets {
		for times, how := range map[int]string{1: "once", 2: "twice"} {
			t.Run(g.kind+" "+how, func(t *testing.T) {
				b := newBench(t, g.object())
				audited := map[string]any{
					"type": "Audited", "status": "True", "reason": "Seen", "message": "all well",
					"lastTransitionTime": "2020-02-02T02:02:02Z", "auditor": "ann",
				}
				runs, failing, interfere := 0, false, false
				pipeline := b.setUp(reconcile.NewPipeline("test",
					reconcile.Func("work", func(context.Context, *reconcile.Run[*unstructured.Unstructured]) (reconcile.Result, error) {
						runs++
						for i := range times {
							if interfere {
								b.sets(func(status map[string]any) {
									items, _ := status["conditions"].([]any)
									status["auditID"] = []string{"7", "7"}[i]
									status["conditions"] = append(items, audited)[:len(items)+1-min(i, 1)]
								})
							}
						}
						interfere = false
						if failing {
							return reconcile.Wait("Broken", "it is broken"), nil
						}
						return reconcile.Continue, nil
					}),
					status.SummarizeUnstructured(),
				))
				if _, _, err := b.pass(pipeline); err != nil {
					t.Fatal(err)
				}
				b.quiet("the first pass", pipeline)
				runs, failing, interfere = 0, true, true
				_, sent, err := b.pass(pipeline)
				if err != nil || runs != 1 {
					t.Errorf("err = %v after %d runs; a conflict is nobody's business", err, runs)
				}
				writes := 0
				for _, request := range sent {
					if request.Write() {
						writes++
					}
				}
				if writes > 2 && g.subresource {
					t.Errorf("%d status requests, want 2 at most: %v", writes, sent)
				}
				content := b.live().Object
				if id, _, _ := unstructured.NestedString(content, "status", "auditID"); id != "7" {
					t.Errorf("auditID = %q", id)
				}
				items, _, _ := unstructured.NestedSlice(content, "status", "conditions")
				found := map[string]map[string]any{}
				for _, item := range items {
					found[item.(map[string]any)["type"].(string)] = item.(map[string]any)
				}
				if diff := cmp.Diff(audited, found["Audited"]); diff != "" {
					t.Errorf("the other's condition (-want +got):\n%s", diff)
				}
				if found["Ready"]["status"] != "False" || found["WorkReady"]["reason"] != "Broken" || found["Reconciling"] == nil {
					t.Errorf("ours are lost: %v", items)
				}
				b.quiet("in the end", pipeline)
			})
		}
	}
}
