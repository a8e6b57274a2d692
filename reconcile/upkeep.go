package reconcile

import (
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// upkeep is what an object's metadata should have: these finalizers, and these
// annotations among others, where an empty value stands for none.
type upkeep struct {
	finalizers  []string
	annotations map[string]string
}

// patch returns the merge patch that gives an object's metadata what it should
// have, empty if it has it.
func (u upkeep) patch(object client.Object) map[string]any {
	sameFinalizers := slices.Equal(object.GetFinalizers(), u.finalizers)
	change := annotationsPatch(object.GetAnnotations(), u.annotations)
	if sameFinalizers && len(change) == 0 {
		return nil
	}
	body := map[string]any{}
	if !sameFinalizers {
		body["finalizers"] = u.finalizers
	}
	if len(change) > 0 {
		body["annotations"] = change
	}
	return body
}

// annotationsPatch returns the merge patch that sets annotations, where an empty
// value removes one.
func annotationsPatch(have, want map[string]string) map[string]any {
	if len(want) == 0 {
		return nil
	}
	change := map[string]any{}
	for key, value := range want {
		switch old, ok := have[key]; {
		case value == "" && ok:
			change[key] = nil
		case value != old:
			change[key] = value
		}
	}
	return change
}

// needs reports whether an object needs the finalizers of a step. That the author's
// function panics is the step's error.
func (d *Description) needs(object client.Object) (needed bool, err error) {
	if d.FinalizersWhen == nil {
		return true, nil
	}
	err = recoveredFrom(func() error {
		needed = d.FinalizersWhen(object)
		return nil
	})
	if err != nil {
		err = &StepError{Step: d.Name, Err: fmt.Errorf("tell whether finalizers are needed: %w", err)}
	}
	return needed, err
}

// annotate adds the annotations that go with a step's finalizers.
func (d *Description) annotate(object client.Object, want *upkeep) error {
	err := recoveredFrom(func() error {
		for key, value := range d.Annotations(object) {
			if want.annotations == nil {
				want.annotations = map[string]string{}
			}
			want.annotations[key] = value
		}
		return nil
	})
	if err != nil {
		return &StepError{Step: d.Name, Err: fmt.Errorf("tell the annotations: %w", err)}
	}
	return nil
}
