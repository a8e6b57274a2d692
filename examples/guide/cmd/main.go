// Program cmd is the operator of Websites.
package main

import (
	"flag"
	"log"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	v1 "github.com/trueup-dev/trueup/examples/guide/api/v1"
	"github.com/trueup-dev/trueup/examples/guide/internal/cdn"
	"github.com/trueup-dev/trueup/examples/guide/internal/controller"
)

func main() {
	leaderElect := flag.Bool("leader-elect", false, "let only one of several replicas act at a time")
	lease := flag.String("leader-election-namespace", "", "the namespace of the lease (default the pod's own)")
	probes := flag.String("health-probe-bind-address", ":8081", "where to serve /healthz and /readyz")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(*leaderElect, *lease, *probes); err != nil {
		log.Fatal(err)
	}
}

// run runs the operator until it is told to stop.
func run(leaderElect bool, lease, probes string) error {
	scheme := runtime.NewScheme()
	kinds := runtime.NewSchemeBuilder(clientgoscheme.AddToScheme, v1.AddToScheme)
	if err := kinds.AddToScheme(scheme); err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		HealthProbeBindAddress:        probes,
		LeaderElection:                leaderElect,
		LeaderElectionID:              "website.web.example.com",
		LeaderElectionNamespace:       lease,
		LeaderElectionReleaseOnCancel: true, // the process ends when run does
	})
	if err != nil {
		return err
	}
	if err := controller.NewPipeline(&cdn.CDN{}).SetupWithManager(mgr); err != nil {
		return err
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}
