package memory

import (
	"context"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

// Watch implements rest.Watcher: it tells the changes after a revision, or, if
// none is given or initial events are asked for, first what there is.
func (s *storage) Watch(ctx context.Context, options *internalversion.ListOptions) (watch.Interface, error) {
	store := storeOf(ctx)
	from := uint64(0)
	if version := options.ResourceVersion; version != "" && version != "0" {
		var err error
		if from, err = strconv.ParseUint(version, 10, 64); err != nil {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("invalid resource version %q", version))
		}
	}
	w := &watcher{storage: s, options: options, namespace: s.namespace(ctx), events: make(chan watch.Event)}
	ctx, w.stop = context.WithCancel(ctx)
	initial := options.SendInitialEvents != nil && *options.SendInitialEvents
	var first []watch.Event
	if from == 0 || initial {
		store.mu.Lock()
		from = store.revision
		for _, object := range store.list(s.gvk.GroupKind(), w.namespace) {
			if matches(options, object) {
				first = append(first, watch.Event{Type: watch.Added, Object: object.DeepCopy()})
			}
		}
		store.mu.Unlock()
	}
	if initial {
		first = append(first, w.bookmark(from))
	}
	go w.run(ctx, store, first, from)
	return w, nil
}

type watcher struct {
	storage   *storage
	options   *internalversion.ListOptions
	namespace string
	events    chan watch.Event
	stop      context.CancelFunc
}

// Stop implements [watch.Interface].
func (w *watcher) Stop() { w.stop() }

// ResultChan implements [watch.Interface].
func (w *watcher) ResultChan() <-chan watch.Event { return w.events }

func (w *watcher) bookmark(revision uint64) watch.Event {
	object := w.storage.New().(*unstructured.Unstructured)
	object.SetResourceVersion(fmt.Sprint(revision))
	object.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	return watch.Event{Type: watch.Bookmark, Object: object}
}

func (w *watcher) run(ctx context.Context, store *store, first []watch.Event, from uint64) {
	defer close(w.events)
	for _, event := range first {
		if !w.tell(ctx, event) {
			return
		}
	}
	for {
		changes, changed := store.since(from)
		for _, change := range changes {
			from = change.Revision
			if event, ok := w.seen(change); ok && !w.tell(ctx, event) {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

func (w *watcher) tell(ctx context.Context, event watch.Event) bool {
	select {
	case <-ctx.Done():
		return false
	case w.events <- event:
		return true
	}
}

// seen returns what a change is to a watcher with selectors: what begins to
// match is new to it, and what ceases to is gone.
func (w *watcher) seen(change Event) (watch.Event, bool) {
	object := change.Object
	if object.GroupVersionKind() != w.storage.gvk || w.namespace != "" && object.GetNamespace() != w.namespace {
		return watch.Event{}, false
	}
	is := change.Type != watch.Deleted && matches(w.options, object)
	was := change.Before != nil && matches(w.options, change.Before)
	event := watch.Event{Object: object.DeepCopy()}
	switch {
	case is && was:
		event.Type = watch.Modified
	case is:
		event.Type = watch.Added
	case was:
		event.Type = watch.Deleted
	default:
		return event, false
	}
	return event, true
}
