package reconcile

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// PolicyRulesIn returns what has to be allowed in a place that steps are given to
// with [In]: to the user, or to the one whom the operator is in the other cluster.
// The kinds and resources are found by the scheme and the mapper of the place. It
// is otherwise as [Pipeline.PolicyRules].
func (p *Pipeline[T]) PolicyRulesIn(place *Place) ([]rbacv1.PolicyRule, error) {
	if place == nil || place.err != nil {
		return nil, fmt.Errorf("pipeline %q: there is no such place", p.name)
	}
	rules := ruleMaker{scheme: place.client.Scheme(), mapper: place.cluster.GetRESTMapper()}
	p.Describe().Walk(func(about Description) {
		for _, access := range about.Access {
			if access.Place == place {
				rules.add(fmt.Sprintf("step %q", about.Name), access)
			}
		}
	})
	if err := errors.Join(rules.faults...); err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", p.name, err)
	}
	return MergeRules(rules.made), nil
}

// ofOperator returns what of an access the operator itself needs where the object
// is: all, nothing if it is in another cluster, and what fills the cache if it is
// another user who asks.
func (a Access) ofOperator() (Access, bool) {
	switch {
	case a.Place == nil:
		return a, true
	case a.Place.foreign:
		return a, false
	}
	seeing := []string{"get", "list", "watch"}
	a.Verbs = slices.DeleteFunc(slices.Clone(a.Verbs), func(verb string) bool { return !slices.Contains(seeing, verb) })
	return a, len(a.Verbs) > 0
}

// impersonation returns the rules by which an operator may act as the user of a
// place.
func (p *Place) impersonation() []rbacv1.PolicyRule {
	if p == nil || p.user == nil || p.foreign {
		return nil
	}
	may := func(group, resource string, names ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, ResourceNames: names, Verbs: []string{"impersonate"}}
	}
	var rules []rbacv1.PolicyRule
	if account, ok := strings.CutPrefix(p.user.UserName, "system:serviceaccount:"); ok {
		_, name, _ := strings.Cut(account, ":")
		rules = append(rules, may("", "serviceaccounts", name))
	} else {
		rules = append(rules, may("", "users", p.user.UserName))
	}
	if len(p.user.Groups) > 0 {
		rules = append(rules, may("", "groups", p.user.Groups...))
	}
	if p.user.UID != "" {
		rules = append(rules, may("authentication.k8s.io", "uids", p.user.UID))
	}
	for _, key := range slices.Sorted(maps.Keys(p.user.Extra)) {
		rules = append(rules, may("authentication.k8s.io", "userextras/"+key, p.user.Extra[key]...))
	}
	return rules
}
