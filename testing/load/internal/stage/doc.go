// Package stage has what the load tool plays its pieces on: a namespace with
// MyApps in it, the operator under test with its requests counted, and, where
// the cluster has no controllers, somebody who rolls Deployments out.
package stage
