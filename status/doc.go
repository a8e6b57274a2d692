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
// Of four MyApps of the example one is ready, one is refused by the API server,
// one has pods that no node can take, and one has somebody else's Service in the
// way:
//
//	$ kubectl get myapps
//	NAME    REPLICAS   READY   STATUS          AGE
//	api     2                  Invalid         4s
//	queue   2                  LessAvailable   3s
//	shop    1          1       NotControlled   3s
//	web     3          3       Ready           4s
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
//	Events:
//	  Type    Reason   Age   From   Message
//	  ----    ------   ----  ----   -------
//	  Normal  Created  3s    myapp  created Deployment shop
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
