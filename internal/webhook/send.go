package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/benchd/benchd/internal/notice"
	"github.com/benchd/benchd/internal/secret"
)

// answer is the outcome of one attempt of a delivery.
type answer struct {
	status int           // of HTTP; 0 for none
	err    error         // nil if the receiver has accepted it; without the URL
	final  bool          // another attempt is of no use
	after  time.Duration // the receiver asks for this pause; 0 for none
}

// address returns the URL of a hook.
func (r *Rules) address(h *Hook) (*url.URL, error) {
	if !isReference(h.URL) {
		return parseURL(h.URL, h.Insecure)
	}
	v, err := r.reveal(secret.Ref(h.URL))
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	u, err := parseURL(v.Reveal(), h.Insecure)
	if err != nil {
		return nil, fmt.Errorf("url: the value of %s: %w", h.URL, err)
	}
	return u, nil
}

// material returns the authorities and the secret of a hook; nil for those of the machine, and an empty one for none.
func (r *Rules) material(h *Hook) (*x509.CertPool, secret.Value, error) {
	var key secret.Value
	if h.Secret != "" {
		var err error
		if key, err = r.reveal(h.Secret); err != nil {
			return nil, key, fmt.Errorf("secret: %w", err)
		}
	}
	if h.CA == "" {
		return nil, key, nil
	}
	text, err := os.ReadFile(r.path(h.CA))
	if err != nil {
		return nil, key, fmt.Errorf("ca: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, key, fmt.Errorf("ca: %s has no certificate: want PEM", h.CA)
	}
	return pool, key, nil
}

// maxAnswer bounds what is read of an answer.
const maxAnswer = 16 << 10

// send makes one attempt of a delivery. Certificate, secret and URL are read for each attempt: they may have changed.
func (r *Rules) send(ctx context.Context, h *Hook, n *notice.Notice, at time.Time, agent string) answer {
	to, err := r.address(h)
	if err != nil {
		return answer{err: err}
	}
	pool, key, err := r.material(h)
	if err != nil {
		return answer{err: err}
	}
	body, err := h.Format.body(n)
	if err != nil {
		return answer{err: fmt.Errorf("encode notice: %w", err), final: true}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, h.Timeout, fmt.Errorf("no answer within %s", h.Timeout))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return answer{err: errors.New("cannot make a request of the address"), final: true}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", agent)
	req.Header.Set(HeaderEvent, string(n.Event))
	req.Header.Set(HeaderDelivery, n.ID)
	req.Header.Set(HeaderTimestamp, strconv.FormatInt(at.Unix(), 10))
	if h.Secret != "" {
		req.Header.Set(HeaderSignature, Sign(key.Reveal(), at, body))
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true, MaxResponseHeaderBytes: maxAnswer}
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return answer{err: withoutURL(ctx, err)}
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	a := classify(h.Format, resp, text, at)
	if err != nil && a.err == nil {
		a.err = withoutURL(ctx, fmt.Errorf("read the answer: %w", err))
	}
	return a
}

// classify decides what an answer means.
func classify(f Format, resp *http.Response, body []byte, now time.Time) answer {
	a := answer{status: resp.StatusCode}
	switch status := resp.StatusCode; {
	case status >= 200 && status < 300:
		if code, again := f.answer(body); code != 0 {
			a.err, a.final = f.refusal(code), !again
		}
	case status >= 300 && status < 400:
		a.err, a.final = fmt.Errorf("status %d: redirects are not followed; set the url to the final address", status), true
	case status == http.StatusTooManyRequests || status >= 500:
		a.err, a.after = fmt.Errorf("status %d", status), retryAfter(resp.Header.Get("Retry-After"), now)
	default:
		a.err, a.final = fmt.Errorf("status %d: the receiver refuses the delivery", status), true
	}
	return a
}

// retryAfter reads a header of seconds, or of a date.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil {
		return min(time.Duration(max(seconds, 0))*time.Second, maxAsked)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), maxAsked)
	}
	return 0
}

// withoutURL returns an error of the HTTP client without the address, which may contain a secret.
func withoutURL(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if of, is := errors.AsType[*url.Error](err); is {
		return of.Err
	}
	return err
}
