package reconcile

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// recording is the client of a run: it tells of each write, with the step that is
// running and the [Cause] among the options. A pointer and nothing else, it costs no
// allocation.
type recording[T client.Object] struct{ run *Run[T] }

func (c recording[T]) tell(ctx context.Context, verb string, object client.Object, cause Cause, dryRun bool, err error) {
	if dryRun {
		return
	}
	c.run.wrote(ctx, Write{
		Verb: verb, Kind: c.run.kindLabel(object), Key: client.ObjectKeyFromObject(object), Cause: cause, Err: err,
	})
}

// Get implements [client.Client].
func (c recording[T]) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	return c.run.env.Client.Get(ctx, key, into, options...)
}

// List implements [client.Client].
func (c recording[T]) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	return c.run.env.Client.List(ctx, list, options...)
}

// Create implements [client.Client].
func (c recording[T]) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	err := c.run.env.Client.Create(ctx, object, options...)
	cause, dryRun := causeAmong(options)
	c.tell(ctx, "create", object, cause, dryRun, err)
	return err
}

// Update implements [client.Client].
func (c recording[T]) Update(ctx context.Context, object client.Object, options ...client.UpdateOption) error {
	err := c.run.env.Client.Update(ctx, object, options...)
	cause, dryRun := causeAmong(options)
	c.tell(ctx, "update", object, cause, dryRun, err)
	return err
}

// Patch implements [client.Client].
func (c recording[T]) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	err := c.run.env.Client.Patch(ctx, object, patch, options...)
	cause, dryRun := causeAmong(options)
	c.tell(ctx, patchVerb(patch), object, cause, dryRun, err)
	return err
}

// Apply implements [client.Client].
func (c recording[T]) Apply(ctx context.Context, object runtime.ApplyConfiguration, options ...client.ApplyOption) error {
	err := c.run.env.Client.Apply(ctx, object, options...)
	if cause, dryRun := causeAmong(options); !dryRun {
		c.run.wrote(ctx, writeOf(object, cause, err))
	}
	return err
}

// Delete implements [client.Client].
func (c recording[T]) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	err := c.run.env.Client.Delete(ctx, object, options...)
	cause, dryRun := causeAmong(options)
	c.tell(ctx, "delete", object, cause, dryRun, err)
	return err
}

// DeleteAllOf implements [client.Client].
func (c recording[T]) DeleteAllOf(ctx context.Context, object client.Object, options ...client.DeleteAllOfOption) error {
	err := c.run.env.Client.DeleteAllOf(ctx, object, options...)
	cause, dryRun := causeAmong(options)
	c.tell(ctx, "deletecollection", object, cause, dryRun, err)
	return err
}

// Status implements [client.Client].
func (c recording[T]) Status() client.SubResourceWriter { return c.SubResource("status") }

// SubResource implements [client.Client].
func (c recording[T]) SubResource(name string) client.SubResourceClient {
	return &recordingSubResource[T]{SubResourceClient: c.run.env.Client.SubResource(name), of: c}
}

// Scheme implements [client.Client].
func (c recording[T]) Scheme() *runtime.Scheme { return c.run.env.Client.Scheme() }

// RESTMapper implements [client.Client].
func (c recording[T]) RESTMapper() meta.RESTMapper { return c.run.env.Client.RESTMapper() }

// GroupVersionKindFor implements [client.Client].
func (c recording[T]) GroupVersionKindFor(object runtime.Object) (schema.GroupVersionKind, error) {
	return c.run.env.Client.GroupVersionKindFor(object)
}

// IsObjectNamespaced implements [client.Client].
func (c recording[T]) IsObjectNamespaced(object runtime.Object) (bool, error) {
	return c.run.env.Client.IsObjectNamespaced(object)
}

// patchVerb returns the verb of a patch: an apply is told apart.
func patchVerb(patch client.Patch) string {
	if patch.Type() == types.ApplyPatchType {
		return "apply"
	}
	return "patch"
}

// writeOf returns the write of an apply configuration, as far as it says of what.
func writeOf(object runtime.ApplyConfiguration, cause Cause, err error) Write {
	write := Write{Verb: "apply", Cause: cause, Err: err}
	text := func(value *string) string {
		if value == nil {
			return ""
		}
		return *value
	}
	if named, ok := object.(interface{ GetName() *string }); ok {
		write.Key.Name = text(named.GetName())
	}
	if placed, ok := object.(interface{ GetNamespace() *string }); ok {
		write.Key.Namespace = text(placed.GetNamespace())
	}
	typed, ok := object.(interface {
		GetAPIVersion() *string
		GetKind() *string
	})
	if ok {
		write.Kind = schema.FromAPIVersionAndKind(text(typed.GetAPIVersion()), text(typed.GetKind())).GroupKind().String()
	}
	return write
}
