package steptest

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// give creates an object, and writes its status if it has one.
func give(ctx context.Context, user client.Client, object client.Object) error {
	made := object.DeepCopyObject().(client.Object)
	namespaced, err := user.IsObjectNamespaced(made)
	if err != nil {
		return err
	}
	if namespaced && made.GetNamespace() == "" {
		made.SetNamespace("demo")
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(made)
	if err != nil {
		return err
	}
	status, ok := content["status"].(map[string]any)
	if err := user.Create(ctx, made); err != nil || !ok || len(status) == 0 {
		return err
	}
	after, err := runtime.DefaultUnstructuredConverter.ToUnstructured(made)
	if err != nil {
		return err
	}
	after["status"] = status
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(after, made); err != nil {
		return err
	}
	return user.Status().Update(ctx, made)
}
