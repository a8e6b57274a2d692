package memory_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	configMap  = `{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: "1"}}`
	app        = `{apiVersion: apps.example.com/v1, kind: MyApp, metadata: {name: web}, spec: {image: "img:1"}}`
	service    = `{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: http}]}}`
	deployment = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {selector: {matchLabels: {app: web}},
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: "img:1", ports: [{name: http, containerPort: 8080}]}]}}}}`
)

// stories are requests to put to both servers. Controllers run on neither.
var stories = map[string]func(*script){
	"create": func(s *script) {
		for _, text := range []string{configMap, app, service, deployment} {
			s.create(text)
			s.create(text)
			s.get(s.parse(text))
		}
		s.create(`{apiVersion: v1, kind: Secret, metadata: {name: web}, stringData: {a: b}}`)
		s.create(`{apiVersion: v1, kind: ServiceAccount, metadata: {name: web}}`)
		s.create(`{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web}, spec: {serviceName: web, selector: {matchLabels: {app: web}},
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: img, livenessProbe: {httpGet: {port: 80}}}]}}}}`)
		s.create(`{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: web}, spec: {podSelector: {}, policyTypes: [Ingress]}}`)
		s.create(`{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: web}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`)
	},
	"dry runs change nothing": func(s *script) {
		made := s.create(configMap, client.DryRunAll)
		s.get(made)
		made = s.create(configMap)
		s.apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {b: "1"}}`, client.DryRunAll)
		s.get(made)
		s.delete(made, client.DryRunAll)
		s.get(made)
	},
	"apply that creates": func(s *script) {
		for _, text := range []string{configMap, app, service, deployment} {
			s.apply(text)
			s.apply(text) // changes nothing
			s.get(s.parse(text))
		}
	},
	"apply that only creates": func(s *script) {
		s.apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: web, resourceVersion: "1"}, data: {a: "1"}}`)
		s.apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: web, resourceVersion: "1"}, data: {a: "1"}}`)
		s.apply(`{apiVersion: apps.example.com/v1, kind: MyApp, metadata: {name: web, resourceVersion: "1"}, spec: {image: "img:1"}}`)
		s.apply(`{apiVersion: apps.example.com/v1, kind: MyApp, metadata: {name: web, resourceVersion: "1"}, spec: {image: "img:2"}}`)
	},
	"apply with a UID": func(s *script) {
		s.apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: web, uid: other}, data: {a: "1"}}`)
		made := s.apply(configMap)
		s.apply(fmt.Sprintf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: web, uid: %s}, data: {a: "2"}}`, made.GetUID()))
		s.apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: web, uid: other}, data: {a: "3"}}`)
	},
	"apply of two managers": func(s *script) {
		s.apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: "1", b: "1"}}`)
		s.apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: "2"}}`, client.FieldOwner("other"))
		s.apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: "2"}}`, client.FieldOwner("other"), client.ForceOwnership)
		s.apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {b: "1"}}`)
		s.apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}`)
		s.apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}`, client.FieldOwner("other"))
	},
	"apply removes what is left out": func(s *script) {
		s.apply(`{apiVersion: apps.example.com/v1, kind: MyApp, metadata: {name: web, labels: {a: b}}, spec: {image: "img:1", replicas: 3, nodeSelector: {disk: ssd}}}`)
		s.apply(`{apiVersion: apps.example.com/v1, kind: MyApp, metadata: {name: web}, spec: {image: "img:1"}}`)
		s.apply(deployment)
		s.apply(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 3, selector: {matchLabels: {app: web}},
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: other, image: "img:1"}]}}}}`)
	},
	"updates": func(s *script) {
		for _, text := range []string{configMap, app, service, deployment} {
			made := s.create(text)
			same := s.update(made, func(*unstructured.Unstructured) {}) // a new manager of fields, or nothing at all
			s.update(same, func(*unstructured.Unstructured) {})
			labelled := s.update(same, func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{"a": "b"}) })
			s.update(made, func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{"a": "c"}) }) // conflicts
			s.update(labelled, func(o *unstructured.Unstructured) { o.SetResourceVersion("") })
			s.update(labelled, func(o *unstructured.Unstructured) { o.SetUID("other"); o.SetResourceVersion("") })
			s.update(labelled, func(o *unstructured.Unstructured) { o.SetGeneration(7); o.SetResourceVersion("") })
		}
		s.update(s.parse(`{apiVersion: v1, kind: ConfigMap, metadata: {name: none}}`), func(*unstructured.Unstructured) {})
	},
	"the spec is counted": func(s *script) {
		made := s.create(app)
		made = s.patch(made, types.MergePatchType, `{"spec":{"image":"img:2"}}`)
		made = s.patch(made, types.MergePatchType, `{"spec":{"image":"img:2"}}`)
		made = s.patch(made, types.MergePatchType, `{"metadata":{"annotations":{"a":"b"}}}`)
		made = s.patchStatus(made, types.MergePatchType, `{"status":{"replicas":1},"spec":{"image":"img:3"},"metadata":{"labels":{"c":"d"}}}`)
		s.patch(made, types.MergePatchType, `{"status":{"replicas":2}}`)
		made = s.create(deployment)
		made = s.patch(made, types.MergePatchType, `{"spec":{"replicas":2}}`)
		made = s.patchStatus(made, types.MergePatchType, `{"status":{"replicas":1,"observedGeneration":2},"spec":{"replicas":5}}`)
		s.patch(made, types.MergePatchType, `{"status":{"replicas":2}}`)
		made = s.create(service)
		s.patch(made, types.MergePatchType, `{"spec":{"selector":{"app":"other"}}}`)
	},
	"patches": func(s *script) {
		made := s.create(deployment)
		s.patch(made, types.JSONPatchType, `[{"op":"replace","path":"/spec/replicas","value":4}]`)
		s.patch(made, types.JSONPatchType, `[{"op":"test","path":"/spec/replicas","value":5},{"op":"replace","path":"/spec/replicas","value":6}]`)
		s.patch(made, types.StrategicMergePatchType, `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"img:2"}]}}}}`)
		s.patch(made, types.MergePatchType, fmt.Sprintf(`{"metadata":{"resourceVersion":%q,"labels":{"a":"b"}}}`, made.GetResourceVersion()))
		made = s.get(made)
		s.patch(made, types.MergePatchType, fmt.Sprintf(`{"metadata":{"resourceVersion":%q,"labels":{"a":"b"}}}`, made.GetResourceVersion()))
		s.patch(made, types.MergePatchType, `{"metadata":{"uid":"other"}}`)
		s.patch(s.parse(`{apiVersion: v1, kind: ConfigMap, metadata: {name: none}}`), types.MergePatchType, `{"data":{"a":"b"}}`)
		s.patchStatus(s.create(configMap), types.MergePatchType, `{"status":{}}`)
	},
	"what is not valid": func(s *script) {
		s.create(`{apiVersion: apps.example.com/v1, kind: MyApp, metadata: {name: web}, spec: {}}`)
		s.create(`{apiVersion: apps.example.com/v1, kind: MyApp, metadata: {name: web}, spec: {image: "img:1", port: 70000}}`)
		s.create(`{apiVersion: apps.example.com/v1, kind: MyApp, metadata: {name: "1web"}, spec: {image: "img:1"}}`)
		s.create(`{apiVersion: apps.example.com/v1, kind: MyApp, metadata: {name: web}, spec: {image: "img:1", unknown: 1}}`)
		s.create(`{apiVersion: v1, kind: Service, metadata: {name: "Web"}, spec: {ports: [{port: 80}]}}`)
		made := s.create(deployment)
		s.patch(made, types.MergePatchType, `{"spec":{"template":{"spec":{"nodeSelector":{"disk":"not valid!"}}}}}`)
		s.patch(made, types.MergePatchType, `{"spec":{"template":{"metadata":{"labels":{"app":"other"}}}}}`)
		of := s.get(s.parse(app))
		s.patchStatus(of, types.MergePatchType, `{"status":{"conditions":[{"type":"Ready"}]}}`)
	},
	"finalizers hold": func(s *script) {
		for _, text := range []string{configMap, app, deployment} {
			made := s.create(text)
			made = s.patch(made, types.MergePatchType, `{"metadata":{"finalizers":["example.com/a","example.com/b"]}}`)
			s.delete(made)
			made = s.get(made)
			s.delete(made) // again
			s.get(made)
			s.patch(made, types.MergePatchType, `{"metadata":{"finalizers":["example.com/a","example.com/c"]}}`)
			s.patch(made, types.MergePatchType, `{"metadata":{"labels":{"a":"b"}}}`)
			s.create(text)
			s.apply(text)
			s.patch(made, types.MergePatchType, `{"metadata":{"finalizers":["example.com/b"]}}`)
			s.patch(made, types.MergePatchType, `{"metadata":{"finalizers":null}}`)
			s.get(made)
			s.delete(made)
		}
	},
	"deletes under conditions": func(s *script) {
		made := s.create(configMap)
		other, old := types.UID("other"), "1"
		s.delete(made, client.Preconditions{UID: &other})
		s.delete(made, client.Preconditions{ResourceVersion: &old})
		uid, version := made.GetUID(), made.GetResourceVersion()
		s.delete(made, client.Preconditions{UID: &uid, ResourceVersion: &version})
		s.delete(made, client.Preconditions{UID: &uid})
	},
	"deletes with a policy": func(s *script) {
		for _, policy := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan} {
			made := s.create(fmt.Sprintf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: web-%.3s, finalizers: [example.com/a]}}`, policy))
			s.delete(made, client.PropagationPolicy(policy))
			s.get(made)
		}
	},
	"status alone": func(s *script) {
		made := s.create(app)
		made = s.patchStatus(made, types.MergePatchType, `{"status":{"replicas":1,"unknown":2}}`)
		made = s.patchStatus(made, types.MergePatchType, `{"status":{"replicas":1}}`)
		s.patchStatus(made, types.MergePatchType, `{"metadata":{"resourceVersion":"1"},"status":{"replicas":2}}`)
		s.patchStatus(made, types.MergePatchType, `{"metadata":{"finalizers":["example.com/a"]},"status":{"replicas":2}}`)
		s.patchStatus(s.parse(`{apiVersion: apps.example.com/v1, kind: MyApp, metadata: {name: none}}`), types.MergePatchType, `{"status":{"replicas":2}}`)
		made = s.create(deployment)
		s.patchStatus(made, types.MergePatchType, `{"status":{"replicas":1,"conditions":[{"type":"Available","status":"True"}]}}`)
	},
}
