// Package measure takes the measurements of the load tool. What each number
// means is in the tool's own documentation.
package measure
