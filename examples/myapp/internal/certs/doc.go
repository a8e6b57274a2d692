// Package certs keeps the certificate that the webhooks are served with, where no
// cert-manager does: it makes one, has the API server trust it, and replaces it
// long before it expires, without a moment in which a webhook could not be called
// and without a restart.
//
// The certificate is in a Secret that all replicas share. Its successor goes
// through these stages, each of which any replica may bring about, and none of
// which is lost when one dies:
//
//  1. The successor is made and kept in the Secret beside the certificate.
//  2. Both are put into the caBundle of the webhook configurations and of the CRD.
//  3. A round later, when the API server has seen that, the successor becomes the
//     certificate. The former one stays trusted, for the replicas that have not
//     noticed yet, until the next time.
//
// Of the libraries that do this, open-policy-agent/cert-controller is the best
// known. It serves from files, which the kubelet brings up to date a minute or more
// after the Secret, waits for that or restarts, and keeps caches of Secrets and of
// all webhook configurations, for which it has to be allowed to list and watch
// them. This reads four objects by their names, and is allowed no more.
package certs
