package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// kubectlGet returns what "kubectl get myapps" prints, or "kubectl get myapps -o
// wide": the table that the API server makes.
func (u *user) kubectlGet(ctx context.Context, wide bool) (string, error) {
	config := rest.CopyConfig(u.config)
	config.APIPath, config.GroupVersion = "/apis", &v1.GroupVersion
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	c, err := rest.RESTClientFor(config)
	if err != nil {
		return "", err
	}
	data, err := c.Get().Namespace(namespace).Resource("myapps").
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").DoRaw(ctx)
	if err != nil {
		return "", fmt.Errorf("get the table of MyApps: %w", err)
	}
	var table metav1.Table
	if err := json.Unmarshal(data, &table); err != nil {
		return "", fmt.Errorf("read the table of MyApps: %w", err)
	}
	command := "$ kubectl get myapps\n"
	if wide {
		command = "$ kubectl get myapps -o wide\n"
	}
	return command + printTable(&table, wide), nil
}

// printTable returns a table as kubectl prints it.
func printTable(table *metav1.Table, wide bool) string {
	text := &strings.Builder{}
	columns := tabwriter.NewWriter(text, 6, 4, 3, ' ', 0)
	line := func(cell func(i int) any) {
		var cells []string
		for i, column := range table.ColumnDefinitions {
			if column.Priority == 0 || wide {
				cells = append(cells, fmt.Sprint(cell(i)))
			}
		}
		_, _ = fmt.Fprintln(columns, strings.Join(cells, "\t"))
	}
	line(func(i int) any { return strings.ToUpper(table.ColumnDefinitions[i].Name) })
	for _, row := range table.Rows {
		line(func(i int) any {
			if row.Cells[i] == nil {
				return "" // as kubectl prints what is not there
			}
			return row.Cells[i]
		})
	}
	_ = columns.Flush() // a Builder takes everything
	return strings.TrimSuffix(text.String(), "\n")
}

// tellTable tells what "kubectl get myapps" prints.
func (u *user) tellTable(ctx context.Context, tell func(string, ...any), wide bool) error {
	text, err := u.kubectlGet(ctx, wide)
	if err == nil {
		tell("%s", text)
	}
	return err
}

// tellOfShop tells what kubectl prints of an app that lacks nothing but its
// Service.
func (u *user) tellOfShop(ctx context.Context, tell func(string, ...any)) error {
	if err := u.await(ctx, "the pod of "+shop+" is ready", func(ctx context.Context) error {
		app := &v1.MyApp{}
		if err := u.get(ctx, shop, app); err != nil {
			return err
		}
		deployed := meta.FindStatusCondition(app.Status.Conditions, "DeploymentReady")
		if app.Status.ReadyReplicas != 1 || deployed == nil || deployed.Status != metav1.ConditionTrue {
			return fmt.Errorf("%d pods are ready, the Deployment is %+v", app.Status.ReadyReplicas, deployed)
		}
		return nil
	}); err != nil {
		return err
	}
	if err := u.tellTable(ctx, tell, false); err != nil {
		return err
	}
	text, err := u.kubectlDescribe(ctx, shop)
	if err == nil {
		tell("%s", text)
	}
	return err
}

// kubectlDescribe returns the status as "kubectl describe myapp" prints it.
func (u *user) kubectlDescribe(ctx context.Context, name string) (string, error) {
	app := &unstructured.Unstructured{}
	app.SetGroupVersionKind(v1.GroupVersion.WithKind("MyApp"))
	if err := u.get(ctx, name, app); err != nil {
		return "", err
	}
	text := &strings.Builder{}
	_, _ = fmt.Fprintf(text, "$ kubectl describe myapp %s\n…\n", name)
	columns := tabwriter.NewWriter(text, 0, 8, 2, ' ', 0)
	describe(columns, 0, map[string]any{"status": app.Object["status"]})
	_ = columns.Flush()
	lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n"), nil
}

// describe prints the fields of an object in alphabetical order, as kubectl's
// describer of kinds that it does not know does (k8s.io/kubectl/pkg/describe).
func describe(columns *tabwriter.Writer, level int, fields map[string]any) {
	indent := strings.Repeat("  ", level)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch value := fields[key].(type) {
		case map[string]any:
			_, _ = fmt.Fprintf(columns, "%s%s:\n", indent, label(key))
			describe(columns, level+1, value)
		case []any:
			_, _ = fmt.Fprintf(columns, "%s%s:\n", indent, label(key))
			for _, item := range value {
				if item, ok := item.(map[string]any); ok {
					describe(columns, level+1, item)
					continue
				}
				_, _ = fmt.Fprintf(columns, "%s  %v\n", indent, item)
			}
		default:
			_, _ = fmt.Fprintf(columns, "%s%s:\t%v\n", indent, label(key), value)
		}
	}
}

// label returns a field's name in words: "Last Transition Time".
func label(field string) string {
	var words strings.Builder
	for i, r := range field {
		if unicode.IsUpper(r) {
			words.WriteByte(' ')
		}
		if i == 0 {
			r = unicode.ToUpper(r)
		}
		words.WriteRune(r)
	}
	return words.String()
}
