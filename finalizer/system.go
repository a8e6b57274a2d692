package finalizer

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// A System is something outside the cluster that keeps things of one sort, as
// [External] needs it: the records of a DNS zone, the buckets of a cloud. T is
// the reconciled object, S what the system tells of a thing.
//
// Every call has a deadline, see [ExternalStep.Timeout], and has to honour the
// context. Implementations must be safe for concurrent use on different objects.
type System[T client.Object, S any] interface {
	// Observe finds the thing of an object: by its id if that is known, else by its
	// token. It returns nil if there is none. An error says that it is not known
	// whether there is one; nothing is created, changed or taken for gone then.
	//
	// It must see what Create made as soon as Create can have no more effect. A
	// system that shows its things later than that has to be waited for in here.
	Observe(ctx context.Context, run *reconcile.Run[T], at Identity) (*Thing[S], error)

	// Create makes the thing and returns its id, which must not be empty and never
	// changes. The token has to be stored with the thing, in a label or a comment
	// or as the idempotency key of the request, for Observe to find it by.
	//
	// An error leaves open whether something was made, unless it is marked with
	// [NotCreated]. Before it is called again the thing is looked for. Where the
	// request may take effect later still, after it was not found, the system has
	// to refuse a second one with the same token, or answer it with the first's
	// id; use [ExternalStep.ByIDOnly] for a system that would make two.
	Create(ctx context.Context, run *reconcile.Run[T], token string) (id string, err error)

	// Matches reports whether the thing is as the object wants it. It must not call
	// the system.
	Matches(run *reconcile.Run[T], observed S) bool

	// Update makes the thing as the object wants it. It is called only when what
	// was observed does not match, and called again, also after it succeeded or
	// failed, until it does.
	Update(ctx context.Context, run *reconcile.Run[T], at Identity, observed S) error

	// Delete removes the thing, or begins to: it is gone when Observe says so. That
	// there is none is no error. After an error it is called again.
	Delete(ctx context.Context, run *reconcile.Run[T], at Identity) error
}

// Identity is what an object's thing is known by.
type Identity struct {
	// Token is what the thing was made with: the same for an object in every call,
	// and another for every other object, also for one of the same name later.
	Token string
	// ID is the system's own name of the thing, "" while it is not known.
	ID string
}

// Thing is what a system has for an object.
type Thing[S any] struct {
	// ID is the system's own name of the thing. Required.
	ID string
	// State is what else there is to know.
	State S
}

// NotCreated marks an error of [System].Create that leaves no doubt that nothing
// was made, such as a refused request: it may be sent again even if the system
// cannot be asked. A nil error stays nil.
func NotCreated(err error) error {
	if err == nil {
		return nil
	}
	return &notCreatedError{err: err}
}

type notCreatedError struct{ err error }

func (e *notCreatedError) Error() string { return e.err.Error() }
func (e *notCreatedError) Unwrap() error { return e.err }

func isNotCreated(err error) bool {
	_, ok := errors.AsType[*notCreatedError](err)
	return ok
}
