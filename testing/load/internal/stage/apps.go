package stage

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// users is how many MyApps are created or deleted at the same time.
const users = 16

// image runs as a user other than root and does nothing, where something runs
// images at all.
const image = "registry.k8s.io/pause:3.10"

// Keys returns the names of the MyApps.
func (n *Namespace) Keys() []types.NamespacedName {
	keys := make([]types.NamespacedName, n.apps)
	for i := range keys {
		keys[i] = types.NamespacedName{Namespace: n.Name, Name: fmt.Sprintf("app-%05d", i)}
	}
	return keys
}

// Create creates the MyApps, many at the same time.
func (n *Namespace) Create(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(users)
	for _, key := range n.Keys() {
		group.Go(func() error {
			app := &v1.MyApp{
				ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name},
				Spec:       v1.MyAppSpec{Image: image},
			}
			if err := n.cluster.client.Create(ctx, app); err != nil {
				return fmt.Errorf("create MyApp %s: %w", key, err)
			}
			return nil
		})
	}
	return group.Wait()
}
