package controller

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// hasConfig reports whether an app has files.
func hasConfig(app *v1.MyApp) bool { return len(app.Spec.Config) > 0 }

// desiredConfigMap holds the app's files.
func desiredConfigMap(app *v1.MyApp) (*corev1.ConfigMap, error) {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name, Labels: labels(app)},
		Data:       app.Spec.Config,
	}, nil
}

// configHash is short for what the app's files say. In the pod template it has pods
// start anew when they say something else.
func configHash(app *v1.MyApp) string {
	text, _ := json.Marshal(app.Spec.Config) // of strings, by sorted names: there is nothing to fail
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
