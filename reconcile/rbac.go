package reconcile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// PolicyRules returns what an operator has to be allowed for this pipeline: what
// its steps declare in [Description.Access], and what the pipeline itself does
// with the reconciled kind, each only if it does:
//
//	get, list, watch      always: to see the objects, and after a conflict to read one again
//	patch                 with a step that has a finalizer, now or formerly, or annotates
//	status: patch         with a step that computes status
//	finalizers: update    with a step that owns children: where the admission plugin
//	                      OwnerReferencesPermissionEnforcement is on, a controller
//	                      reference blocks the owner's deletion only with it
//	events: create, patch always: failures are told in events
//
// A kind without a status subresource, which cannot be told beforehand, has its
// status written by a patch of the object: add that where no step has a finalizer.
//
// Of what steps do that are given to [In], it has what the operator itself does:
// to impersonate a user, and to see what is in the cache. See
// [Pipeline.PolicyRulesIn] for the rest.
//
// The rules are merged by [MergeRules]. What a manager needs for itself comes on
// top: [LeaderElectionRules], and what its metrics endpoint asks for.
//
// The scheme tells the kinds of typed objects. The mapper tells the resources of
// kinds; with nil they are guessed as Kubernetes' own tools do: lower case and
// plural. Nothing is asked of a server unless the mapper does, so it works before
// setup, in a generator. Safe for concurrent use.
func (p *Pipeline[T]) PolicyRules(scheme *runtime.Scheme, mapper meta.RESTMapper) ([]rbacv1.PolicyRule, error) {
	rules := ruleMaker{scheme: scheme, mapper: mapper}
	about := p.Describe()
	if err := about.faults(); err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", p.name, err)
	}
	var places []*Place
	about.Walk(func(about Description) {
		for _, access := range about.Access {
			if access, ok := access.ofOperator(); ok {
				rules.add(fmt.Sprintf("step %q", about.Name), access)
			}
			if !slices.Contains(places, access.Place) {
				places = append(places, access.Place)
				rules.made = append(rules.made, access.Place.impersonation()...)
			}
		}
	})
	for _, access := range p.ownAccess(about) {
		rules.add("the reconciled type", access)
	}
	if err := errors.Join(rules.faults...); err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", p.name, err)
	}
	return MergeRules(append(rules.made, eventRule)), nil
}

// eventRule lets a recorder of events write them, and count them up.
var eventRule = rbacv1.PolicyRule{
	APIGroups: []string{"events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"},
}

// ownAccess returns what the pipeline itself asks for the reconciled kind.
func (p *Pipeline[T]) ownAccess(about Description) []Access {
	object := client.Object(p.kind.prototype)
	held, owns := len(p.former) > 0, false
	about.Walk(func(about Description) {
		held = held || len(about.Finalizers)+len(about.FormerFinalizers) > 0 || about.Annotations != nil || about.Annotates
		owns = owns || len(about.Owns) > 0
	})
	access := []Access{{Object: object, Verbs: []string{"get", "list", "watch"}}}
	if held {
		access = append(access, Access{Object: object, Verbs: []string{"patch"}})
	}
	if about.reports() {
		access = append(access, Access{Object: object, Subresource: "status", Verbs: []string{"patch"}})
	}
	if owns {
		access = append(access, Access{Object: object, Subresource: "finalizers", Verbs: []string{"update"}})
	}
	return access
}

// LeaderElectionRules returns what a manager has to be allowed in the namespace
// of its lease to elect a leader. The events in it are of the core group, because
// that is where leader election tells of itself: once of each thing, so that none is
// ever counted up, which would be a patch.
func LeaderElectionRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"events"}, Verbs: []string{"create"}},
		{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"create", "get", "update"}},
	}
}

// ClusterRole returns a ClusterRole with the rules, ready to be marshalled.
func ClusterRole(name string, rules []rbacv1.PolicyRule) *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Rules:      rules,
	}
}

// Role returns a Role with the rules, ready to be marshalled, for an operator
// whose manager is limited to a namespace: it needs one in each. A Role gives
// nothing on cluster-scoped kinds.
func Role(namespace, name string, rules []rbacv1.PolicyRule) *rbacv1.Role {
	return &rbacv1.Role{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "Role"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Rules:      rules,
	}
}

// MergeRules returns rules that allow the same in the fewest and always the same
// words: one rule for all resources of a group that have the same verbs,
// everything sorted. Rules for named resources or URLs are kept as they are, at
// the end. The rules given are not changed.
func MergeRules(rules ...[]rbacv1.PolicyRule) []rbacv1.PolicyRule {
	verbs := map[schema.GroupResource][]string{}
	var others []rbacv1.PolicyRule
	for _, rule := range slices.Concat(rules...) {
		if len(rule.ResourceNames)+len(rule.NonResourceURLs) > 0 {
			others = append(others, rule)
			continue
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				key := schema.GroupResource{Group: group, Resource: resource}
				verbs[key] = append(verbs[key], rule.Verbs...)
			}
		}
	}
	type grant struct{ group, verbs string }
	resources := map[grant][]string{}
	for key, granted := range verbs {
		slices.Sort(granted)
		same := grant{key.Group, strings.Join(slices.Compact(granted), ",")}
		resources[same] = append(resources[same], key.Resource)
	}
	var merged []rbacv1.PolicyRule
	for same, granted := range resources {
		slices.Sort(granted)
		merged = append(merged, rbacv1.PolicyRule{
			APIGroups: []string{same.group}, Resources: granted, Verbs: strings.Split(same.verbs, ","),
		})
	}
	slices.SortFunc(merged, func(a, b rbacv1.PolicyRule) int {
		return cmp.Or(cmp.Compare(a.APIGroups[0], b.APIGroups[0]), slices.Compare(a.Resources, b.Resources))
	})
	return append(merged, others...)
}

// ruleMaker makes rules of what steps declare.
type ruleMaker struct {
	scheme *runtime.Scheme
	mapper meta.RESTMapper
	made   []rbacv1.PolicyRule
	faults []error
}

func (m *ruleMaker) add(who string, access Access) {
	resource, err := m.resource(access.Object)
	if err != nil {
		m.faults = append(m.faults, fmt.Errorf("%s: %w", who, err))
		return
	}
	name := resource.Resource
	if access.Subresource != "" {
		name += "/" + access.Subresource
	}
	m.made = append(m.made, rbacv1.PolicyRule{
		APIGroups: []string{resource.Group}, Resources: []string{name}, Verbs: access.Verbs,
	})
}

// resource returns the resource of a kind.
func (m *ruleMaker) resource(object client.Object) (schema.GroupResource, error) {
	if isNil(object) {
		return schema.GroupResource{}, errors.New("the kind is nil")
	}
	gvk, err := apiutil.GVKForObject(object, m.scheme)
	if err != nil {
		return schema.GroupResource{}, err
	}
	if m.mapper == nil {
		plural, _ := meta.UnsafeGuessKindToResource(gvk)
		return plural.GroupResource(), nil
	}
	mapping, err := m.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return schema.GroupResource{}, err
	}
	return mapping.Resource.GroupResource(), nil
}
