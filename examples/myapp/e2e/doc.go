// Package e2e runs the operator as what it is when it is installed: a program of
// its own, as its service account, on a whole cluster. It is killed, paused and
// has much to do; what it sends is read from the audit log of the API server.
//
// The tests are small by default. Their flags make them large:
//
//	go test ./examples/myapp/e2e -v -run TestStorm -args -kills=50 -apps=200
//
// # Measured
//
// On two cores that the cluster and the test share, with other things to do:
//
//   - TestStorm with the flags above: 50 kills during 2,181 changes of 200 MyApps in 62 s;
//     settled 44 s after; 134 MyApps and 673 objects, 0 orphans, 0 duplicates, and all as it
//     is for the same MyApps that nothing ever happened to.
//   - TestTakeover with -kills=20 -apps=20: the other replica took over within 3.91 s, which
//     is the lease of 3 s and the time until it looks again; 0 writes by a leader after its
//     lease was lost.
//   - TestCrowd with -apps=1000 -quiet=1m: 1,000 MyApps with everything are as they should
//     be after 4m20s and 20,027 requests; then 0 requests in a minute, by the audit log. The
//     operator's heap after a collection of garbage is 70.5 MB, and it has 229 MB resident;
//     without a MyApp 5.2 and 57.7 MB.
package e2e
