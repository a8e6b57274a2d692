package memory

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// definition is what the schema of a custom resource says.
type definition struct {
	gvk              schema.GroupVersionKind
	structural       *structuralschema.Structural
	schema, ofStatus validation.SchemaValidator
	rules            *cel.Validator
}

// newCustomKind makes the kind that a CustomResourceDefinition defines.
func newCustomKind(crd *apiextensionsv1.CustomResourceDefinition) (*kind, error) {
	version, err := storedVersion(crd)
	if err != nil {
		return nil, err
	}
	gv := schema.GroupVersion{Group: crd.Spec.Group, Version: version.Name}
	made := &kind{
		gvk: gv.WithKind(crd.Spec.Names.Kind), resource: gv.WithResource(crd.Spec.Names.Plural),
		namespaced: crd.Spec.Scope == apiextensionsv1.NamespaceScoped, custom: true, counted: true,
		status: version.Subresources != nil && version.Subresources.Status != nil,
		allot:  func(_, _ *unstructured.Unstructured) {},
		blank:  map[string]any{},
	}
	defined, err := newDefinition(made.gvk, version)
	if err != nil {
		return nil, err
	}
	made.coerce = defined.coerce
	made.fillIn = func(object *unstructured.Unstructured) { defaulting.Default(object.Object, defined.structural) }
	made.validate = defined.validate
	models, err := builder.BuildOpenAPIV3(crd, version.Name, builder.Options{})
	if err != nil {
		return nil, err
	}
	if made.fields, err = managedfields.NewTypeConverter(models.Components.Schemas, false); err != nil {
		return nil, err
	}
	return made, made.serve()
}

func storedVersion(crd *apiextensionsv1.CustomResourceDefinition) (*apiextensionsv1.CustomResourceDefinitionVersion, error) {
	for i := range crd.Spec.Versions {
		if crd.Spec.Versions[i].Storage && crd.Spec.Versions[i].Schema != nil {
			return &crd.Spec.Versions[i], nil
		}
	}
	return nil, errors.New("no version is stored and has a schema")
}

func newDefinition(gvk schema.GroupVersionKind, version *apiextensionsv1.CustomResourceDefinitionVersion) (*definition, error) {
	internal := &apiextensions.CustomResourceValidation{}
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(version.Schema, internal, nil); err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	structural = structural.DeepCopy()
	if err := defaulting.PruneDefaults(structural); err != nil {
		return nil, fmt.Errorf("defaults: %w", err)
	}
	made := &definition{gvk: gvk, structural: structural, rules: cel.NewValidator(structural, true, celconfig.PerCallLimit)}
	if made.schema, _, err = validation.NewSchemaValidator(internal.OpenAPIV3Schema); err != nil {
		return nil, err
	}
	if status, ok := internal.OpenAPIV3Schema.Properties["status"]; ok {
		made.ofStatus, _, err = validation.NewSchemaValidator(&status)
	}
	return made, err
}

// coerce prunes, and drops nulls where the schema allows none.
func (d *definition) coerce(object *unstructured.Unstructured) ([]string, error) {
	gvk := object.GroupVersionKind()
	metadata, found, unknown, err := objectmeta.GetObjectMetaWithOptions(object.Object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, err
	}
	options := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	unknown = append(unknown, pruning.PruneWithOptions(object.Object, d.structural, true, options)...)
	defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, d.structural)
	fault, paths := objectmeta.CoerceWithOptions(nil, object.Object, d.structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if fault != nil {
		return nil, fault
	}
	object.SetGroupVersionKind(gvk)
	if found {
		if err := objectmeta.SetObjectMeta(object.Object, metadata); err != nil {
			return nil, err
		}
	}
	return append(unknown, paths...), nil
}

// validate checks an object against the schema and the rules.
func (d *definition) validate(ctx context.Context, object, before *unstructured.Unstructured, status bool) field.ErrorList {
	var faults field.ErrorList
	var old map[string]any
	switch {
	case before == nil:
		faults = append(faults, validation.ValidateCustomResource(nil, object.Object, d.schema)...)
	case status:
		old = before.Object
		if d.ofStatus != nil && object.Object["status"] != nil {
			faults = append(faults, validation.ValidateCustomResourceUpdate(
				field.NewPath("status"), object.Object["status"], before.Object["status"], d.ofStatus)...)
		}
	default:
		old = before.Object
		faults = append(faults, validation.ValidateCustomResourceUpdate(nil, object.Object, before.Object, d.schema)...)
	}
	faults = append(faults, objectmeta.Validate(ctx, nil, object.Object, d.structural, false)...)
	faults = append(faults, listtype.ValidateListSetsAndMaps(nil, d.structural, object.Object)...)
	if d.rules == nil {
		return faults
	}
	for _, fault := range faults {
		switch fault.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return append(faults, field.Invalid(nil, nil,
				"some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"))
		}
	}
	var previous any
	if old != nil {
		previous = old
	}
	broken, _ := d.rules.Validate(ctx, nil, d.structural, object.Object, previous, celconfig.RuntimeCELCostBudget)
	return append(faults, broken...)
}
