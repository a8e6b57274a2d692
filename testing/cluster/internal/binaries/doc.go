// Package binaries finds the programs of a cluster, and builds the ones that
// this machine does not have yet: in the directory that KUBEBUILDER_ASSETS
// names, else in the cache of the user, else from their Go modules, with the
// Go toolchain that is installed, into that cache.
//
// The modules are embedded as text (modules/*/go.mod.txt and so on), because
// k8s.io/kubernetes needs a replace line for each of its staging modules, with
// which the go.mod of a library must not be burdened.
package binaries
