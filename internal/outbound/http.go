package outbound

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	// maxHeader is the size of the header of an answer.
	maxHeader = 64 << 10
	// idleWithin is how long an idle connection is kept.
	idleWithin = 2 * time.Minute
)

// Client makes an HTTP client that reuses connections. It never uses a proxy, and it follows no redirects: they lead to servers
// that nobody has named. It does not decompress: a small answer could be a large page. Callers bound the bodies that they read. A
// timeout of 0 leaves the limit of time to contexts.
func Client(d *Dialer, timeout time.Duration) *http.Client { return TLSClient(d, timeout, nil) }

// TLSClient makes a Client that uses a configuration of TLS for HTTPS; nil is the default one.
func TLSClient(d *Dialer, timeout time.Duration, config *tls.Config) *http.Client {
	return &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			DialContext: d.DialContext, MaxIdleConnsPerHost: 1, IdleConnTimeout: idleWithin, TLSHandshakeTimeout: dialWithin, TLSClientConfig: config,
			DisableCompression: true, MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: func(to *http.Request, _ []*http.Request) error {
			return fmt.Errorf("the server redirects to %s, and redirects are not followed: name that address itself, if it is right", clean(to.URL.Redacted()))
		},
	}
}

// asRefused returns the RefusedError in an error, or nil.
func asRefused(err error) *RefusedError {
	refused, _ := errors.AsType[*RefusedError](err)
	return refused
}
