package merge

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWithoutNewGenerations(t *testing.T) {
	for name, test := range map[string]struct{ reason, base, ours, want string }{
		"none":     {"nothing to leave out", `{a: 1}`, `{a: 2, l: [1], m: {b: null}}`, `{a: 2, l: [1], m: {b: null}}`},
		"nothing":  {"no status", ``, ``, ``},
		"new":      {"it is left out", ``, `{a: 1, observedGeneration: 1}`, `{a: 1}`},
		"moved":    {"it goes", `{observedGeneration: 1}`, `{observedGeneration: 2}`, `{}`},
		"the same": {"it stays", `{observedGeneration: 1}`, `{observedGeneration: 1}`, `{observedGeneration: 1}`},
		"conditions": {
			"so in conditions, by their type, at any depth",
			`{x: {c: [{type: B, status: "True", observedGeneration: 1}]}}`,
			`{x: {c: [{type: A, status: "True", observedGeneration: 1}, {type: B, status: "False", observedGeneration: 1}]}}`,
			`{x: {c: [{type: A, status: "True"}, {type: B, status: "False", observedGeneration: 1}]}}`,
		},
		"other lists": {"they are none of these", ``, `{l: [{observedGeneration: 1}]}`, `{l: [{observedGeneration: 1}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			base, ours := value(t, test.base), value(t, test.ours)
			before := text(t, []any{base, ours})
			if diff := cmp.Diff(value(t, test.want), WithoutNewGenerations(base, ours)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
			if after := text(t, []any{base, ours}); after != before {
				t.Errorf("an argument was changed: %s, then %s", before, after)
			}
		})
	}
}
