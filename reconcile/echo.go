package reconcile

import (
	"hash/maphash"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// answers holds hashes of the resource versions of the last writes of a pipeline
// to an object, as many as a pass makes: the finalizers put on, two annotations,
// the finalizers taken off, the status. They take less than half of what the
// versions would.
type answers [5]uint64

var answersSeed = maphash.MakeSeed()

func hashOfVersion(version string) uint64 { return maphash.String(answersSeed, version) }

// noteAnswer remembers what the server answered to a write, so that its echo in
// the watch wakes nobody: the pass goes on with the answer. It does not where
// the answer may hold what the steps of this pass have not seen: the object was
// read again after they had run, or the write itself changed the spec.
func (p *Pipeline[T]) noteAnswer(run *Run[T], answer T) {
	if run.overtaken || answer.GetGeneration() != run.original.GetGeneration() {
		return
	}
	if answer.GetResourceVersion() == run.original.GetResourceVersion() {
		return // nothing was written: it is the version of somebody else's write
	}
	last, _ := p.answered.Get(run)
	copy(last[1:], last[:])
	last[0] = hashOfVersion(answer.GetResourceVersion())
	p.answered.Set(run, last)
}

// withoutEchoes returns a predicate that drops the events of this pipeline's
// own writes to the object. Without it an error whose pass writes a status would
// be retried at once, and not with backoff. An event that comes before the
// server's answer to the write is not known yet: see [early].
//
// A write is made under an optimistic lock on what the pass has worked from, so
// that exactly its resource version holds nobody else's change. Resyncs, whose
// resource version is the old one, pass.
func (p *Pipeline[T]) withoutEchoes() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(update event.UpdateEvent) bool {
		if update.ObjectOld == nil || update.ObjectNew == nil {
			return true
		}
		version := update.ObjectNew.GetResourceVersion()
		if version == "" || version == update.ObjectOld.GetResourceVersion() {
			return true
		}
		name := client.ObjectKeyFromObject(update.ObjectNew)
		if p.early.hold(name, version) {
			return false
		}
		memory := p.env.Memory.find(name, update.ObjectNew.GetUID())
		return memory == nil || !p.wrote(memory, version)
	}}
}

// wrote reports whether a version of an object is the answer to a write.
func (p *Pipeline[T]) wrote(memory *objectMemory, version string) bool {
	last, known := fromSlot[answers](memory.get(&p.answered.place))
	return known && slices.Contains(last[:], hashOfVersion(version))
}
