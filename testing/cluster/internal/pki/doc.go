// Package pki makes the certificates and keys of one cluster: an authority,
// serving and client certificates that it signs, and the key with which
// service account tokens are signed.
package pki
