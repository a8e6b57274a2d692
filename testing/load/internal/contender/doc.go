// Package contender has the implementations of the MyApp operator that the load
// tool compares: the same finalizer, children, conditions and status, kept by a
// trueup pipeline and by two handwritten loops.
package contender
