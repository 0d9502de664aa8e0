package observe

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/secret"
)

const canary = "canary-e5a1b0"

// secrets are a resolver of a folder with a token.
func secrets(t *testing.T, token string) (secret.Resolver, string) {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "token")
	require.NoError(t, os.WriteFile(file, []byte(token), 0o600))
	return secret.Resolver{Folders: []string{folder}}, file
}

// guarded is an endpoint that demands an Authorization.
func guarded(t *testing.T, want func() string) (plan.Endpoint, *int) {
	t.Helper()
	refused := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != want() {
			refused++
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte("up 1\n"))
	}))
	t.Cleanup(s.Close)
	return plan.Endpoint{Name: "n1", URL: s.URL}, &refused
}

// lookAt looks several times at an endpoint, and returns the last look and all warnings.
func lookAt(t *testing.T, e plan.Endpoint, l plan.Login, r secret.Resolver) (last Look, warnings []string) {
	t.Helper()
	p := NewPrometheus(e, []string{"*"}, nil)
	defer p.Close()
	p.Authenticate(l, r)
	for range 2 * tolerated {
		last = p.Look(t.Context())
		warnings = append(warnings, last.Warnings...)
	}
	return last, warnings
}

func TestAnEndpointReceivesTheSecret(t *testing.T) {
	r, _ := secrets(t, canary+"\n")
	basic := base64.StdEncoding.EncodeToString([]byte("anna:" + canary))
	for name, test := range map[string]struct {
		login plan.Login
		want  string
	}{
		"token":    {plan.Login{Bearer: "file:token"}, "Bearer " + canary},
		"password": {plan.Login{User: "anna", Password: "file:token"}, "Basic " + basic},
		"none":     {plan.Login{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e, refused := guarded(t, func() string { return test.want })
			look, warnings := lookAt(t, e, test.login, r)
			require.Empty(t, warnings)
			require.Len(t, look.Groups, 1)
			require.Equal(t, "up", look.Groups[0].Readings[0].Name)
			require.Zero(t, *refused)
		})
	}
}

func TestARenewedSecretIsReadAgain(t *testing.T) {
	r, file := secrets(t, "old-token")
	valid := "old-token"
	e, refused := guarded(t, func() string { return "Bearer " + valid })
	p := NewPrometheus(e, []string{"up"}, nil)
	defer p.Close()
	p.Authenticate(plan.Login{Bearer: "file:token"}, r)
	require.Len(t, p.Look(t.Context()).Groups, 1)
	require.NoError(t, os.WriteFile(file, []byte("new-token"), 0o600))
	valid = "new-token"
	require.Empty(t, p.Look(t.Context()).Groups)
	require.Len(t, p.Look(t.Context()).Groups, 1)
	require.Equal(t, 1, *refused)
}

func TestASecretThatCannotBeResolvedIsNamed(t *testing.T) {
	r, file := secrets(t, "two\nlines")
	t.Logf("the file is %s", file)
	e, _ := guarded(t, func() string { return "never" })
	telemetry := plan.Telemetry{On: true, Endpoints: []plan.Endpoint{e}}
	for name, test := range map[string]struct {
		login   plan.Login
		problem string
	}{
		"missing token":    {plan.Login{Bearer: "file:missing"}, "telemetry.bearer: resolve file:missing: no such file in"},
		"missing password": {plan.Login{User: "u", Password: "credential:missing"}, "telemetry.password: resolve credential:missing: the agent has no credentials"},
		"invalid token":    {plan.Login{Bearer: "file:token"}, "telemetry.bearer: resolve file:token: the token contains a blank, a line feed"},
	} {
		telemetry.Login = test.login
		require.ErrorContains(t, CheckLogin(telemetry, r), test.problem, name)
		_, warnings := lookAt(t, e, test.login, r)
		require.Len(t, warnings, 1, name)
		require.Contains(t, warnings[0], test.problem, "an agent that takes over has not checked it before")
	}
	telemetry.On = false
	require.NoError(t, CheckLogin(telemetry, r))
	require.NoError(t, CheckLogin(plan.Telemetry{On: true, Login: plan.Login{Bearer: "file:missing"}}, r))
}

// A server that shows the request may not bring the secret into a result.
func TestAnEndpointCannotReturnTheSecret(t *testing.T) {
	r, _ := secrets(t, canary)
	elsewhere, received := "", ""
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { received += fmt.Sprint(r.Header) }))
	t.Cleanup(other.Close)
	elsewhere = other.URL
	for name, answer := range map[string]func(authorization string) string{
		"in a label":            func(a string) string { return "HTTP/1.1 200 OK\r\n\r\nup{header=\"" + a + "\"} 1\n" },
		"in the name":           func(a string) string { return "HTTP/1.1 200 OK\r\n\r\n" + strings.Fields(a)[1] + " 1\n" },
		"in a page of its own":  func(a string) string { return "HTTP/1.1 200 OK\r\n\r\n<html>" + a + "</html>\n" },
		"in the status":         func(a string) string { return "HTTP/1.1 401 " + a + "\r\n\r\n" },
		"in a broken status":    func(a string) string { return "HTTP/1.1 " + a + "\r\n\r\n" },
		"in a broken header":    func(a string) string { return "HTTP/1.1 200 OK\r\n" + a + "\r\n\r\nup 1\n" },
		"instead of a response": func(a string) string { return a + "\r\n\r\n" },
		"in a redirect":         func(a string) string { return "HTTP/1.1 302 Found\r\nLocation: http://" + a + "/\r\n\r\n" },
		"by a redirect":         func(string) string { return "HTTP/1.1 302 Found\r\nLocation: " + elsewhere + "\r\n\r\n" },
	} {
		for scheme, l := range map[string]plan.Login{"token": {Bearer: "file:token"}, "password": {User: "u", Password: "file:token"}} {
			t.Run(name+"/"+scheme, func(t *testing.T) {
				asked := 0
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					asked++
					conn, _, err := http.NewResponseController(w).Hijack()
					if err != nil {
						return
					}
					_, _ = conn.Write([]byte(answer(r.Header.Get("Authorization"))))
					_ = conn.Close()
				}))
				t.Cleanup(s.Close)
				look, warnings := lookAt(t, plan.Endpoint{Name: "n1", URL: s.URL}, l, r)
				require.GreaterOrEqual(t, asked, tolerated)
				require.Len(t, warnings, 1)
				for _, text := range []string{canary, base64.StdEncoding.EncodeToString([]byte("u:" + canary))} {
					require.NotContains(t, fmt.Sprint(look, warnings), text)
				}
			})
		}
	}
	require.Empty(t, received, "a redirect is not followed")
}
