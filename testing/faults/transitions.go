package faults

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Transitions leads an object through changes of its spec that it makes up from the
// schema of its kind, and demands that only the last one matters.
type Transitions struct {
	// Sweep says what is tested and where. Its Given has the object first, with the spec
	// to begin with. Sample is how many sequences of two changes are gone through, drawn
	// by Seed; all if it is 0. Changes and Pairs are not used.
	Sweep Sweep
	// Definition is that of the object's kind. Required.
	Definition *apiextensionsv1.CustomResourceDefinition
	// Values are those to give a field, by its path below the spec, as in "tls.issuer",
	// instead of ones that are made up: for fields with a format. Defaults to none.
	Values map[string][]any
}

// Run goes from the first spec to each that differs from it in one field, to another
// such, and back; each time when the operator has come to an end with the one before,
// and while it is at work on it. At the end all must be as it is with an object that
// was made with the last spec. Specs that the API server refuses are left out. The
// schedules of the report are empty; the details tell the changes.
func (tr Transitions) Run(t *testing.T) *Report {
	t.Helper()
	began, used := time.Now(), cpu()
	base, version, err := tr.base()
	if err != nil {
		t.Fatal(err)
	}
	spec, _ := base.Object["spec"].(map[string]any)
	properties := version.Schema.OpenAPIV3Schema.Properties["spec"]
	all := append([]variant{{"as it was", spec}}, variants(&properties, spec, tr.Values)...)
	valid, fresh := tr.fresh(t, base, all)
	if len(valid) < 2 {
		t.Fatalf("no valid change of the spec was found: give Values")
	}
	report := &Report{Schedules: len(all)}
	var sequences [][2]int
	for i := range valid {
		for j := range valid {
			if i != j {
				sequences = append(sequences, [2]int{i, j})
			}
		}
	}
	var mu sync.Mutex
	inParallel(t, sample(sequences, tr.Sweep.Sample, tr.Sweep.Seed), func(t *testing.T, pair [2]int) {
		t.Helper()
		for _, early := range []bool{false, true} {
			violation := tr.through(t, base, valid[pair[0]], valid[pair[1]], early, fresh[pair[1]])
			mu.Lock()
			report.Schedules++
			if violation != nil {
				report.add(*violation)
			}
			mu.Unlock()
		}
	})
	report.Took, report.CPU = time.Since(began), cpu()-used
	return report
}

// Check is [Transitions.Run], and fails the test if anything is wrong.
func (tr Transitions) Check(t *testing.T) *Report {
	t.Helper()
	report := tr.Run(t)
	t.Log(report)
	for _, violation := range report.Violations {
		t.Errorf("%s\n%s", violation, violation.Detail)
	}
	return report
}

// base returns the object to begin with, and what defines it.
func (tr Transitions) base() (*unstructured.Unstructured, *apiextensionsv1.CustomResourceDefinitionVersion, error) {
	if tr.Definition == nil || len(tr.Sweep.Given) == 0 {
		return nil, nil, fmt.Errorf("transitions: Definition and the object in Given are required")
	}
	for i := range tr.Definition.Spec.Versions {
		version := &tr.Definition.Spec.Versions[i]
		if !version.Storage || version.Schema == nil {
			continue
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(tr.Sweep.Given[0])
		if err != nil {
			return nil, nil, err
		}
		base := &unstructured.Unstructured{Object: content}
		base.SetGroupVersionKind(schema.GroupVersionKind{
			Group: tr.Definition.Spec.Group, Version: version.Name, Kind: tr.Definition.Spec.Names.Kind,
		})
		delete(base.Object, "status")
		return base, version, nil
	}
	return nil, nil, fmt.Errorf("transitions: %s stores no version", tr.Definition.Name)
}

// with returns the sweep that begins with an object with a spec.
func (tr Transitions) with(base *unstructured.Unstructured, spec map[string]any, changes ...Change) *Sweep {
	sweep := tr.Sweep
	object := base.DeepCopy()
	object.Object["spec"] = runtime.DeepCopyJSON(spec)
	sweep.Given = append([]client.Object{object}, tr.Sweep.Given[1:]...)
	sweep.Changes = changes
	return &sweep
}

// fresh returns the variants that are valid, and what becomes of an object that is made
// with each.
func (tr Transitions) fresh(t *testing.T, base *unstructured.Unstructured, all []variant) (valid []variant, pictures []outcome) {
	t.Helper()
	for _, variant := range all {
		if came := tr.with(base, variant.spec).once(t, nil, false); came.err == nil {
			valid, pictures = append(valid, variant), append(pictures, came)
		}
	}
	return valid, pictures
}

// through goes from the first spec to one and then to another, and returns what is
// wrong with the end.
func (tr Transitions) through(t *testing.T, base *unstructured.Unstructured, first, last variant, early bool, want outcome) *Violation {
	t.Helper()
	sweep := tr.with(base, base.Object["spec"].(map[string]any), tr.change(base, first, early), tr.change(base, last, early))
	violation := sweep.judge(want, sweep.once(t, nil, false))
	if violation != nil {
		when := "each when the one before is done"
		if early {
			when = "each while the one before is rolled out"
		}
		violation.Detail = strings.Join([]string{"changes: " + first.name + ", then " + last.name + ", " + when, violation.Detail}, "\n")
	}
	return violation
}

func (tr Transitions) change(base *unstructured.Unstructured, to variant, early bool) Change {
	return Change{Name: to.name, Early: early, Do: func(ctx context.Context, user client.Client) error {
		object := base.DeepCopy()
		if err := user.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
			return err
		}
		object.Object["spec"] = runtime.DeepCopyJSON(to.spec)
		return user.Update(ctx, object)
	}}
}
