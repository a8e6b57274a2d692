package merge

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

func value(t *testing.T, text string) any {
	t.Helper()
	if text == "" {
		return nil
	}
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := utiljson.Unmarshal(data, &out); err != nil { // integers are int64, as in unstructured objects
		t.Fatal(err)
	}
	return out
}

func text(t *testing.T, value any) string {
	t.Helper()
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestThreeWay(t *testing.T) {
	for name, test := range map[string]struct {
		reason                 string
		base, ours, live, want string
	}{
		"nothing of ours":     {"what we did not touch is theirs", `{a: 1}`, `{a: 1}`, `{a: 2, b: 3}`, `{a: 2, b: 3}`},
		"set":                 {"what we set is set, beside theirs", `{a: 1}`, `{a: 2}`, `{a: 1, b: 3}`, `{a: 2, b: 3}`},
		"unset":               {"what we unset is gone", `{a: 1, c: 1}`, `{c: 1}`, `{a: 1, b: 3, c: 1}`, `{b: 3, c: 1}`},
		"nested":              {"so at any depth", `{x: {a: 1}}`, `{x: {a: 2}}`, `{x: {a: 1, b: 3}}`, `{x: {a: 2, b: 3}}`},
		"from nothing":        {"the first status there is", ``, `{a: 1}`, ``, `{a: 1}`},
		"both first":          {"the other was first", ``, `{a: 1}`, `{b: 2}`, `{a: 1, b: 2}`},
		"list":                {"a list is ours as a whole", `{l: [1]}`, `{l: [1, 2]}`, `{l: [3]}`, `{l: [1, 2]}`},
		"theirs changed list": {"unless we did not touch it", `{l: [1]}`, `{l: [1]}`, `{l: [3]}`, `{l: [3]}`},
		"conditions": {
			"conditions are merged by type, in live order, new ones last",
			`{conditions: [{type: A, status: "True"}]}`,
			`{conditions: [{type: A, status: "False"}, {type: New, status: "True"}]}`,
			`{conditions: [{type: X, status: "True"}, {type: A, status: "True"}]}`,
			`{conditions: [{type: X, status: "True"}, {type: A, status: "False"}, {type: New, status: "True"}]}`,
		},
		"condition we removed": {
			"a condition that we removed is gone, theirs stay",
			`{conditions: [{type: A, status: "True"}, {type: B, status: "True"}]}`,
			`{conditions: [{type: B, status: "True"}]}`,
			`{conditions: [{type: A, status: "True"}, {type: B, status: "True"}, {type: X, status: "True"}]}`,
			`{conditions: [{type: B, status: "True"}, {type: X, status: "True"}]}`,
		},
		"condition they removed": {
			"a condition that they removed and we did not touch stays gone; one that we changed comes back",
			`{conditions: [{type: A, status: "True"}, {type: B, status: "True"}]}`,
			`{conditions: [{type: A, status: "True"}, {type: B, status: "False"}]}`,
			`{conditions: []}`,
			`{conditions: [{type: B, status: "False"}]}`,
		},
		"first conditions": {
			"both made the list at the same time",
			`{}`, `{conditions: [{type: A, status: "True"}]}`, `{conditions: [{type: X, status: "True"}]}`,
			`{conditions: [{type: X, status: "True"}, {type: A, status: "True"}]}`,
		},
		"null":        {"null unsets, as a cleared time does", `{a: 1, b: [1]}`, `{a: null, b: null}`, `{a: 1, b: [1], c: 1}`, `{c: 1}`},
		"null before": {"null is no value, in base and live too", `{a: null}`, `{a: null, b: 1}`, `{a: null}`, `{b: 1}`},
		"null in new": {"so at any depth", ``, `{x: {a: null, b: 1}}`, ``, `{x: {b: 1}}`},
		"object unset": {
			"of an object that we unset only what it had goes",
			`{m: {a: 1, x: {y: 1}}}`, `{}`, `{m: {a: 1, b: 2, x: {y: 1, z: 2}}}`, `{m: {b: 2, x: {z: 2}}}`,
		},
		"object nulled":     {"null or absent is the same", `{m: {a: 1}}`, `{m: null}`, `{m: {a: 1, b: 2}}`, `{m: {b: 2}}`},
		"object all ours":   {"nothing is left", `{m: {a: 1}, c: 1}`, `{c: 1}`, `{m: {a: 1}, c: 1}`, `{c: 1}`},
		"object became one": {"what is of another kind is ours as a whole", `{m: {a: 1}}`, `{m: 1}`, `{m: {a: 1, b: 2}}`, `{m: 1}`},
		"everything unset":  {"so with the status itself", `{a: 1}`, ``, `{a: 1, b: 2}`, `{b: 2}`},
		"conditions unset": {
			"of conditions that we unset only those that were there go",
			`{conditions: [{type: X, status: "True"}]}`, `{}`,
			`{conditions: [{type: X, status: "True"}, {type: Audited, status: "True"}]}`,
			`{conditions: [{type: Audited, status: "True"}]}`,
		},
		"conditions all ours": {
			"nothing is left",
			`{conditions: [{type: X, status: "True"}]}`, `{conditions: null}`, `{conditions: [{type: X, status: "True"}]}`, `{}`,
		},
		"conditions emptied": {
			"an empty list is a list",
			`{conditions: [{type: X, status: "True"}]}`, `{conditions: []}`, `{conditions: [{type: X, status: "True"}]}`, `{conditions: []}`,
		},
		"conditions in another order": {
			"live's order stays",
			`{conditions: [{type: A, status: "True"}, {type: B, status: "True"}]}`,
			`{conditions: [{type: B, status: "True"}, {type: A, status: "True"}]}`,
			`{conditions: [{type: A, status: "True"}, {type: B, status: "True"}]}`,
			`{conditions: [{type: A, status: "True"}, {type: B, status: "True"}]}`,
		},
		"a condition is one statement": {
			"the reason that we give is not put beside the status that somebody else gives",
			`{c: [{type: A, status: "True", reason: Ready, observedGeneration: 1}]}`,
			`{c: [{type: A, status: "True", reason: Ready, observedGeneration: 2}]}`,
			`{c: [{type: A, status: "False", reason: Broken, observedGeneration: 1}]}`,
			`{c: [{type: A, status: "True", reason: Ready, observedGeneration: 2}]}`,
		},
		"a condition's fields that we do not know": {
			"they stay",
			`{c: [{type: A, status: "True", message: m}]}`,
			`{c: [{type: A, status: "False"}]}`,
			`{c: [{type: A, status: "True", message: m, lastHeartbeatTime: now}]}`,
			`{c: [{type: A, status: "False", lastHeartbeatTime: now}]}`,
		},
		"a transition that somebody else saw first": {
			"the value does not move when the other writer's is the same",
			`{c: [{type: A, status: "True", lastTransitionTime: "1"}]}`,
			`{c: [{type: A, status: "False", lastTransitionTime: "3"}]}`,
			`{c: [{type: A, status: "False", lastTransitionTime: "2"}]}`,
			`{c: [{type: A, status: "False", lastTransitionTime: "2"}]}`,
		},
		"a newer generation": {
			"what was said of it in the meantime is not taken back for the older one",
			`{observedGeneration: 1, c: [{type: A, status: "True", observedGeneration: 1}, {type: B, status: "True", observedGeneration: 1}]}`,
			`{observedGeneration: 2, c: [{type: A, status: "False", observedGeneration: 2}, {type: B, status: "False", observedGeneration: 2}]}`,
			`{observedGeneration: 3, c: [{type: A, status: "True", observedGeneration: 3}, {type: B, status: "True", observedGeneration: 1}]}`,
			`{observedGeneration: 3, c: [{type: A, status: "True", observedGeneration: 3}, {type: B, status: "False", observedGeneration: 2}]}`,
		},
		"a generation that began anew": {
			"an object that was restored from a backup has a status of a later generation",
			`{observedGeneration: 7, c: [{type: A, status: "True", observedGeneration: 7}]}`,
			`{observedGeneration: 1, c: [{type: A, status: "True", observedGeneration: 1}]}`,
			`{observedGeneration: 7, c: [{type: A, status: "True", observedGeneration: 7}]}`,
			`{observedGeneration: 1, c: [{type: A, status: "True", observedGeneration: 1}]}`,
		},
		"types that repeat": {
			"such a list is one value: its type is no key",
			`{v: [{type: Disk, status: ok, name: a}, {type: Disk, status: ok, name: b}]}`,
			`{v: [{type: Disk, status: bad, name: a}, {type: Disk, status: ok, name: b}]}`,
			`{v: [{type: Disk, status: ok, name: a}, {type: Disk, status: ok, name: b}]}`,
			`{v: [{type: Disk, status: bad, name: a}, {type: Disk, status: ok, name: b}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			base, ours, live := value(t, test.base), value(t, test.ours), value(t, test.live)
			before := text(t, []any{base, ours, live})
			got := ThreeWay(base, ours, live)
			if diff := cmp.Diff(value(t, test.want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
			if after := text(t, []any{base, ours, live}); after != before {
				t.Errorf("an argument was changed: %s, then %s", before, after)
			}
			// What was merged is what the patch makes of live.
			if _, differs := Patch(got, value(t, test.want)); differs {
				t.Error("Patch sees a difference where there is none")
			}
		})
	}
}

func TestPatch(t *testing.T) {
	for name, test := range map[string]struct {
		reason         string
		from, to, want string
		differs        bool
	}{
		"same":         {"no difference", `{a: 1}`, `{a: 1}`, ``, false},
		"set":          {"only what differs", `{a: 1, b: 1}`, `{a: 2, b: 1}`, `{a: 2}`, true},
		"unset":        {"null unsets", `{a: 1, b: 1}`, `{b: 1}`, `{a: null}`, true},
		"nested":       {"at any depth", `{x: {a: 1, b: 1}}`, `{x: {a: 2, b: 1}}`, `{x: {a: 2}}`, true},
		"from nothing": {"all of it", ``, `{a: 1}`, `{a: 1}`, true},
		"null stays":   {"null is no value", `{a: null}`, `{}`, ``, false},
		"null comes":   {"null is no value", `{}`, `{a: null}`, ``, false},
		"to null":      {"null is no value", `{a: 1}`, `{a: null}`, `{a: null}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, differs := Patch(value(t, test.from), value(t, test.to))
			if differs != test.differs {
				t.Errorf("%s: differs = %v, want %v (%v)", test.reason, differs, test.differs, got)
			}
			if diff := cmp.Diff(value(t, test.want), got); test.differs && diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}
