// Package delivery holds the tests of how the operator is built and installed: the
// Makefile, the Dockerfile and the configuration of ko. Where there is neither Docker nor
// a way to a registry, what they show of an image is this: that BuildKit reads the
// Dockerfile as it is meant, that what its build stage runs makes a static program for
// each platform, and that ko makes an image of it on another base.
package delivery
