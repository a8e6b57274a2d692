package stage

import (
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// A Cluster is a running Kubernetes that serves MyApps.
type Cluster struct {
	// Config is that of an administrator, without rate limits.
	Config *rest.Config
	// Controllers says that the cluster has its own: Deployments are rolled out,
	// and namespaces go when they are deleted. Otherwise both is done here.
	Controllers bool

	scheme *runtime.Scheme
	mapper meta.RESTMapper
	client client.Client // whose requests nobody counts
}

// NewCluster returns a cluster to play on.
func NewCluster(config *rest.Config, controllers bool) (*Cluster, error) {
	c := &Cluster{Config: rest.CopyConfig(config), Controllers: controllers, scheme: runtime.NewScheme()}
	c.Config.QPS = -1
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1.AddToScheme} {
		if err := add(c.scheme); err != nil {
			return nil, fmt.Errorf("make scheme: %w", err)
		}
	}
	http, err := rest.HTTPClientFor(c.Config)
	if err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	if err := c.connect(http); err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	return c, nil
}

func (c *Cluster) connect(http *http.Client) (err error) {
	if c.mapper, err = apiutil.NewDynamicRESTMapper(c.Config, http); err != nil {
		return err
	}
	c.client, err = client.New(c.Config, client.Options{Scheme: c.scheme, Mapper: c.mapper, HTTPClient: http})
	return err
}
