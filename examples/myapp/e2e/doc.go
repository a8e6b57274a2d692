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
// On two cores that the cluster and the test share:
//
//   - TestStorm with the flags above: 50 kills during 1,296 changes of 200 MyApps in 40 s;
//     settled 24 s after; 146 MyApps and 712 objects, 0 orphans, 0 duplicates, and all as it
//     is for the same MyApps that nothing ever happened to.
//   - TestTakeover with -kills=20 -apps=20, with a lease of 3 s and a retry period of 0.2 s:
//     the other replica took over 2.96 to 3.57 s after the kill, and 3.09 to 3.68 s after the
//     last renewal; half of the takeovers within 3.13 s of the kill. With the machine ten times
//     overbooked it was up to 6.2 s. 0 writes by a leader after its lease was lost. What
//     bounds hold, and why a lease is the least that it takes, is said beside the test.
//   - TestPausedLeader with -kills=60: the leader was stopped 60 times until another one had
//     taken over; 9,962 writes, 0 of them by a leader whose lease was lost.
//   - TestCrowd with -apps=1000 -quiet=1m: 1,000 MyApps with everything are as they should
//     be after 4m20s and 20,027 requests; then 0 requests in a minute, by the audit log. The
//     operator's heap after a collection of garbage is 70.3 MB, and it has 216 MB resident;
//     without a MyApp 4.7 and 55.7 MB. When all are deleted, the operator has let go of them
//     after 65 s, and what was theirs, 8,000 objects and the pods, is gone 28 s later. (Where
//     every autoscaler is looked at once a second, as in the small tests, that takes many
//     times longer: it is these looks that the API server is busy with then.)
//   - TestCrowd with -apps=10000 -quiet=1m -bare, which is without controllers and pods, on an
//     otherwise idle machine: 10,000 MyApps with their 80,000 objects after 8m13s and 190,000
//     requests; then 0 requests in a minute. The heap is 541 MB, and 1,533 MB are resident:
//     54 KB of heap for a MyApp with its eight objects, all in the caches. When all are
//     deleted, the operator has let go of them after 1m42s.
//
// The heap is what the operator's /debug/pprof/heap?gc=1 says (HeapAlloc), resident is what
// ps says of the process at the same time.
package e2e
