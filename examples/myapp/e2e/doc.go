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
//   - TestTakeover with -kills=20 -apps=20, with a lease of 3 s and a retry period of 0.2 s:
//     the other replica took over 2.94 to 3.34 s after the kill, and 3.01 to 3.48 s after the
//     last renewal; half of the takeovers within 3.1 s of the kill. With the machine ten times
//     overbooked it was up to 6.2 s. 0 writes by a leader after its lease was lost. What
//     bounds hold, and why a lease is the least that it takes, is said beside the test.
//   - TestCrowd with -apps=1000 -quiet=1m: 1,000 MyApps with everything are as they should
//     be after 4m20s and 20,027 requests; then 0 requests in a minute, by the audit log. The
//     operator's heap after a collection of garbage is 70.3 MB, and it has 216 MB resident;
//     without a MyApp 4.7 and 55.7 MB. When all are deleted, the operator has let go of them
//     after 65 s, and what was theirs, 8,000 objects and the pods, is gone 28 s later. (Where
//     every autoscaler is looked at once a second, as in the small tests, that takes many
//     times longer: it is these looks that the API server is busy with then.)
//   - TestCrowd with -apps=10000 -quiet=1m -bare, which is without controllers and pods:
//     10,000 MyApps with their 80,000 objects after 17m44s and 190,001 requests; then 0
//     requests in a minute. The heap is 471.5 MB, and 1,345 MB are resident: 47 KB of heap
//     for a MyApp with its eight objects, all in the caches. When all are deleted, the
//     operator has let go of them after 5m28s.
//
// The heap is what the operator's /debug/pprof/heap?gc=1 says (HeapAlloc), resident is what
// ps says of the process at the same time.
package e2e
