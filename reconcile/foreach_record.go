package reconcile

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// itemsPrefix is that of the annotations with the records of items.
const itemsPrefix = "items.trueup.dev/"

// recordOf returns the key of the annotation with the items for which something
// was, or is about to be, done.
func (e *Each[T]) recordOf(run *Run[T]) string { return itemsPrefix + run.Mark(e.name) }

// recorded returns the items of the record, sorted.
func (e *Each[T]) recorded(run *Run[T]) ([]string, error) {
	return readItems(run.Object(), e.recordOf(run))
}

func readItems(object client.Object, key string) ([]string, error) {
	text := object.GetAnnotations()[key]
	if text == "" {
		return nil, nil
	}
	var items []string
	if err := json.Unmarshal([]byte(text), &items); err != nil {
		return nil, WithReason("InvalidRecord", Terminal(fmt.Errorf(
			"the annotation %s, which lists what there is to undo, cannot be read: %w", key, err)))
	}
	slices.Sort(items)
	return slices.Compact(items), nil
}

// record makes the record be of the given items. Nothing is sent if it is.
func (e *Each[T]) record(ctx context.Context, run *Run[T], items []string) error {
	before, err := e.recorded(run)
	if err != nil {
		return err
	}
	slices.Sort(items)
	if slices.Equal(before, items) {
		return nil
	}
	text := ""
	if len(items) > 0 {
		encoded, err := json.Marshal(items)
		if err != nil {
			return err
		}
		text = string(encoded)
	}
	if err := run.Annotate(ctx, map[string]string{e.recordOf(run): text}); err != nil {
		return fmt.Errorf("record the items of ForEach: %w", err)
	}
	return nil
}

// forget takes items out of the record.
func (e *Each[T]) forget(ctx context.Context, run *Run[T], gone []string) error {
	if len(gone) == 0 {
		return nil
	}
	recorded, err := e.recorded(run)
	if err != nil {
		return err
	}
	return e.record(ctx, run, slices.DeleteFunc(recorded, func(item string) bool { return slices.Contains(gone, item) }))
}

// union returns the items of a, and then those of b that are not among them.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, item := range b {
		if !slices.Contains(a, item) {
			all = append(all, item)
		}
	}
	return all
}

// concerns reports whether an object has items, or a record of some.
func (e *Each[T]) concerns(object client.Object) bool {
	owner, ok := object.(T)
	if !ok {
		return false
	}
	for key := range owner.GetAnnotations() {
		if strings.HasPrefix(key, itemsPrefix) && strings.HasSuffix(key, "."+e.name) {
			return true // the name of the pipeline is not known here
		}
	}
	return e.items != nil && len(e.items(owner)) > 0
}
