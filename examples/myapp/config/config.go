// Package config holds what is installed with the operator: the CRD and the
// ClusterRole, which are generated from the markers in api/ and from what the
// pipeline says that it needs, and what is kept by hand around them. To install it all:
//
//	kubectl apply -k config/default
//
// The demo and the tests install the same files, from here.
package config

import _ "embed" // of the files

// CRD is the CustomResourceDefinition of MyApps.
//
//go:embed crd/bases/apps.example.com_myapps.yaml
var CRD []byte

// ManagerRole is the ClusterRole of the operator.
//
//go:embed rbac/role.yaml
var ManagerRole []byte

// Sample is a MyApp to try.
//
//go:embed samples/apps_v1_myapp.yaml
var Sample []byte
