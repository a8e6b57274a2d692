package resources

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// definitionReadiness is that of kstatus, which has to be told the kind.
func definitionReadiness(definition *apiextensionsv1.CustomResourceDefinition) Readiness {
	content, err := contentOf(definition)
	if err != nil {
		return notReady("Unreadable", "%v", err)
	}
	content["apiVersion"], content["kind"] = apiextensionsv1.SchemeGroupVersion.String(), "CustomResourceDefinition"
	return kstatus(content)
}
