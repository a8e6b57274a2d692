package reconcile

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// recordingSubResource is the part of [recording] for a subresource.
type recordingSubResource[T client.Object] struct {
	client.SubResourceClient
	of recording[T]
}

// Create implements [client.SubResourceClient].
func (s *recordingSubResource[T]) Create(
	ctx context.Context, object, sub client.Object, options ...client.SubResourceCreateOption,
) error {
	err := s.SubResourceClient.Create(ctx, object, sub, options...)
	cause, dryRun := causeAmong(options)
	s.of.tell(ctx, "create", object, cause, dryRun, err)
	return err
}

// Update implements [client.SubResourceClient].
func (s *recordingSubResource[T]) Update(ctx context.Context, object client.Object, options ...client.SubResourceUpdateOption) error {
	err := s.SubResourceClient.Update(ctx, object, options...)
	cause, dryRun := causeAmong(options)
	s.of.tell(ctx, "update", object, cause, dryRun, err)
	return err
}

// Patch implements [client.SubResourceClient].
func (s *recordingSubResource[T]) Patch(
	ctx context.Context, object client.Object, patch client.Patch, options ...client.SubResourcePatchOption,
) error {
	err := s.SubResourceClient.Patch(ctx, object, patch, options...)
	cause, dryRun := causeAmong(options)
	s.of.tell(ctx, patchVerb(patch), object, cause, dryRun, err)
	return err
}

// Apply implements [client.SubResourceClient].
func (s *recordingSubResource[T]) Apply(
	ctx context.Context, object runtime.ApplyConfiguration, options ...client.SubResourceApplyOption,
) error {
	err := s.SubResourceClient.Apply(ctx, object, options...)
	if cause, dryRun := causeAmong(options); !dryRun {
		s.of.run.wrote(ctx, writeOf(object, cause, err))
	}
	return err
}
