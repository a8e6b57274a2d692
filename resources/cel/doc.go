// Package cel makes tests of readiness for package resources from expressions
// in CEL, for kinds about which [resources.ReadinessOf] knows too little and a Go
// function would say no more:
//
//	resources.Reference(databaseOf).ReadyWhen(
//		cel.Expression[*unstructured.Unstructured]("self.status.phase == 'Running'"))
//
// The language is the one of validation rules in CustomResourceDefinitions, with
// the same libraries and the same limit on what an evaluation may cost. The
// object is self. Fields need not be declared: one that is not there makes the
// object not ready, and is no error.
//
// It is a package of its own, so that an operator that does not use it does not
// have CEL in its binary.
package cel
