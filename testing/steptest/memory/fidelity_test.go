package memory_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/trueup-dev/trueup/testing/cluster"
)

// asked is one request and what was answered to it, with what differs between any
// two servers taken out.
type asked struct {
	Request string
	Error   string
	Object  string
}

// script sends requests to a server and keeps the answers.
type script struct {
	*testing.T
	client    client.Client
	namespace string
	answers   []asked

	uids     map[string]string
	versions map[string]string // by object, the last
	moves    map[string]int
}

// do keeps the answer to a request. What it tells of the object is whether its
// resourceVersion has moved, and everything else but times and addresses.
func (s *script) do(what string, object *unstructured.Unstructured, err error) {
	answer := asked{Request: s.words(what)}
	if err != nil {
		answer.Error = s.words(fmt.Sprintf("%T %v", err, err))
	} else if object != nil {
		answer.Object = s.told(object)
	}
	s.answers = append(s.answers, answer)
}

var uid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

var (
	sent     = regexp.MustCompile(`"resourceVersion":"\d\d+"`)
	stored   = regexp.MustCompile(`: StorageError: invalid object, .*: Precondition`)
	unserved = regexp.MustCompile(`requested resource \(.*\)`)
	recorded = regexp.MustCompile(`in record \(\d+\)`)
)

// words takes out of a text what differs between servers.
func (s *script) words(text string) string {
	text = uid.ReplaceAllStringFunc(text, func(found string) string {
		if _, ok := s.uids[found]; !ok {
			s.uids[found] = fmt.Sprintf("uid-%d", len(s.uids)+1)
		}
		return s.uids[found]
	})
	text = sent.ReplaceAllString(text, `"resourceVersion":"VERSION"`)
	text = stored.ReplaceAllString(text, ": Precondition")
	text = unserved.ReplaceAllString(text, "requested resource")
	text = recorded.ReplaceAllString(text, "in record (VERSION)")
	return strings.ReplaceAll(text, s.namespace, "NAMESPACE")
}

func (s *script) told(object *unstructured.Unstructured) string {
	object = object.DeepCopy()
	name := object.GetKind() + " " + object.GetName()
	if version := object.GetResourceVersion(); version != s.versions[name] {
		s.versions[name] = version
		s.moves[name]++
	}
	object.SetResourceVersion(fmt.Sprintf("version-%d", s.moves[name]))
	object.SetCreationTimestamp(metav1.Time{})
	if object.GetDeletionTimestamp() != nil {
		object.SetDeletionTimestamp(&metav1.Time{})
	}
	managed := object.GetManagedFields()
	for i := range managed {
		if managed[i].Time != nil {
			managed[i].Time = &metav1.Time{Time: time.Unix(1, 0)}
		}
	}
	object.SetManagedFields(managed)
	if object.GetKind() == "Service" {
		unstructured.RemoveNestedField(object.Object, "spec", "clusterIP")
		unstructured.RemoveNestedField(object.Object, "spec", "clusterIPs")
	}
	data, err := yaml.Marshal(object.Object)
	if err != nil {
		s.Fatal(err)
	}
	return s.words(string(data))
}

// parse makes an object of YAML.
func (s *script) parse(text string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		s.Fatal(err)
	}
	object.SetNamespace(s.namespace)
	return object
}

func (s *script) create(text string, options ...client.CreateOption) *unstructured.Unstructured {
	object := s.parse(text)
	err := s.client.Create(s.Context(), object, append(options, client.FieldOwner("creator"))...)
	s.do("create "+text, object, err)
	return object
}

func (s *script) apply(text string, options ...client.PatchOption) *unstructured.Unstructured {
	object := s.parse(text)
	data, err := object.MarshalJSON()
	if err != nil {
		s.Fatal(err)
	}
	err = s.client.Patch(s.Context(), object, client.RawPatch(types.ApplyPatchType, data), append([]client.PatchOption{client.FieldOwner("applier")}, options...)...)
	s.do("apply "+text, object, err)
	return object
}

// patch sends a patch for an object.
func (s *script) patch(object *unstructured.Unstructured, kind types.PatchType, body string) *unstructured.Unstructured {
	object = object.DeepCopy()
	err := s.client.Patch(s.Context(), object, client.RawPatch(kind, []byte(body)), client.FieldOwner("patcher"))
	s.do(fmt.Sprintf("patch %s %s", kind, body), object, err)
	return object
}

func (s *script) patchStatus(object *unstructured.Unstructured, kind types.PatchType, body string) *unstructured.Unstructured {
	object = object.DeepCopy()
	err := s.client.Status().Patch(s.Context(), object, client.RawPatch(kind, []byte(body)), client.FieldOwner("status"))
	s.do(fmt.Sprintf("patch status %s %s", kind, body), object, err)
	return object
}

func (s *script) update(object *unstructured.Unstructured, change func(*unstructured.Unstructured)) *unstructured.Unstructured {
	object = object.DeepCopy()
	change(object)
	err := s.client.Update(s.Context(), object, client.FieldOwner("updater"))
	s.do("update", object, err)
	return object
}

func (s *script) delete(object *unstructured.Unstructured, options ...client.DeleteOption) {
	s.do("delete "+object.GetName(), nil, s.client.Delete(s.Context(), object.DeepCopy(), options...))
}

func (s *script) get(object *unstructured.Unstructured) *unstructured.Unstructured {
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(object.GroupVersionKind())
	err := s.client.Get(s.Context(), client.ObjectKeyFromObject(object), found)
	s.do("get "+object.GetName(), found, err)
	return found
}

// Everything that the server in memory answers is what a real API server answers.
func TestFidelity(t *testing.T) {
	served := kinds(t)
	for name, story := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shared := cluster.Shared(t)
			server := served.NewServer()
			told := map[string][]asked{}
			for where, c := range map[string]client.Client{"memory": server.Client(server.Config()), "real": func() client.Client {
				c, err := client.New(shared.Config(), client.Options{Scheme: served.Scheme()})
				if err != nil {
					t.Fatal(err)
				}
				return c
			}()} {
				s := &script{T: t, client: c, namespace: "demo", uids: map[string]string{}, versions: map[string]string{}, moves: map[string]int{}}
				if where == "real" {
					s.namespace = shared.Namespace(t)
				}
				story(s)
				told[where] = s.answers
			}
			if diff := cmp.Diff(told["real"], told["memory"]); diff != "" {
				t.Errorf("answers (-real +memory):\n%s", diff)
			}
		})
	}
}
