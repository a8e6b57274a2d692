// Package resources has the steps that keep the children of an object: the
// Deployments, Services and so on that an operator makes for it.
//
// [Ensure] keeps one child as a function of the object wants it. The child
// belongs to the object through a controller reference, is applied server-side
// under the pipeline's field manager, so that fields which the function does not
// set are left to whoever sets them, and is deleted again when it is no longer
// wanted. An object of the child's name that this owner does not control is
// neither changed nor deleted. [EnsureSet] keeps a set of children in the same way.
//
// Three choices change who else may hold what the step keeps. [Child.Adopt] takes
// over what nobody controls. [Child.Share] holds a part of an object together with
// other owners, other steps or a person, and owns nothing. [Child.FieldManager]
// gives a step a field manager of its own, which two steps need that hold parts of
// one object.
//
// What becomes of a child in the end is a [DeletionPolicy]: [Child.OnDelete]. What a
// step of an earlier version of the operator made is known by the step's former
// name, [Child.FormerlyNamed], or ended by [Retire].
//
// [Reference] reads an object that somebody else owns, such as a Secret that the
// user names, waits for it, and is woken by it.
//
// Whether a child or a reference is ready is told by [ReadinessOf] or by a test of
// the author's; package cel, below this one, makes one from an expression.
package resources
