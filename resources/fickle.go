package resources

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// fickle is what a step remembers of a child that is wanted otherwise again and
// again, although its owner is the same. Such a function of the author's, which
// has the time in what it builds, a random value, or the order of a map, has each
// apply wake the pass that sends the next one. It is backed off from as from a
// contest.
type fickle struct {
	owner   digest // of what of the owner the function may depend on
	last    time.Time
	changes int    // in a row
	tried   digest // of what was wanted when it was last let through
	content map[string]any
	fields  []string // that differed
	message string   // what was told, "" if nothing was
}

// settle forgets that a child was fickle when it has not been for a while.
func (s *slot[C]) settle(now func() time.Time) {
	if known := s.troubles().fickle; known != nil && now().Sub(known.last) > contestWindow {
		s.trouble(func(t *troubles) { t.fickle = nil })
	}
}

// unsettled is asked before a child is applied that is wanted otherwise than it
// was applied last. It returns what the step waits for if it is too soon.
func (e *engine[T, C]) unsettled(
	run *reconcile.Run[T], slot *slot[C], want *intent[C], live C,
) (reconcile.Result, bool, error) {
	now := run.Now()
	owner, err := inputsOf(run.Object())
	if err != nil {
		return reconcile.Result{}, false, err
	}
	content, err := e.content(run, want)
	if err != nil {
		return reconcile.Result{}, false, err
	}
	known := slot.troubles().fickle
	if known == nil || known.owner != owner || now.Sub(known.last) > contestWindow {
		known = &fickle{owner: owner, last: now, content: content, tried: want.hash}
		slot.trouble(func(t *troubles) { t.fickle = known })
		return reconcile.Result{}, false, nil
	}
	if known.tried == want.hash { // it was refused, or else it would be what was applied last
		return reconcile.Result{}, false, nil
	}
	known.note(content)
	rest := pauseAfter(known.changes) - now.Sub(known.last)
	if rest <= 0 {
		known.changes++
		known.last, known.tried = now, want.hash
		return reconcile.Result{}, false, nil
	}
	if known.message == "" && e.wants == nil {
		again, err := e.rebuilt(run)
		if err != nil || again == nil || again.hash == want.hash {
			slot.trouble(func(t *troubles) { t.fickle = nil }) // something else that it is made of has changed
			return reconcile.Result{}, false, err
		}
		if content, err = e.content(run, again); err != nil {
			return reconcile.Result{}, false, err
		}
		known.note(content)
	}
	if known.message == "" {
		known.message = fmt.Sprintf("%s is wanted otherwise again and again although nothing that it is made of has changed: "+
			"the function that builds it is not deterministic (%s); it is applied less often", want, fieldList(known.fields))
		run.Warn(live, "NotDeterministic", "Apply", "%s: %s", e.step, known.message)
	}
	return reconcile.Wait("NotDeterministic", known.message).After(rest), true, nil
}

// rebuilt asks the author's function once more in the same pass, in which nothing
// has changed that it may depend on. It is nil if that gives no child.
func (e *engine[T, C]) rebuilt(run *reconcile.Run[T]) (*intent[C], error) {
	desired, err := e.build(run.Object(), run)
	if err != nil || reflect.ValueOf(&desired).Elem().IsZero() {
		return nil, nil //nolint:nilerr // a function that fails now and then has something else change
	}
	return e.intend(run, desired)
}

// inputsOf returns a digest of what a child may be made of: the spec of its
// owner, of which the generation tells, the labels and the annotations.
func inputsOf(owner client.Object) (digest, error) {
	data, err := json.Marshal([]any{owner.GetGeneration(), owner.GetLabels(), owner.GetAnnotations()})
	if err != nil {
		return digest{}, err
	}
	return digestOf(data), nil
}

// note takes down in which fields a content differs from the last one.
func (f *fickle) note(content map[string]any) {
	differing(f.content, content, "", func(path string) {
		if !slices.Contains(f.fields, path) {
			f.fields = append(f.fields, path)
		}
	})
	f.content = content
}

// fieldList names a few fields.
func fieldList(fields []string) string {
	const named = 3
	fields = slices.Sorted(slices.Values(fields))
	switch {
	case len(fields) == 0:
		return "fields unknown"
	case len(fields) == 1:
		return "field " + fields[0]
	case len(fields) > named:
		return fmt.Sprintf("fields %s and %d more", strings.Join(fields[:named], ", "), len(fields)-named)
	}
	return "fields " + strings.Join(fields, ", ")
}

// differing tells the paths at which two contents differ. Of a list whose items
// are the same in another order it tells that.
func differing(a, b any, path string, tell func(path string)) {
	if reflect.DeepEqual(a, b) {
		return
	}
	x, xIsMap := a.(map[string]any)
	y, yIsMap := b.(map[string]any)
	if xIsMap && yIsMap {
		names := maps.Clone(x)
		maps.Copy(names, y)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			differing(x[name], y[name], path+"."+name, tell)
		}
		return
	}
	m, mIsList := a.([]any)
	n, nIsList := b.([]any)
	switch {
	case !mIsList || !nIsList || len(m) != len(n):
		tell(path)
	case slices.Equal(sortedJSON(m), sortedJSON(n)):
		tell(path + " (its order)")
	default:
		for i := range m {
			differing(m[i], n[i], fmt.Sprintf("%s[%d]", path, i), tell)
		}
	}
}

// sortedJSON returns the items of a list as text, in order.
func sortedJSON(items []any) []string {
	texts := make([]string, len(items))
	for i, item := range items {
		data, _ := json.Marshal(item) // it was JSON before
		texts[i] = string(data)
	}
	slices.Sort(texts)
	return texts
}
