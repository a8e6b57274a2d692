// Program load runs the same work, the core of the MyApp operator, under three
// implementations, side by side on the same API server, and tells what each
// asks of the server and of its own process:
//
//	go run github.com/trueup-dev/trueup/testing/load --apps 10,100,1000
//
// They are:
//
//   - trueup: steps of this library, as those of examples/myapp.
//   - createorupdate: a careful handwritten loop. It reads from the cache, keeps
//     its children with controllerutil.CreateOrUpdate, setting only its own
//     fields and those in the server's form, and writes the status only when it
//     differs.
//   - apply: the same loop, with a server-side apply of every child in every
//     pass.
//
// All three keep the same finalizer, Deployment, Service, conditions and status
// fields, are woken by the same watches, and record no events: one costs the same
// whoever records it.
//
// # What is measured
//
// With --json each line of the output is an object with these fields; without
// it they are the columns of a table.
//
//	impl, apps              the implementation, and how many MyApps it has
//	converge_seconds        from the first create to the last MyApp that is Ready;
//	                        MyApps are created 16 at a time
//	requests_per_app        what was sent until all was quiet again, without lists,
//	                        watches and events
//	writes_per_app          how many of those were to change something; an apply
//	                        that changes nothing is one
//	noop_ns                 time of one pass over an object that is as it should be
//	noop_allocs, noop_bytes what such a pass allocates
//	noop_requests           what such a pass sends
//	restart_requests        what a new process sends over objects that are as they
//	                        should be, all together, without lists, watches and
//	                        events, until it is quiet
//	restart_writes          how many of those were to change something
//	record_bytes_per_child  the heap that the implementation holds from pass to
//	                        pass, shared among the two children of each MyApp
//
// A line is printed as soon as its numbers are there, before what was made for them
// is removed. An implementation that fails, or takes longer than --timeout to
// converge or to restart, is reported at once, in a line that has an error and no
// numbers that were not measured, and the others go on without it. --impl chooses
// the implementations. The exit code is 1 if trueup fails, if all of them do, or if
// the tool cannot do its own part; 2 for a wrong command line.
//
// Quiet means that no pass goes on or has gone on for a second. Requests are
// counted where they leave the process. A pass is a call of Reconcile, with the
// caches of a running manager behind it, in a goroutine of its own while nothing
// else happens; passes of the implementations take turns in batches, and the
// median batch counts. The heap is measured when the manager is gone, before and
// after what is remembered of the objects is forgotten.
//
// Converging is done --rounds times, each time by all implementations one after
// the other, each time another one first, and the medians are shown. Only
// compare numbers of the same run: the API server, and everything else on the
// machine, takes part in them.
//
// # On which cluster
//
// On one that it starts for itself: the API server alone, with the Deployment
// controller played by the tool, which writes the status that a rollout ends
// with as soon as it sees a Deployment; or with --full a whole one, whose nodes
// are played by kwok. With --kubeconfig on one that is there, whose controllers
// and nodes are used; --api-only says that it has none. Everything that the tool
// made is removed at the end, also after Ctrl-C: the namespaces, whose names
// start with load-, and the CRD of MyApps if it was not there before. A second
// Ctrl-C ends it at once and leaves them.
package main
