package reconcile

import (
	"context"
	"errors"
	"fmt"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Annotate writes annotations of the object, at once: for what has to be stored
// before an effect, or right after it, such as a token or an id by which the
// effect is found again after a crash. An empty value removes an annotation.
// Nothing is sent if the object has them already.
//
// It is one patch under an optimistic lock. If somebody else has written to the
// object in the meantime, it is read again, past the cache, and the patch is sent
// again if the annotations are still what this pass knows them to be; otherwise
// the error is a conflict, and the next pass sees what somebody else made of
// them. The pass goes on with the spec that it started with. The write does not
// wake the object.
//
// It needs a pipeline: outside of one it is an error. Safe for concurrent use by
// steps that run at the same time.
func (r *Run[T]) Annotate(ctx context.Context, annotations map[string]string) error {
	if r.around == nil {
		return Terminal(errors.New("annotations are only written in a pipeline"))
	}
	turn := r.annotatingTurn()
	turn <- struct{}{} // a channel, because no lock may be held while a request is sent in a test that gives turns
	defer func() { <-turn }()
	err := r.around.annotate(ctx, r.home, annotations)
	if err != nil {
		return fmt.Errorf("annotate %s %s: %w", r.around.kind, client.ObjectKeyFromObject(r.Object()), err)
	}
	return nil
}

// annotatingTurn returns what is full while annotations of the object are written.
func (r *Run[T]) annotatingTurn() chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.annotating == nil {
		r.annotating = make(chan struct{}, 1)
	}
	return r.annotating
}

func (p *Pipeline[T]) annotate(ctx context.Context, run *Run[T], want map[string]string) error {
	known := run.Object()
	change := annotationsPatch(known.GetAnnotations(), want)
	if len(change) == 0 {
		return nil
	}
	at := run.Original()
	for attempt := 1; ; attempt++ {
		answer, err := p.sendAnnotations(ctx, at, change)
		err = p.tell(ctx, run, at, CauseAnnotations, err)
		switch {
		case err == nil:
			p.annotated(run, answer, attempt == 1)
			return nil
		case !apierrors.IsConflict(err) || attempt == attempts:
			return err
		}
		live := p.kind.empty(client.ObjectKeyFromObject(known))
		if err := p.env.Live.Get(ctx, client.ObjectKeyFromObject(known), live); err != nil {
			return err
		}
		if live.GetUID() != known.GetUID() || !sameAnnotations(live, known, change) {
			return err // the conflict
		}
		at = live
	}
}

// sameAnnotations reports whether two objects have the same of the annotations
// that are about to change.
func sameAnnotations(a, b client.Object, change map[string]any) bool {
	for key := range change {
		x, inA := a.GetAnnotations()[key]
		y, inB := b.GetAnnotations()[key]
		if x != y || inA != inB {
			return false
		}
	}
	return true
}

func (p *Pipeline[T]) sendAnnotations(ctx context.Context, at T, change map[string]any) (T, error) {
	answer := p.kind.empty(client.ObjectKeyFromObject(at))
	data, err := patchBody(at, map[string]any{"metadata": map[string]any{"annotations": change}})
	if err != nil {
		return answer, err
	}
	return answer, p.toObject(ctx, answer, client.RawPatch(types.MergePatchType, data))
}

// annotated makes the pass go on with annotations that were written. If nobody
// else wrote in between, the answer is what the pass worked from and no more, and
// takes its place; otherwise only the annotations are taken, because the steps
// that ran have seen nothing of the rest: the write of the status finds out.
// What steps have made of the status stays.
func (p *Pipeline[T]) annotated(run *Run[T], answer T, alone bool) {
	if alone {
		p.noteAnswer(run, answer)
	} else {
		run.overtaken = true
	}
	run.mu.Lock()
	defer run.mu.Unlock()
	object := run.object.DeepCopyObject().(T)
	object.SetAnnotations(maps.Clone(answer.GetAnnotations()))
	if alone {
		object.SetResourceVersion(answer.GetResourceVersion())
		run.original = answer
	}
	run.object = object
	p.written.Set(run, answer)
}
