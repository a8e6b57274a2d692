// Package status has the steps that say how an object is doing.
//
// [Func] computes fields of the status from what the pass observed. [Summarize]
// keeps a condition for each step of the pipeline and the condition Ready that
// sums them up. Both are reporting steps: they run after all others, also when
// some of those failed or waited, and what they compute is written by the
// pipeline, once a pass and only when it differs from what is there.
//
// # What a person sees
//
// The operator of examples/myapp, of which the following is what its demo prints,
// has one MyApp that is ready and one that the API server refuses:
//
//	$ kubectl get myapps
//	NAME    REPLICAS   READY   STATUS    AGE
//	picky   1          0       Invalid   0s
//	web     3          3       Ready     9s
//
// Later somebody else's Service is in the way of another:
//
//	$ kubectl get myapps
//	NAME   REPLICAS   READY   STATUS          AGE
//	shop   1          1       NotControlled   0s
//	web    3          3       Ready           10s
//
//	$ kubectl describe myapp shop
//	…
//	Status:
//	  Conditions:
//	    Last Transition Time:  2026-12-02T18:26:23Z
//	    Message:               Service: demo/shop exists and has no controller; it is not taken over
//	    Observed Generation:   1
//	    Reason:                NotControlled
//	    Status:                False
//	    Type:                  Ready
//	    Last Transition Time:  2026-12-02T18:26:23Z
//	    Message:
//	    Observed Generation:   1
//	    Reason:                Ready
//	    Status:                True
//	    Type:                  DnsReady
//	    Last Transition Time:  2026-12-02T18:26:23Z
//	    Message:
//	    Observed Generation:   1
//	    Reason:                Ready
//	    Status:                True
//	    Type:                  DeploymentReady
//	    Last Transition Time:  2026-12-02T18:26:23Z
//	    Message:               demo/shop exists and has no controller; it is not taken over
//	    Observed Generation:   1
//	    Reason:                NotControlled
//	    Status:                False
//	    Type:                  ServiceReady
//	    Last Transition Time:  2026-12-02T18:26:23Z
//	    Message:               Service: demo/shop exists and has no controller; it is not taken over
//	    Observed Generation:   1
//	    Reason:                NotControlled
//	    Status:                True
//	    Type:                  Stalled
//	  Observed Generation:     1
//	  Ready Replicas:          1
//	  Replicas:                1
//	  Selector:                app.kubernetes.io/instance=shop,app.kubernetes.io/name=myapp
//
// In the end the first is deleted, and what it has made outside the cluster is
// undone, but something else holds on to it:
//
//	$ kubectl get myapps -o wide
//	NAME   REPLICAS   READY   STATUS     AGE   IMAGE                              MESSAGE
//	web    3          3       Deleting   11s   nginxinc/nginx-unprivileged:1.29   deletion waits for finalizers: the finalizer example.com/backup, which others have to take off
//
// # More than one writer
//
// Conditions belong to whoever set them. Those of others, and fields of the status
// that others set, are never lost: what a pass changed is merged into what is
// there, conditions by their type. To make others' conditions count, declare them
// with [Summary.Including] and [Summary.Negative]; to have several pipelines on
// one object, give each a condition of its own with [Summary.As].
//
// A kind without a status subresource has conditions without an
// observedGeneration: each write of a status is a new generation there.
package status
