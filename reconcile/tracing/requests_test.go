package tracing

import "testing"

func TestSpansOfRequestsHaveFewNames(t *testing.T) {
	for path, want := range map[string]string{
		"/api/v1/namespaces/demo/configmaps/web":                      "configmaps",
		"/api/v1/namespaces/demo/configmaps":                          "configmaps",
		"/apis/apps.example.com/v1/namespaces/demo/myapps/web/status": "myapps/status",
		"/apis/rbac.authorization.k8s.io/v1/clusterroles/web":         "clusterroles",
		"/api/v1/namespaces/demo":                                     "namespaces",
		"/api/v1/namespaces/demo/finalize":                            "namespaces/finalize",
		"/apis/apps/v1/namespaces/status/deployments/status/scale":    "deployments/scale",
		"/version": "other",
		"":         "other",
	} {
		if got := resourceOf(path); got != want {
			t.Errorf("%q is of %q, want %q", path, got, want)
		}
	}
}
