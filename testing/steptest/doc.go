// Package steptest tests steps and pipelines: what they ask of the API server,
// and what becomes of the objects.
package steptest
