// Package proxy stands between an operator and a real API server, and makes the way
// there as bad as it gets: slow, broken off, throttled, without watches, down.
//
// A [Proxy] ends TLS with a certificate of its own and speaks to the API server with
// the credentials of the configuration that it was started with. What is done to a
// request is decided by the function that is given to [Proxy.Disturb]; what is done to
// all connections at once are [Proxy.Cut], [Proxy.DropWatches], [Proxy.Down] and
// [Proxy.Rotate].
//
// It is made of [net/http/httputil.ReverseProxy]. Throttling and watches are matters of
// HTTP, which a proxy of bytes does not see inside of TLS; and to be slow, or to break
// off, takes no more than a few lines where requests are known.
package proxy
