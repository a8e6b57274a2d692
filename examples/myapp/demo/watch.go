package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
)

// scene is what there is in the user's namespace. It is kept by a watch, and not
// looked at now and then, because some states are over in milliseconds.
type scene struct {
	user *user
	show func([]row)

	mu      sync.Mutex
	objects map[string]client.Object
	known   bool // what was there at the beginning
}

// watch shows the scene as it is, and again after every change, until the
// context is done. It returns when the scene was shown for the first time.
func (u *user) watch(ctx context.Context, show func([]row)) error {
	watched, err := cache.New(u.config, cache.Options{
		Scheme: stage.Scheme, DefaultNamespaces: map[string]cache.Config{namespace: {}},
	})
	if err != nil {
		return fmt.Errorf("make the user's watch: %w", err)
	}
	s := &scene{user: u, show: show, objects: map[string]client.Object{}}
	var synced []toolscache.InformerSynced
	for _, object := range []client.Object{&v1.MyApp{}, &appsv1.Deployment{}, &corev1.Pod{}, &corev1.Service{}} {
		informer, err := watched.GetInformer(ctx, object, cache.BlockUntilSynced(false))
		if err != nil {
			return fmt.Errorf("watch %T: %w", object, err)
		}
		handler, err := informer.AddEventHandler(s.handler())
		if err != nil {
			return fmt.Errorf("watch %T: %w", object, err)
		}
		synced = append(synced, handler.HasSynced)
	}
	go func() { _ = watched.Start(ctx) }() // which only ever says that the context is done
	if !toolscache.WaitForCacheSync(ctx.Done(), synced...) {
		return fmt.Errorf("wait for the user's watch: %w", context.Cause(ctx))
	}
	s.change(func() { s.known = true })
	return nil
}

func (s *scene) handler() toolscache.ResourceEventHandler {
	put := func(object any) {
		s.change(func() { s.objects[key(object)] = object.(client.Object) })
	}
	return toolscache.ResourceEventHandlerFuncs{
		AddFunc:    put,
		UpdateFunc: func(_, object any) { put(object) },
		DeleteFunc: func(object any) {
			if missed, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
				object = missed.Obj
			}
			s.change(func() { delete(s.objects, key(object)) })
		},
	}
}

func key(object any) string { return fmt.Sprintf("%T %s", object, object.(client.Object).GetName()) }

// change changes the scene and shows it, unless it is not known as a whole.
func (s *scene) change(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	if s.known {
		s.show(rows(s.objects, s.user.zone.Records()))
	}
}

// rows returns what the table shows of a scene, in order.
func rows(objects map[string]client.Object, records map[string]string) []row {
	var apps, deployments, services []row
	var pods []*corev1.Pod
	for _, key := range slices.Sorted(maps.Keys(objects)) {
		switch object := objects[key].(type) {
		case *v1.MyApp:
			apps = append(apps, appRow(object))
		case *appsv1.Deployment:
			deployments = append(deployments, deploymentRow(object))
		case *corev1.Pod:
			pods = append(pods, object)
		case *corev1.Service:
			services = append(services, serviceRow(object))
		}
	}
	all := slices.Concat(apps, deployments, podRows(pods), services)
	for _, host := range slices.Sorted(maps.Keys(records)) {
		all = append(all, row{kind: "DNS record", name: host, state: "points to " + records[host]})
	}
	return all
}
