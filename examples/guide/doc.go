// Package guide holds the operator that ../README.md builds from an empty folder, file
// by file. Its tests hold the page to these files, and do what the page says.
package guide
