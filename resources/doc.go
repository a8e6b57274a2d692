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
// # What an apply cannot mend
//
// A pass compares what is there with what the server made of the last apply, so
// none of these is a loop:
//
//   - An admission policy or webhook that overrides what is applied, in every
//     write: the server's answer counts as what is desired, and the step is ready.
//   - A field that the CRD does not have, any more or yet: the apply is refused,
//     and tried again, until the CRD has it.
//   - A version that was removed from a CRD while managedFields of a child still
//     have somebody else's entry in it: the server (kube-apiserver 1.37) applies
//     nothing to the child then and does not keep track of others' writes. A change
//     of what the step owns is noticed all the same; the apply is refused, with the
//     version in the message, and tried again, until somebody removes the entry.
//
// The same refusal because of the step's own entry, which an earlier version of the
// operator left, is mended in the pass that meets it: the entry is put into the
// step's version, with the fields that it has, and the child is applied again. That
// is three writes instead of one, once. As long as nothing has to be applied the
// entry stays as it is, and nothing is sent.
//
// # After a restart
//
// Nothing is remembered then, and a child that is as wanted is recognised by what the
// cache shows, without a request: what the field manager owns of it is compared with what
// would be applied, as Go values of the child's type, or as JSON where it is unstructured.
// That needs no schema of the server's. Where a schema fills something in within what the
// field manager owns, as defaults in the items of an atomic list, this is known for the
// built-in kinds alone; a custom resource of which that is so, and one whose quantities
// are spelled otherwise where it is unstructured, is applied once, which changes nothing.
//
// Whether a child or a reference is ready is told by [ReadinessOf] or by a test of
// the author's; package cel, below this one, makes one from an expression.
package resources
