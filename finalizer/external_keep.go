package finalizer

import (
	"context"
	"errors"
	"fmt"

	"github.com/trueup-dev/trueup/reconcile"
)

// keep brings the thing into line.
func (s *ExternalStep[T, S]) keep(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	known := s.remembered(run)
	known.deleting, known.released = false, false
	at, deleting, err := s.identify(ctx, run, known)
	if err != nil {
		return reconcile.Result{}, err
	}
	if deleting {
		return reconcile.Wait("Deleting", "the object is being deleted"), nil
	}
	if s.byID && at.ID == "" && at.Token != "" {
		return s.unknown(at), nil
	}
	thing, err := s.look(ctx, run, known, at)
	if err != nil {
		return reconcile.Result{}, err
	}
	if thing == nil {
		if known.made != "" && known.made == at.ID {
			return reconcile.Wait("Creating", fmt.Sprintf("%s was created and does not show yet", at.ID)).After(lookAgain), nil
		}
		return s.create(ctx, run, known, at)
	}
	if thing.ID != at.ID {
		at.ID = thing.ID
		if err := run.Annotate(ctx, s.identified(at)); err != nil {
			return reconcile.Result{}, err
		}
	}
	return s.align(ctx, run, known, at)
}

// look observes the thing, unless it was observed not long ago. One that is not
// found by its id any more is looked for by its token.
func (s *ExternalStep[T, S]) look(
	ctx context.Context, run *reconcile.Run[T], known *memory[S], at Identity,
) (*Thing[S], error) {
	if known.thing != nil && known.thing.ID == at.ID && run.Now().Sub(known.at) < s.every {
		return known.thing, nil
	}
	thing, err := s.observe(ctx, run, known, at)
	if err != nil || thing != nil || at.ID == "" || s.byID || known.made == at.ID || known.deleting {
		return thing, err
	}
	return s.observe(ctx, run, known, Identity{Token: at.Token})
}

// observe asks the system, unless there is nothing that it could be asked for.
func (s *ExternalStep[T, S]) observe(
	ctx context.Context, run *reconcile.Run[T], known *memory[S], at Identity,
) (*Thing[S], error) {
	known.thing = nil
	if s.byID && at.ID == "" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	thing, err := s.system.Observe(ctx, run, at)
	if err != nil {
		return nil, failure("ObserveFailed", "observe", err)
	}
	if thing == nil {
		return nil, nil
	}
	if thing.ID == "" {
		return nil, reconcile.Terminal(errors.New("observe: the system returned a thing without an id"))
	}
	known.thing, known.at, known.made = thing, run.Now(), ""
	return thing, nil
}

// create makes the thing and stores its id.
func (s *ExternalStep[T, S]) create(
	ctx context.Context, run *reconcile.Run[T], known *memory[S], at Identity,
) (reconcile.Result, error) {
	if at.ID != "" {
		// What is not there any more may have been released because of a deletion
		// that the cache has not seen.
		stored, deleting, err := s.readLive(ctx, run)
		if err != nil {
			return reconcile.Result{}, err
		}
		if deleting || stored != at {
			return reconcile.Wait("Outdated", "the object has changed in the meantime").After(lookAgain), nil
		}
		run.Warn(nil, "Vanished", "Observe", "%s: %s is not there any more and is created again", s.guard.name(), at.ID)
	}
	token := at.Token
	if token == "" {
		token = s.token(run.Object())
	}
	// By now the object has the token, unless it has to say that this is the moment.
	if err := run.Annotate(ctx, s.identified(Identity{Token: token})); err != nil {
		return reconcile.Result{}, err
	}
	id, err := s.callCreate(ctx, run, token)
	if err != nil && !isNotCreated(err) {
		known.doubt = run.Now()
	}
	switch {
	case err != nil && s.byID && isNotCreated(err):
		if undo := run.Annotate(ctx, s.forgotten()); undo != nil {
			return reconcile.Result{}, failure("CreateFailed", "create", errors.Join(err, undo))
		}
		return reconcile.Result{}, failure("CreateFailed", "create", err)
	case err != nil && s.byID:
		run.Warn(nil, reasonUnknown, "Create", "%s: create: %s", s.guard.name(), err.Error())
		return s.unknown(Identity{Token: token}), nil
	case err != nil:
		return reconcile.Result{}, failure("CreateFailed", "create", err)
	}
	known.made = id
	at = Identity{Token: token, ID: id}
	// The pass may be about to end, but this must not be lost.
	if err := run.Annotate(context.WithoutCancel(ctx), s.identified(at)); err != nil {
		return reconcile.Result{}, err
	}
	run.Event(nil, "Created", "Create", "created %s %s", s.guard.name(), id)
	return s.settle(ctx, run, known, at)
}

// callCreate calls the system. A panic of it may have come after the effect, as any
// error may.
func (s *ExternalStep[T, S]) callCreate(ctx context.Context, run *reconcile.Run[T], token string) (id string, err error) {
	defer reconcile.Recover(&err)
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	id, err = s.system.Create(ctx, run, token)
	if err == nil && id == "" {
		err = reconcile.Terminal(errors.New("the system returned an empty id"))
	}
	return id, err
}

// settle looks at what was just created.
func (s *ExternalStep[T, S]) settle(
	ctx context.Context, run *reconcile.Run[T], known *memory[S], at Identity,
) (reconcile.Result, error) {
	thing, err := s.observe(ctx, run, known, at)
	if err != nil {
		return reconcile.Result{}, err
	}
	if thing == nil {
		return reconcile.Wait("Creating", fmt.Sprintf("%s was created and does not show yet", at.ID)).After(lookAgain), nil
	}
	return s.align(ctx, run, known, at)
}

// align updates the thing if it does not match.
func (s *ExternalStep[T, S]) align(
	ctx context.Context, run *reconcile.Run[T], known *memory[S], at Identity,
) (reconcile.Result, error) {
	if s.system.Matches(run, known.thing.State) {
		s.seen.Set(run, *known.thing)
		return reconcile.Continue.After(s.every - run.Now().Sub(known.at)), nil
	}
	thing, err := s.update(ctx, run, known, at)
	switch {
	case err != nil:
		return reconcile.Result{}, err
	case thing == nil:
		return reconcile.Wait("Updating", fmt.Sprintf("%s does not show after an update", at.ID)).After(lookAgain), nil
	}
	s.seen.Set(run, *thing)
	if s.system.Matches(run, thing.State) {
		run.Event(nil, "Updated", "Update", "updated %s %s", s.guard.name(), at.ID)
		return reconcile.Continue.After(s.every), nil
	}
	known.thing = nil // it is on its way: ask again
	return reconcile.Wait("Updating", fmt.Sprintf("%s was updated and is not as wanted yet", at.ID)).After(lookAgain), nil
}

// update changes the thing and observes it again. Whatever comes of it, what was
// observed before is not to be relied on any more.
func (s *ExternalStep[T, S]) update(
	ctx context.Context, run *reconcile.Run[T], known *memory[S], at Identity,
) (*Thing[S], error) {
	observed := known.thing.State
	known.thing = nil
	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	if err := s.system.Update(limited, run, at, observed); err != nil {
		return nil, failure("UpdateFailed", "update", err)
	}
	return s.observe(ctx, run, known, at)
}

// identified returns the annotations that tell of a thing.
func (s *ExternalStep[T, S]) identified(at Identity) map[string]string {
	return map[string]string{tokenKey(s.guard.finalizer): at.Token, idKey(s.guard.finalizer): at.ID}
}

const reasonUnknown = "CreateOutcomeUnknown"

// unknown is the outcome where nobody can tell whether there is a thing.
func (s *ExternalStep[T, S]) unknown(at Identity) reconcile.Result {
	message := fmt.Sprintf("it is not known whether a create with the token %s succeeded: "+
		"set the annotation %s to the id of what it made, or remove the annotation %s if it made nothing",
		at.Token, idKey(s.guard.finalizer), tokenKey(s.guard.finalizer))
	return reconcile.Wait(reasonUnknown, message).Stalled()
}

// failure names what the system failed to do.
func failure(reason, verb string, err error) error {
	return reconcile.WithReason(reason, fmt.Errorf("%s: %w", verb, err))
}
