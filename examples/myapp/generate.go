package main

// The deepcopy functions of api/, the CRD and the ClusterRole. The version is
// pinned here, so that everybody generates the same.
//go:generate go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0 object crd rbac:roleName=manager-role paths=./... output:crd:dir=config/crd/bases output:rbac:dir=config/rbac
