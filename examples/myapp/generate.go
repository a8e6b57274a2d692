package main

// The deepcopy functions of api/ and the CRD. The version is pinned here, so that
// everybody generates the same.
//go:generate go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0 object crd paths=./... output:crd:dir=config/crd/bases

// The ClusterRole is what the pipeline says that it needs.
//
//go:generate sh -c "go run . --print-rbac > role.tmp && mv role.tmp config/rbac/role.yaml"
