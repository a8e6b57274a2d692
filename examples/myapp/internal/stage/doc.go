// Package stage runs the operator for the demo and the tests as it runs when it
// is installed: as a service account that has exactly the generated ClusterRole,
// with a token that the API server has issued. It records every request that the
// operator sends.
package stage
