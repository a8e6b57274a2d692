// Package memory is an API server in memory, for tests that make thousands of
// clusters a minute.
//
// It is made of the API server's own parts wherever these can be imported: the
// handlers of requests, the field manager of server-side apply, the checks of
// metadata, and for custom resources their schemas, with pruning, defaults and
// validation by OpenAPI and CEL. What is written anew is what etcd does, and, for
// built-in kinds, the defaults and the validation that matter to a controller. The
// test of fidelity puts the same requests to a [Server] and to a real API server
// and demands equal answers.
//
// A [Server] is an http.RoundTripper: any client of client-go or
// controller-runtime works with it, and what is tested on it can be run on a real
// cluster without a change.
//
// What it does not have: admission webhooks and policies, quotas, RBAC, conversion
// between versions of a kind, graceful deletion of pods, and the validation of
// most fields of built-in kinds. A request that a real server refuses for one of
// these is accepted here.
//
// Nothing happens by itself, so that a test decides the order of things: the
// garbage collector and the controllers of Kubernetes are [Actor]s that act when
// they are asked to.
package memory
