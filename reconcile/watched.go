package reconcile

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Trace lets a tracer see the passes of the pipeline: see package tracing. Defaults
// to that of the environment.
func (p *Pipeline[T]) Trace(tracer Tracer) *Pipeline[T] {
	p.tracer = tracer
	return p
}

// meet makes everything ready that watches the passes.
func (p *Pipeline[T]) meet(env *Environment) {
	if p.tracer != nil {
		env.Tracer = p.tracer
	}
	p.roster.measure(p.name)
	env.Memory.count(newStandings(p.name))
}

// traced makes a pass under the eyes of the tracer, if there is one.
func (p *Pipeline[T]) traced(ctx context.Context, run *Run[T]) (Result, error) {
	if p.env.Tracer == nil {
		return p.pass(ctx, run)
	}
	ctx, end := p.env.Tracer.Pass(ctx, p.name, run.Object())
	result, err := p.pass(ctx, run)
	if end != nil {
		end(result, err)
	}
	return result, err
}

// tell tells of a write of the object itself, and returns its error.
func (p *Pipeline[T]) tell(ctx context.Context, run *Run[T], object T, cause Cause, err error) error {
	run.wrote(ctx, Write{
		Verb: "patch", Kind: run.kindLabel(object), Key: client.ObjectKeyFromObject(object), Cause: cause, Err: err,
	})
	return err
}

// count lets objects be counted by what their passes come to.
func (m *Memory) count(over *standings) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = over
}
