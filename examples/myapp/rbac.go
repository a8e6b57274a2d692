package main

import (
	"bytes"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"

	"github.com/trueup-dev/trueup/examples/myapp/internal/controller"
	"github.com/trueup-dev/trueup/examples/myapp/internal/dns"
	"github.com/trueup-dev/trueup/reconcile"
)

// roleName is the name of the role in config/rbac.
const roleName = "manager-role"

// printRBAC writes the manifests of what the operator has to be allowed: a
// ClusterRole, or a Role for each namespace that it is limited to.
func printRBAC(out io.Writer, namespaces []string) error {
	scheme, err := newScheme()
	if err != nil {
		return err
	}
	rules, err := controller.NewPipeline(dns.NewZone()).PolicyRules(scheme, nil)
	if err != nil {
		return err
	}
	var roles []any
	for _, namespace := range namespaces {
		roles = append(roles, reconcile.Role(namespace, roleName, rules))
	}
	if len(namespaces) == 0 {
		roles = append(roles, reconcile.ClusterRole(roleName, rules))
	}
	var text bytes.Buffer
	for _, role := range roles {
		data, err := yaml.Marshal(role)
		if err != nil {
			return fmt.Errorf("marshal role: %w", err)
		}
		text.WriteString("---\n")
		text.Write(data)
	}
	_, err = text.WriteTo(out)
	return err
}
