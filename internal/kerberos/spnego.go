package kerberos

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/spnego"
	"github.com/jcmturner/gokrb5/v8/types"
)

// Transport adds tickets to the requests that a server refuses without one (SPNEGO), for the service HTTP on its host. It keeps the cookie
// that the server gives for a ticket, so that not each request needs one.
func (c *Client) Transport(base http.RoundTripper) http.RoundTripper {
	return &negotiator{client: c, base: base, cookies: make(map[string]*http.Cookie)}
}

type negotiator struct {
	client *Client
	base   http.RoundTripper

	mu      sync.Mutex
	cookies map[string]*http.Cookie // by host
}

// cookieName is the cookie of Hadoop's servers.
const cookieName = "hadoop.auth"

// RoundTrip implements http.RoundTripper. Requests have no body.
func (n *negotiator) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := n.try(r, false)
	if err != nil || response.StatusCode != http.StatusUnauthorized || !negotiates(response) {
		return response, err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16))
	_ = response.Body.Close()
	return n.try(r, true)
}

// CloseIdleConnections closes those of the base.
func (n *negotiator) CloseIdleConnections() {
	if c, ok := n.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

func negotiates(r *http.Response) bool {
	for _, value := range r.Header.Values("WWW-Authenticate") {
		if strings.HasPrefix(strings.ToLower(value), "negotiate") {
			return true
		}
	}
	return false
}

// try sends a request with the host's cookie, or with a ticket.
func (n *negotiator) try(r *http.Request, ticket bool) (*http.Response, error) {
	again := r.Clone(r.Context())
	if ticket {
		if err := n.authorize(r.Context(), again); err != nil {
			return nil, err
		}
	} else if cookie := n.cookie(r.URL.Host); cookie != nil {
		again.AddCookie(cookie)
	}
	response, err := n.base.RoundTrip(again)
	if err != nil {
		return nil, err //nolint:wrapcheck // as the transport has it
	}
	for _, cookie := range response.Cookies() {
		if cookie.Name == cookieName && cookie.Value != "" {
			n.mu.Lock()
			n.cookies[r.URL.Host] = cookie
			n.mu.Unlock()
		}
	}
	return response, nil
}

func (n *negotiator) cookie(host string) *http.Cookie {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.cookies[host]
}

// authorize adds a ticket to a request.
func (n *negotiator) authorize(ctx context.Context, r *http.Request) error {
	service := "HTTP/" + strings.ToLower(r.URL.Hostname())
	header := make(chan string, 1)
	err := n.client.use(ctx, service, func(krb *client.Client, _ messages.Ticket, _ types.EncryptionKey) error {
		carrier := &http.Request{Header: make(http.Header)}
		if err := spnego.SetSPNEGOHeader(krb, carrier, service); err != nil {
			return fmt.Errorf("authenticate at %s: %w", r.URL.Host, err)
		}
		header <- carrier.Header.Get(spnego.HTTPHeaderAuthRequest)
		return nil
	})
	if err != nil {
		return err
	}
	r.Header.Set(spnego.HTTPHeaderAuthRequest, <-header)
	return nil
}
