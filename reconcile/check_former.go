package reconcile

import "slices"

// former checks names of old: what another step has now is not free for what a
// step had once.
func (c *checker) former(about Description) {
	for _, name := range about.FormerNames {
		if name == "" || c.names[name] {
			c.fault("step %q: the former name %q is empty or that of a step", about.Name, name)
		}
	}
	for _, name := range about.FormerFinalizers {
		c.formerFinalizer("step \""+about.Name+"\": ", name)
	}
	if (about.FinalizersWhen != nil || about.Annotations != nil || len(about.FormerFinalizers) > 0) && len(about.Finalizers) == 0 {
		c.fault("step %q: there is no finalizer for what is said of finalizers", about.Name)
	}
}

// formerFinalizer checks a finalizer that steps had once.
func (c *checker) formerFinalizer(where, name string) {
	if owner, taken := c.finalizers[name]; taken {
		c.fault("%sformer finalizer %q is that of step %q", where, name, owner)
	}
	if name == "" || slices.Contains(collectorFinalizers, name) {
		c.fault("%sformer finalizer %q cannot have been a step's", where, name)
	}
}
