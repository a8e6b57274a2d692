package reconcile

// A Value carries something from the step that computes it to later steps of
// the same pass. The handle is made once, at setup, and what is stored under it
// lives in the [Run]: passes never see each other's. Safe for concurrent use.
type Value[V any] struct {
	place byte   // distinct handles have distinct addresses
	step  string // that sets it, if that is known
}

// NewValue returns a handle for a value of type V.
func NewValue[V any]() *Value[V] { return &Value[V]{} }

// By names the step that sets the value, so that a step that reads the value before
// that one can have run has failed, see [Run.Missing]. Defaults to none: reading too
// early is then like reading what was never set.
func (h *Value[V]) By(step string) *Value[V] {
	h.step = step
	return h
}

// Set stores v for the rest of the pass, replacing what was there.
func (h *Value[V]) Set(run Pass, v V) { run.passValues().set(&h.place, v) }

// SetOnce stores v for the rest of the pass unless something is stored already,
// and returns what is stored then. In a [ForEach] it stores it for all items.
func (h *Value[V]) SetOnce(run Pass, v V) V {
	stored, _ := fromSlot[V](run.passValues().setOnce(&h.place, v), true)
	return stored
}

// Get returns what was stored in this pass, and false if nothing was: the step
// that sets it has not run, or had nothing to say.
func (h *Value[V]) Get(run Pass) (V, bool) {
	v, ok := fromSlot[V](run.passValues().get(&h.place))
	if !ok && h.step != "" {
		run.missing(h.step)
	}
	return v, ok
}

func fromSlot[V any](value any, ok bool) (V, bool) {
	if !ok {
		var zero V
		return zero, false
	}
	v, ok := value.(V)
	return v, ok
}
