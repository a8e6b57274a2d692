package memory

import (
	"k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// immutable are the fields of built-in kinds that cannot be changed.
var immutable = map[schema.GroupKind][][]string{
	{Group: "apps", Kind: "Deployment"}:  {{"spec", "selector"}},
	{Group: "apps", Kind: "DaemonSet"}:   {{"spec", "selector"}},
	{Group: "apps", Kind: "ReplicaSet"}:  {{"spec", "selector"}},
	{Group: "apps", Kind: "StatefulSet"}: {{"spec", "selector"}, {"spec", "serviceName"}, {"spec", "volumeClaimTemplates"}, {"spec", "podManagementPolicy"}},
	{Group: "batch", Kind: "Job"}:        {{"spec", "selector"}, {"spec", "template"}, {"spec", "completionMode"}},
	{Kind: "Service"}:                    {{"spec", "clusterIP"}},
	{Kind: "PersistentVolumeClaim"}:      {{"spec", "storageClassName"}, {"spec", "accessModes"}, {"spec", "volumeName"}},
	{Kind: "Secret"}:                     {{"type"}},
}

// names are the kinds whose name has to be more than a path segment.
var labelNamed = []schema.GroupKind{{Kind: "Service"}, {Kind: "Namespace"}}

// validateBuiltIn checks a few things that operators meet: immutable fields, names,
// labels of pods and node selectors, and that a selector selects the pods.
func validateBuiltIn(kind schema.GroupKind, object, before *unstructured.Unstructured) field.ErrorList {
	var faults field.ErrorList
	if before == nil {
		check := apivalidation.NameIsDNSSubdomain
		for _, named := range labelNamed {
			if named == kind {
				check = apivalidation.NameIsDNSLabel
			}
		}
		faults = append(faults, apivalidation.ValidateObjectMetaAccessor(object, object.GetNamespace() != "", check, field.NewPath("metadata"))...)
	}
	for _, path := range immutable[kind] {
		if before == nil {
			break
		}
		now, _, _ := unstructured.NestedFieldNoCopy(object.Object, path...)
		was, had, _ := unstructured.NestedFieldNoCopy(before.Object, path...)
		if had && !equality.Semantic.DeepEqual(now, was) {
			faults = append(faults, field.Invalid(field.NewPath(path[0], path[1:]...), now, apivalidation.FieldImmutableErrorMsg))
		}
	}
	if fixed, _, _ := unstructured.NestedBool(object.Object, "immutable"); before != nil && fixed {
		faults = append(faults, apivalidation.ValidateImmutableField(object.Object["data"], before.Object["data"], field.NewPath("data"))...)
	}
	return append(faults, validateTemplate(object)...)
}

// validateTemplate checks the template of pods, where there is one.
func validateTemplate(object *unstructured.Unstructured) field.ErrorList {
	template := nested(object.Object, "spec", "template")
	if template == nil {
		return nil
	}
	at := field.NewPath("spec", "template")
	selector, _, _ := unstructured.NestedStringMap(template, "spec", "nodeSelector")
	faults := metav1validation.ValidateLabels(selector, at.Child("spec", "nodeSelector"))
	labels, _, _ := unstructured.NestedStringMap(template, "metadata", "labels")
	faults = append(faults, metav1validation.ValidateLabels(labels, at.Child("metadata", "labels"))...)
	wanted, found, _ := unstructured.NestedStringMap(object.Object, "spec", "selector", "matchLabels")
	for name, value := range wanted {
		if found && labels[name] != value {
			faults = append(faults, field.Invalid(at.Child("metadata", "labels"), labels, "`selector` does not match template `labels`"))
			break
		}
	}
	return faults
}
