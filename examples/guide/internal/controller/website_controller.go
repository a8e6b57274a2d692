// Package controller makes of every Website a ConfigMap, a Deployment, a Service, and a
// site in the CDN.
package controller

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/guide/api/v1"
	"github.com/trueup-dev/trueup/examples/guide/internal/cdn"
	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/status"
)

// NewPipeline returns the controller of Websites, which publishes them in a CDN.
func NewPipeline(world *cdn.CDN) *reconcile.Pipeline[*v1.Website] {
	deployment := resources.Ensure(desiredDeployment)

	return reconcile.NewPipeline("website",
		finalizer.Func("web.example.com/cdn", withdrawFrom(world)).Acquire(publishIn(world)),
		reconcile.All( // one that fails does not freeze the others
			reconcile.Sequence(resources.Ensure(desiredConfigMap), deployment),
			resources.Ensure(desiredService),
		),
		status.Func(func(site *v1.Website, run *reconcile.Run[*v1.Website]) {
			site.Status.URL = "https://" + hostOf(site)
			if d, ok := deployment.Observed(run); ok {
				site.Status.ReadyReplicas = d.Status.ReadyReplicas
			}
		}),
		status.Summarize(func(site *v1.Website) *[]metav1.Condition { return &site.Status.Conditions }),
	)
}
