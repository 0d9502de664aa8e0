package observe

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/secret"
)

// shortest is the length of the shortest credentials that are searched for in pages: others occur there by accident.
const shortest = 8

// CheckLogin checks that the secrets for the endpoints of a run can be resolved.
func CheckLogin(t plan.Telemetry, secrets secret.Resolver) error {
	if !t.On || len(t.Endpoints) == 0 || t.Login == (plan.Login{}) {
		return nil
	}
	_, _, err := authorization(t.Login, secrets)
	return err
}

// authorization returns the scheme and the credentials of the HTTP header Authorization.
func authorization(l plan.Login, secrets secret.Resolver) (scheme string, credentials secret.Value, err error) {
	if l.Bearer != "" {
		token, err := secrets.Resolve(l.Bearer)
		if err == nil && strings.ContainsFunc(token.Reveal(), func(c rune) bool { return c <= ' ' || c > '~' }) {
			err = fmt.Errorf("resolve %s: the token contains a blank, a line feed or another character that an HTTP header cannot have", l.Bearer)
		}
		if err != nil {
			return "", secret.Value{}, fmt.Errorf("telemetry.bearer: %w", err)
		}
		return "Bearer", token, nil
	}
	password, err := secrets.Resolve(l.Password)
	if err != nil {
		return "", secret.Value{}, fmt.Errorf("telemetry.password: %w", err)
	}
	return "Basic", secret.NewValue(base64.StdEncoding.EncodeToString([]byte(l.User + ":" + password.Reveal()))), nil
}

// login is a http.RoundTripper that authenticates. One goroutine uses it.
type login struct {
	settings plan.Login
	secrets  secret.Resolver
	next     http.RoundTripper

	scheme      string
	credentials secret.Value
}

// RoundTrip implements http.RoundTripper. After a refusal it reads the secret again for the next request: it may have been renewed.
func (l *login) RoundTrip(r *http.Request) (*http.Response, error) {
	if l.scheme == "" {
		var err error
		if l.scheme, l.credentials, err = authorization(l.settings, l.secrets); err != nil {
			return nil, err
		}
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", l.scheme+" "+l.credentials.Reveal())
	response, err := l.next.RoundTrip(r)
	if err == nil && (response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden) {
		l.scheme = ""
	}
	return response, err
}

// CloseIdleConnections closes those of the RoundTripper below, for http.Client.
func (l *login) CloseIdleConnections() {
	if next, ok := l.next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}

// conceal removes the credentials from a message, which may quote what the server sent. A nil login changes nothing.
func (l *login) conceal(text string) string {
	if l == nil {
		return text
	}
	if c := l.credentials.Reveal(); len(c) >= shortest {
		return strings.ReplaceAll(text, c, l.credentials.String())
	}
	return text
}

// checkPage refuses a page that contains the credentials, such as one that shows the headers of the request: nothing of it may be
// recorded. A nil login accepts all pages.
func (l *login) checkPage(page []byte) error {
	if l == nil {
		return nil
	}
	if c := l.credentials.Reveal(); len(c) >= shortest && bytes.Contains(page, []byte(c)) {
		return errors.New("the page contains the credentials of the request, so it is not recorded")
	}
	return nil
}
