package operator

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

// Sync shows all changes of all kinds, except what [Cache.Hold] holds back, and
// reports whether there were any.
func (c *Cache) Sync() bool {
	shown := false
	for _, gvk := range c.Kinds() {
		for c.next(gvk, false) {
			shown = true
		}
	}
	return shown
}

// Hold keeps a kind behind: by so many changes, or, if the number is negative, where
// it is, until [Cache.Release] or [Cache.Relist].
func (c *Cache) Hold(gvk schema.GroupVersionKind, changes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.view(gvk).held = changes
}

// Release shows one change that is held back, of the first kind of which one is, and
// reports whether there was one. When all of a kind are shown it is not held any more.
func (c *Cache) Release() bool {
	for _, gvk := range c.Kinds() {
		c.mu.Lock()
		held := c.view(gvk).held != 0
		c.mu.Unlock()
		if !held {
			continue
		}
		if c.next(gvk, true) {
			return true
		}
		c.Hold(gvk, 0)
	}
	return false
}

// next shows the next change of a kind, unless there is none or it is held back.
func (c *Cache) next(gvk schema.GroupVersionKind, held bool) bool {
	c.mu.Lock()
	view := c.view(gvk)
	pending := c.pending(view)
	if len(pending) == 0 || !held && (view.held < 0 || len(pending) <= view.held) {
		c.mu.Unlock()
		return false
	}
	event := pending[0]
	tell := c.change(view, event)
	c.mu.Unlock()
	tell()
	return true
}

// pending returns the changes of a kind that are not shown yet.
func (c *Cache) pending(view *view) []memory.Event {
	var events []memory.Event
	for _, event := range c.source.Since(view.revision) {
		if event.Object.GroupVersionKind() == view.gvk {
			events = append(events, event)
		}
	}
	return events
}

// change shows a change, and returns what tells it to the handlers.
func (c *Cache) change(view *view, event memory.Event) func() {
	key := client.ObjectKeyFromObject(event.Object)
	before := c.both(view, key)
	view.show(event)
	view.revision = event.Revision
	return c.teller(view, before, c.both(view, key), event)
}

// shown is an object in the forms in which handlers want it, nil if there is none.
type shown struct {
	typed, untyped client.Object
}

func (c *Cache) both(view *view, key client.ObjectKey) shown {
	untyped, _ := view.object(c.scheme, key, false)
	if untyped == nil {
		return shown{}
	}
	typed, err := view.object(c.scheme, key, true)
	if err != nil {
		typed = nil // nobody reads what cannot be read
	}
	return shown{typed, untyped}
}

func (s shown) as(typed bool) client.Object {
	if typed {
		return s.typed
	}
	return s.untyped
}

// teller returns what tells the handlers that an object has become another.
func (c *Cache) teller(view *view, before, after shown, event memory.Event) func() {
	handlers := view.handlers
	var last shown
	if event.Type == watch.Deleted {
		last.untyped = event.Object
		last.typed, _ = view.convert(c.scheme, event.Object)
	}
	return func() {
		for _, handler := range handlers {
			was, is := before.as(handler.typed), after.as(handler.typed)
			switch {
			case was != nil && is != nil:
				handler.OnUpdate(was, is)
			case is != nil:
				handler.OnAdd(is, false)
			case was != nil && last.untyped != nil:
				handler.OnDelete(last.as(handler.typed))
			case was != nil:
				handler.OnDelete(toolscache.DeletedFinalStateUnknown{Key: client.ObjectKeyFromObject(was).String(), Obj: was})
			}
		}
	}
}

// Relist shows a kind as it is now, as a cache does whose watch was interrupted: the
// changes in between are never seen, and an object that was deleted and made again is
// one that was changed. It reports whether there were any. The kind is not held any more.
func (c *Cache) Relist(gvk schema.GroupVersionKind) bool {
	c.mu.Lock()
	view := c.view(gvk)
	view.held = 0
	pending := c.pending(view)
	var keys []client.ObjectKey
	last := map[client.ObjectKey]*unstructured.Unstructured{}
	for _, event := range pending {
		key := client.ObjectKeyFromObject(event.Object)
		if _, ok := last[key]; !ok {
			keys = append(keys, key)
		}
		last[key] = event.Object
		if event.Type == watch.Deleted {
			last[key] = nil
		}
	}
	tell := make([]func(), 0, len(keys))
	for _, key := range keys {
		before := c.both(view, key)
		delete(view.typed, key)
		if last[key] == nil {
			delete(view.objects, key)
		} else {
			view.objects[key] = last[key]
		}
		tell = append(tell, c.teller(view, before, c.both(view, key), memory.Event{}))
	}
	if len(pending) > 0 {
		view.revision = pending[len(pending)-1].Revision
	}
	c.mu.Unlock()
	for _, tell := range tell {
		tell()
	}
	return len(pending) > 0
}
