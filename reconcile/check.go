package reconcile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// summaryConditions are the types of the conditions that speak for the whole
// object; no step may have one of them.
var summaryConditions = []string{"Ready", "Reconciling", "Stalled"}

// collectorFinalizers are the garbage collector's own.
var collectorFinalizers = []string{metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents}

// checker collects what is wrong with a pipeline.
type checker struct {
	pipeline   string
	scheme     *runtime.Scheme
	scopes     client.Client // knows which kinds are namespaced
	owner      client.Object // nil if the reconciled type is no good
	names      map[string]bool
	conditions map[string]string
	finalizers map[string]string
	unknown    map[string]bool // what was told of kinds that the scheme does not know
	faults     []error
}

// check returns everything that is wrong with a pipeline of the given name and
// steps, joined, or nil. A nil owner is one of which nothing is known yet.
func check(pipeline string, owner client.Object, about Description, former []string, scopes client.Client) error {
	c := &checker{
		pipeline:   pipeline,
		scheme:     scopes.Scheme(),
		scopes:     scopes,
		owner:      owner,
		names:      map[string]bool{},
		conditions: map[string]string{},
		finalizers: map[string]string{},
		unknown:    map[string]bool{},
	}
	for _, problem := range validation.IsDNS1123Label(pipeline) {
		c.fault("name: %s", problem)
	}
	if owner != nil {
		c.kind("the reconciled type", owner)
		if len(c.unknown) > 0 {
			c.owner = nil // what else is wrong with it follows from that
		}
	}
	about.Walk(c.step)
	about.Walk(c.reserved)
	about.Walk(c.itemNames)
	about.Walk(func(step Description) { c.lookups(step, about) })
	about.Walk(c.former)
	for _, name := range former {
		c.formerFinalizer("", name)
	}
	return errors.Join(c.faults...)
}

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf("pipeline %q: "+format, append([]any{c.pipeline}, args...)...))
}

func (c *checker) step(about Description) {
	where := fmt.Sprintf("step %q", about.Name)
	for _, err := range each(about.Err) {
		c.fault("%s: %w", where, err)
	}
	if about.leaf() {
		c.name(where, about)
	}
	for _, name := range about.Finalizers {
		c.finalizer(where, about.Name, name)
	}
	for _, object := range about.Owns {
		c.kind(where+": owned kind", object)
		c.reach(where, object)
	}
	for _, access := range about.Access {
		c.kindIn(where+": accessed kind", access.Object, access.Place)
		if len(access.Verbs) == 0 {
			c.fault("%s: access without verbs", where)
		}
	}
	for _, watch := range about.Watches {
		c.kindIn(where+": watched kind", watch.Object, watch.Place)
		byIndex := watch.Index != "" && watch.Values != nil
		if byIndex == (watch.Handler != nil) {
			c.fault("%s: a watch needs a handler, or an index and a function of values", where)
		}
	}
	for _, index := range about.Indexes {
		c.kindIn(where+": indexed kind", index.Object, index.Place)
		if index.Name == "" || index.Values == nil {
			c.fault("%s: an index needs a name and a function of values", where)
		}
	}
}

// name checks what tells a step from the others.
func (c *checker) name(where string, about Description) {
	switch {
	case about.Name == "":
		c.fault("a step of kind %s has no name", about.Kind)
		return
	case c.names[about.Name]:
		c.fault("%s: the name is taken by another step; give one of them its own, with Named", where)
		return
	}
	c.names[about.Name] = true
	mark := c.pipeline + "." + about.Name
	for _, problem := range validation.IsValidLabelValue(mark) {
		c.fault("%s: name: with the pipeline's name it marks children as %q: %s", where, mark, problem)
	}
	if about.Condition == "" {
		return
	}
	for _, problem := range validation.IsQualifiedName(about.Condition) {
		c.fault("%s: condition type %q: %s", where, about.Condition, problem)
	}
	if slices.Contains(summaryConditions, about.Condition) {
		c.fault("%s: condition type %q speaks for the whole object", where, about.Condition)
	}
	if other, taken := c.conditions[about.Condition]; taken {
		c.fault("%s: condition type %q is that of step %q", where, about.Condition, other)
	}
	c.conditions[about.Condition] = about.Name
}

// reserved checks that no step has a condition that another one reserves.
func (c *checker) reserved(about Description) {
	for _, name := range about.Reserved {
		if other, taken := c.conditions[name]; taken {
			c.fault("step %q: condition type %q is that of step %q", about.Name, name, other)
		}
	}
}

func (c *checker) finalizer(where, step, name string) {
	if other, taken := c.finalizers[name]; taken {
		c.fault("%s: finalizer %q is that of step %q", where, name, other)
	}
	c.finalizers[name] = step
	if !strings.Contains(name, "/") {
		c.fault("%s: finalizer %q: must be a domain and a name, as in apps.example.com/dns", where, name)
	}
	for _, problem := range validation.IsQualifiedName(name) {
		c.fault("%s: finalizer %q: %s", where, name, problem)
	}
	if slices.Contains(collectorFinalizers, name) {
		c.fault("%s: finalizer %q is the garbage collector's", where, name)
	}
}

// reach checks that an owner reference to the reconciled object can hold on a
// kind: the garbage collector takes a cluster-scoped object whose owner is in a
// namespace for an orphan. What the server does not know yet is left to the
// first pass.
func (c *checker) reach(where string, object client.Object) {
	if c.owner == nil || isNil(object) {
		return
	}
	owner, err := c.scopes.IsObjectNamespaced(c.owner)
	if err != nil || !owner {
		return
	}
	if child, err := c.scopes.IsObjectNamespaced(object); err == nil && !child {
		c.fault("%s: %T is cluster-scoped and cannot have an owner reference to an object in a namespace; see Detached", where, object)
	}
}

// kindIn checks a kind by the scheme of the place that it is in.
func (c *checker) kindIn(what string, object client.Object, place *Place) {
	if !place.isForeign() || place.client == nil {
		c.kind(what, object)
		return
	}
	there := *c
	there.scheme, there.unknown = place.client.Scheme(), map[string]bool{}
	there.kind(what, object)
	c.faults = there.faults
}

// kind checks that the scheme knows the kind of a prototype. One that it does not
// know is told once, by whoever names it first: adding it mends all the others.
func (c *checker) kind(what string, object client.Object) {
	if isNil(object) {
		c.fault("%s: is nil", what)
		return
	}
	gvk, err := apiutil.GVKForObject(object, c.scheme)
	switch {
	case err != nil:
		key := err.Error()
		if !runtime.IsNotRegisteredError(err) {
			step, _, _ := strings.Cut(what, `": `)
			key = step + key // such as no kind at all, which each has to mend
		}
		if !c.unknown[key] {
			c.fault("%s: %w", what, err)
		}
		c.unknown[key] = true
	case gvk.Kind == "":
		c.fault("%s: an unstructured object needs an apiVersion and a kind", what)
	}
}
