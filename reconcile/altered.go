package reconcile

import (
	"maps"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// loans are the objects that a pass lends to its steps, which may not change them:
// see [Environment.Altered].
type loans struct {
	mu  sync.Mutex
	all []loan
}

// loan is an object as it was when it was lent, and as it is.
type loan struct {
	lent    client.Object // what the step was given
	was, is client.Object
	bare    bool // its status is no matter
}

// now returns a copy of the object as it is.
func (l *loan) now() client.Object {
	is := l.is
	if l.bare {
		is = withoutStatus(is)
	}
	return is.DeepCopyObject().(client.Object)
}

// lend notes an object, once.
func (l *loans) lend(lent client.Object, bare bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.all {
		if l.all[i].lent == lent {
			return
		}
	}
	l.add(loan{lent: lent, is: lent, bare: bare})
}

func (l *loans) add(loan loan) {
	loan.was = loan.now()
	l.all = append(l.all, loan)
}

// peeked notes an object of the cache that somebody reads without a copy. The
// struct is the reader's own; what it points to is the cache's.
func (l *loans) peeked(lent client.Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(loan{lent: lent, is: structOf(lent)})
}

// settle tells of every object that is not as it was, once.
func (l *loans) settle(tell func(was, is client.Object)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.all {
		loan := &l.all[i]
		if is := loan.now(); !reflect.DeepEqual(loan.was, is) {
			tell(loan.was, is)
			loan.was = is
		}
	}
}

// structOf returns a copy of the struct alone: what it points to is shared.
func structOf(object client.Object) client.Object {
	shallow := reflect.New(reflect.TypeOf(object).Elem())
	shallow.Elem().Set(reflect.ValueOf(object).Elem())
	return shallow.Interface().(client.Object)
}

// withoutStatus returns a copy of the struct alone and without the status, into
// which a step may have put what cannot be copied.
func withoutStatus(object client.Object) client.Object {
	object = structOf(object)
	if content, ok := object.(*unstructured.Unstructured); ok {
		content.Object = maps.Clone(content.Object)
		delete(content.Object, "status")
	} else if status := reflect.ValueOf(object).Elem().FieldByName("Status"); status.IsValid() {
		status.SetZero()
	}
	return object
}

// lend notes what a step is given that it may not change, if anybody wants to know.
func (r *Run[T]) lend() {
	r.loans.lend(r.Object(), true)
	r.loans.lend(r.Original(), false)
}

// collect tells what a step has changed of that.
func (r *Run[T]) collect(step string) {
	r.loans.settle(func(was, is client.Object) { r.env.Altered(step, was, is) })
}
