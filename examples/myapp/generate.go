package main

// The deepcopy functions of api/, the CRD and the webhook configurations. The version is pinned here, so that
// everybody generates the same.
//go:generate go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0 object crd webhook paths=./... output:crd:dir=config/crd/bases output:webhook:dir=config/webhook

// The ClusterRole is what the pipeline says that it needs.
//
//go:generate sh -c "go run . --print-rbac > role.tmp && mv role.tmp config/rbac/role.yaml"

// The same as a Role, where the operator is limited to a namespace.
//
//go:generate sh -c "go run . --print-rbac --namespaces=system > role.tmp && mv role.tmp config/namespaced/role.yaml"
