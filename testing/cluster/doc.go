// Package cluster starts a real Kubernetes on this machine, for tests and for
// trying things: etcd, kube-apiserver, kube-controller-manager, kube-scheduler
// and kwok, as processes of the current user. It needs neither containers nor
// privileges.
//
// # Which parts
//
// The zero [Options] start the API server alone (with its etcd), which takes
// about three seconds and is enough for whatever the API server decides: apply,
// managed fields, status, finalizers, admission, RBAC. [Full] adds the
// controllers, the scheduler and nodes, so that Deployments roll out, pods
// become Ready, Jobs complete, owners take their children with them and
// namespaces go away. There are no containers behind the pods: kwok plays the
// kubelet.
//
// # In a test
//
//	func TestMain(m *testing.M) { cluster.Main(m, cluster.Full()) }
//
//	func TestSomething(t *testing.T) {
//		env := cluster.Shared(t)        // started by the first test that asks
//		namespace := env.Namespace(t)   // gone again after the test
//		c, err := client.New(env.Config(), client.Options{})
//		…
//	}
//
// # At a terminal
//
//	go run github.com/trueup-dev/trueup/testing/cluster/local
//
// starts a whole cluster, prints its KUBECONFIG and runs until interrupted.
//
// # Where the programs come from
//
// From the directory that KUBEBUILDER_ASSETS names, where it has them; else
// from the user's cache; else they are built from their Go modules into that
// cache, which needs the go command and, the first time, the network and about
// six minutes. That happens once for each version on a machine, whoever asks
// first: others wait for it. Afterwards nothing is downloaded or built any
// more. [Build] does it ahead of time, which is the thing to do before a first
// "go test ./...", because that shows what a test says only when it is over.
//
// # What is left behind
//
// Nothing, however the program that started the cluster ends: returned, failed,
// panicked, interrupted or killed. A watchdog of each cluster stops its
// processes and removes its directory. When a component fails, the directory is
// kept, because its logs are in there; the error names them.
//
// Everything listens on the loopback interface or on sockets in the cluster's
// own directory. Linux and macOS are supported, Windows is not.
package cluster
