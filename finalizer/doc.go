// Package finalizer has the steps that undo what an object did outside the
// reach of the garbage collector.
//
//   - [Func] guards an effect with two functions: the object keeps a finalizer,
//     and when it is deleted the effect is undone before it goes.
//   - [External] keeps a thing in a system outside the cluster that chooses its
//     own ids: it is made once, found again after a crash, and released, whatever
//     answers get lost.
//   - [Within] gives the undoing of any step a deadline, and says what happens then.
//
// # What the pipeline sees to
//
// Finalizers are put on in one write, before any step runs, only on objects that
// need them ([FuncStep.When]), and never on an object that is being deleted. One
// that was renamed is replaced in the same write and honoured on deletion
// ([FuncStep.FormerNames]), and one that no step has any more is taken off
// ([reconcile.Pipeline.FormerFinalizers]). Those of others stay. When an object is
// deleted its steps are undone in reverse order; the finalizers go, in one write,
// when all are done; and until then the status says what is still waited for. If
// then others' finalizers keep the object, the status names those.
//
// What is made in the cluster is for package resources, whose children may have a
// finalizer too.
package finalizer
