package controller_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/trueup-dev/trueup/testing/cluster"
)

// What "kubectl get myapps" prints is made by the API server.
func TestColumns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.awaitReady(w.app("web", image, 2))

	kube, err := kubernetes.NewForConfig(cluster.Shared(t).Config())
	w.must(err)
	table := &metav1.Table{}
	w.must(kube.Discovery().RESTClient().Get().
		AbsPath("/apis/apps.example.com/v1/namespaces/"+w.namespace+"/myapps").
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").
		Do(w.ctx).Into(table))

	type column struct {
		Name  string
		Value any
	}
	var got []column
	for i, definition := range table.ColumnDefinitions {
		if definition.Priority == 0 {
			got = append(got, column{definition.Name, table.Rows[0].Cells[i]})
		}
	}
	want := []column{{"Name", "web"}, {"Replicas", int64(2)}, {"Ready", int64(2)}, {"Status", "Ready"}, {"Age", "0s"}}
	if len(got) == len(want) {
		want[4].Value = got[4].Value // however old it is
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}
