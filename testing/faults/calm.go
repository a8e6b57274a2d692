package faults

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// calm is how long nothing has to be heard of a real cluster that is at rest, and
// longest how long it may take until it is.
const (
	calm    = 400 * time.Millisecond
	longest = 30 * time.Second
)

// stir waits until others are at rest, and reports whether there are news before.
func (l *live) stir(ctx context.Context) bool {
	if l == nil {
		return false
	}
	for end := time.Now().Add(longest); time.Now().Before(end) && ctx.Err() == nil; {
		before := l.Revision()
		if before != l.heard {
			l.heard = before
			return true
		}
		l.Pause(calm)
		if l.Revision() == before && !busy(l.All()) {
			return false
		}
	}
	return false
}

// busy reports whether the controllers of Kubernetes have something to do.
func busy(objects []*unstructured.Unstructured) bool {
	there := map[types.UID]bool{}
	for _, object := range objects {
		there[object.GetUID()] = true
	}
	for _, object := range objects {
		owned, orphan := object.GetOwnerReferences(), true
		for _, owner := range owned {
			orphan = orphan && !there[owner.UID]
		}
		if len(owned) > 0 && orphan || object.GetKind() == "Deployment" && rolling(object) {
			return true
		}
	}
	return false
}

// rolling reports whether a Deployment is not as its spec says.
func rolling(object *unstructured.Unstructured) bool {
	wanted, _, _ := unstructured.NestedInt64(object.Object, "spec", "replicas")
	seen, _, _ := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
	if seen != object.GetGeneration() || object.GetDeletionTimestamp() != nil {
		return true
	}
	for _, count := range []string{"replicas", "updatedReplicas", "availableReplicas"} {
		if is, _, _ := unstructured.NestedInt64(object.Object, "status", count); is != wanted {
			return true
		}
	}
	return false
}

// ignoring returns what takes out of an object what a real cluster makes different
// each time, and then what else is to be ignored.
func (l *live) ignoring(more func(*unstructured.Unstructured)) func(*unstructured.Unstructured) {
	return func(object *unstructured.Unstructured) {
		unstructured.RemoveNestedField(object.Object, "metadata", "annotations", "deployment.kubernetes.io/revision")
		switch object.GetKind() {
		case "Service":
			unstructured.RemoveNestedField(object.Object, "spec", "clusterIP")
			unstructured.RemoveNestedField(object.Object, "spec", "clusterIPs")
		case "Deployment":
			// These tell how it came to be so.
			unstructured.RemoveNestedField(object.Object, "status", "conditions")
			unstructured.RemoveNestedField(object.Object, "status", "terminatingReplicas")
			unstructured.RemoveNestedField(object.Object, "status", "collisionCount")
		}
		if more != nil {
			more(object)
		}
	}
}
