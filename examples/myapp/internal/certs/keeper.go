package certs

import (
	"context"
	"crypto/tls"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Where the Secret has what.
const (
	nextCertificate = "next.crt"
	nextKey         = "next.key"
	formerTrusted   = "former.crt"
)

// A Keeper keeps the certificate, in each replica, while a server that [Keeper.Serve]
// returns is served. The fields are for setup; all but Lifetime are required.
type Keeper struct {
	// Client reads and writes without a cache.
	Client client.Client
	// Secret is where the certificate is kept.
	Secret client.ObjectKey
	// Hosts are the names by which the API server calls the webhooks.
	Hosts []string
	// Trust are the names of what has to trust the certificate.
	Trust Trust
	// Lifetime is how long a certificate is valid. When half of it is left its
	// successor is made, so that there is as much time for whatever may be in the
	// way. Defaults to 90 days.
	Lifetime time.Duration

	trusted string // the successor that the last round has seen trusted
	serving atomic.Pointer[tls.Certificate]
	fault   atomic.Pointer[error]
}

func (k *Keeper) lifetime() time.Duration {
	if k.Lifetime == 0 {
		return 90 * 24 * time.Hour
	}
	return k.Lifetime
}

// round takes the certificate one stage further, if it is time.
func (k *Keeper) round(ctx context.Context) error {
	secret, err := k.secret(ctx)
	if err != nil {
		return err
	}
	now := time.Now()
	certificate, err := currentOf(secret).load(k.Hosts, now)
	if err != nil { // as good as none
		return k.replace(ctx, secret, now)
	}
	next := pair{secret.Data[nextCertificate], secret.Data[nextKey]}
	if len(next.certificate) == 0 && now.After(certificate.Leaf.NotAfter.Add(-k.lifetime()/2)) {
		if next, err = issue(k.Hosts, now, k.lifetime()); err != nil {
			return err
		}
		secret.Data[nextCertificate], secret.Data[nextKey] = next.certificate, next.key
		delete(secret.Data, formerTrusted)
		if err := k.Client.Update(ctx, secret); err != nil {
			return client.IgnoreNotFound(ignoreConflict(err))
		}
	}
	told, err := k.Trust.publish(ctx, k.Client, bundle(secret))
	if err != nil {
		return err
	}
	// That another replica has told just now may not have reached every API server: it
	// has to have been so in an earlier round of this one.
	if trusted := string(next.certificate); told || k.trusted != trusted {
		k.trusted = trusted
	} else if trusted != "" {
		return k.succeed(ctx, secret, next, now)
	}
	k.serving.Store(certificate)
	return nil
}

// secret returns the Secret, which it makes if there is none.
func (k *Keeper) secret(ctx context.Context) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := k.Client.Get(ctx, k.Secret, secret)
	if err == nil || !apierrors.IsNotFound(err) {
		return secret, err
	}
	first, err := issue(k.Hosts, time.Now(), k.lifetime())
	if err != nil {
		return nil, err
	}
	secret = &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: k.Secret.Namespace, Name: k.Secret.Name},
		Type:       corev1.SecretTypeTLS,
		Data:       map[string][]byte{corev1.TLSCertKey: first.certificate, corev1.TLSPrivateKeyKey: first.key},
	}
	err = k.Client.Create(ctx, secret)
	if apierrors.IsAlreadyExists(err) { // another replica was faster
		return secret, k.Client.Get(ctx, k.Secret, secret)
	}
	return secret, err
}

// replace makes a certificate that nothing can be kept of anew.
func (k *Keeper) replace(ctx context.Context, secret *corev1.Secret, now time.Time) error {
	fresh, err := issue(k.Hosts, now, k.lifetime())
	if err != nil {
		return err
	}
	secret.Data = map[string][]byte{corev1.TLSCertKey: fresh.certificate, corev1.TLSPrivateKeyKey: fresh.key}
	if err := k.Client.Update(ctx, secret); err != nil {
		return ignoreConflict(err)
	}
	return k.round(ctx)
}

// succeed makes the successor the certificate.
func (k *Keeper) succeed(ctx context.Context, secret *corev1.Secret, next pair, now time.Time) error {
	certificate, err := next.load(k.Hosts, now)
	if err != nil {
		return k.replace(ctx, secret, now)
	}
	secret.Data = map[string][]byte{
		formerTrusted:     secret.Data[corev1.TLSCertKey],
		corev1.TLSCertKey: next.certificate, corev1.TLSPrivateKeyKey: next.key,
	}
	if err := k.Client.Update(ctx, secret); err != nil {
		return ignoreConflict(err)
	}
	k.serving.Store(certificate)
	return nil
}

func currentOf(secret *corev1.Secret) pair {
	return pair{secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey]}
}

// bundle returns all that has to be trusted.
func bundle(secret *corev1.Secret) []byte {
	var trusted []byte
	for _, key := range []string{formerTrusted, corev1.TLSCertKey, nextCertificate} {
		trusted = append(trusted, secret.Data[key]...)
	}
	return trusted
}

// ignoreConflict ignores that another replica was faster: the next round will see
// what it has done.
func ignoreConflict(err error) error {
	if apierrors.IsConflict(err) {
		return nil
	}
	return err
}
