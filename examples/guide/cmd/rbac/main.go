// Program rbac prints the ClusterRole that the operator needs.
package main

import (
	"log"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	v1 "github.com/trueup-dev/trueup/examples/guide/api/v1"
	"github.com/trueup-dev/trueup/examples/guide/internal/cdn"
	"github.com/trueup-dev/trueup/examples/guide/internal/controller"
	"github.com/trueup-dev/trueup/reconcile"
)

func main() {
	scheme := runtime.NewScheme()
	kinds := runtime.NewSchemeBuilder(clientgoscheme.AddToScheme, v1.AddToScheme)
	if err := kinds.AddToScheme(scheme); err != nil {
		log.Fatal(err)
	}
	rules, err := controller.NewPipeline(&cdn.CDN{}).PolicyRules(scheme, nil)
	if err != nil {
		log.Fatal(err)
	}
	role, err := yaml.Marshal(reconcile.ClusterRole("manager-role", rules))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := os.Stdout.Write(role); err != nil {
		log.Fatal(err)
	}
}
