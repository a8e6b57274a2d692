// Package finalizer has the steps that undo what an object did outside the
// reach of the garbage collector.
//
// [Func] guards an external effect: the object keeps a finalizer, and when it is
// deleted the effect is undone before it goes.
package finalizer
