package memory

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apiserver/pkg/endpoints/request"
)

func errTerminating(namespace string) error {
	return fmt.Errorf("unable to create new content in namespace %s because it is being terminated", namespace)
}

// unknown answers what is not served.
func (k *kind) unknown(info *request.RequestInfo) http.HandlerFunc {
	if info.Subresource != "" && !k.custom {
		return http.NotFound
	}
	if info.Subresource != "" {
		return refuse(apierrors.NewNotFound(k.resource.GroupResource(), info.Name))
	}
	return refuse(apierrors.NewMethodNotSupported(k.resource.GroupResource(), info.Verb))
}

// refuse answers with an error.
func refuse(err *apierrors.StatusError) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		status := err.Status()
		status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(int(status.Code))
		_ = json.NewEncoder(w).Encode(status)
	}
}

// strategic answers strategic merge patches, which need a Go type: it makes a merge
// patch of one. What it is merged into may have changed until it is applied only if
// somebody else writes in the same moment.
func strategic(k *kind, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		if k.prototype == nil || !strings.HasPrefix(req.Header.Get("Content-Type"), string(types.StrategicMergePatchType)) {
			next(w, req)
			return
		}
		info, _ := request.RequestInfoFrom(req.Context())
		store := storeOf(req.Context())
		store.mu.Lock()
		object, ok := store.objects[id{k.gvk.GroupKind(), keyOf(info.Namespace, info.Name)}]
		store.mu.Unlock()
		if !ok {
			refuse(apierrors.NewNotFound(k.resource.GroupResource(), info.Name))(w, req)
			return
		}
		patch, err := k.mergePatch(object.Object, req.Body)
		if err != nil {
			refuse(apierrors.NewBadRequest(err.Error()))(w, req)
			return
		}
		req.Header.Set("Content-Type", string(types.MergePatchType))
		req.Body = io.NopCloser(strings.NewReader(string(patch)))
		next(w, req)
	}
}

// mergePatch makes a merge patch of a strategic one.
func (k *kind) mergePatch(content map[string]any, body io.Reader) ([]byte, error) {
	patch, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	before, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	after, err := strategicpatch.StrategicMergePatch(before, patch, k.prototype)
	if err != nil {
		return nil, err
	}
	difference, err := jsonpatch.CreateMergePatch(before, after)
	if err != nil {
		return nil, err
	}
	// The lock that the patch may hold is kept even where it holds.
	var asked, sent map[string]any
	if err := json.Unmarshal(patch, &asked); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(difference, &sent); err != nil {
		return nil, err
	}
	if lock := nested(asked, "metadata")["resourceVersion"]; lock != nil {
		metadata := nested(sent, "metadata")
		if metadata == nil {
			metadata = map[string]any{}
			sent["metadata"] = metadata
		}
		metadata["resourceVersion"] = lock
	}
	return json.Marshal(sent)
}
