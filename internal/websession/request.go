package websession

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Cookie is the name of the cookie with the token of a session. Browsers accept a cookie with this prefix only over TLS or from this
// machine, for the host alone and for all of its paths.
const Cookie = "__Host-benchd"

// cookie returns the cookie with a token; without one, it is deleted.
func cookie(token string) *http.Cookie {
	c := &http.Cookie{Name: Cookie, Value: token, Path: "/", Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: int(MaxLife.Seconds())}
	if token == "" {
		c.MaxAge = -1
	}
	return c
}

// tokenOf returns the token in a request; empty if there is none.
func tokenOf(r *http.Request) string {
	cookies := r.CookiesNamed(Cookie)
	if len(cookies) != 1 {
		return ""
	}
	return cookies[0].Value
}

type sessionKey struct{}

// From returns the session of a request, which EnterRequest has put into its context.
func From(ctx context.Context) (Session, bool) {
	s, is := ctx.Value(sessionKey{}).(Session)
	return s, is
}

// EnterRequest returns a request as one of the session whose cookie it has: its context ends with the session, which is in use until leave is
// called. It is false if the session has ended, and for a request that the page of another site has sent.
func (s *Store) EnterRequest(r *http.Request) (in *http.Request, of Session, leave func(), ok bool) {
	token := tokenOf(r)
	if token == "" || fromOtherSite(r) {
		return r, Session{}, func() {}, false
	}
	ctx, of, leave, ok := s.Enter(r.Context(), token)
	if !ok {
		return r, Session{}, leave, false
	}
	return r.WithContext(context.WithValue(ctx, sessionKey{}, of)), of, leave, true
}

// Cure returns what helps a browser that the coordinator does not know.
func Cure(r *http.Request) string {
	if tokenOf(r) != "" && !fromOtherSite(r) {
		return "the session of this browser has ended: run `benchctl console`, and open the link that it prints"
	}
	return "in a browser, log in with the link that `benchctl console` prints"
}

// fromOtherSite reports whether the page of another site, or of another port of this host, has sent a request. A user who follows a link on another
// port of this host has sent it.
func fromOtherSite(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "same-site":
		return !navigates(r)
	case "":
		origin := r.Header.Get("Origin")
		if origin == "" {
			return false
		}
		u, err := url.Parse(origin)
		return err != nil || u.Host != r.Host
	}
	return true
}

// navigates reports whether a browser shows the answer as a page of its own, and the request changes nothing.
func navigates(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// keepsCookie reports whether a browser keeps the cookie: over TLS, and from this machine.
func keepsCookie(r *http.Request) bool {
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		return true
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}
