//go:build integration

package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/api"
	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/test/testcluster"
)

// browser is a browser without a certificate.
type browser struct {
	t *testing.T
	*http.Client
}

func newBrowser(t *testing.T, ca *certstest.CA) browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	transport := &http.Transport{DisableKeepAlives: true}
	if ca != nil {
		transport.TLSClientConfig = certstest.Client(t, ca, certstest.Pair{}.TLS, identity.Coordinator)
	}
	return browser{t, &http.Client{Transport: transport, Jar: jar, Timeout: testcluster.Patience}}
}

// do sends a request as the console's own page does.
func (b browser) do(method, address string, form url.Values) (status int, body string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, address, strings.NewReader(form.Encode()))
	require.NoError(b.t, err)
	req.Header.Set("Accept", "text/html,*/*")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := b.Do(req)
	require.NoError(b.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(b.t, err)
	return resp.StatusCode, string(text)
}

// login opens a link and submits its form, and returns what the page of the link asks.
func (b browser) login(link string) (asked string) {
	b.t.Helper()
	status, page := b.do("GET", link, nil)
	require.Equal(b.t, http.StatusOK, status, page)
	code := regexp.MustCompile(`name="code" value="([^"]+)"`).FindStringSubmatch(page)
	require.NotNil(b.t, code, page)
	action, _, _ := strings.Cut(link, "?")
	status, shown := b.do("POST", action, url.Values{"code": code[1:]})
	require.Equal(b.t, http.StatusOK, status, shown) // after the redirect to the console
	return page
}

// about returns the status of the API, and who it takes the browser for.
func (b browser) about(base string) (status int, who api.AboutPeer, mistake string) {
	b.t.Helper()
	status, text := b.do("GET", base+"/api/v1/about", nil)
	var d struct {
		Peer  api.AboutPeer
		Ends  *time.Time `json:"session_ends"`
		Error api.Mistake
	}
	require.NoError(b.t, json.Unmarshal([]byte(text), &d), text)
	require.Equal(b.t, status == http.StatusOK, d.Ends != nil, text)
	return status, d.Peer, d.Error.Message
}

// TestABrowserLogsInByALink logs in by benchctl console at a coordinator with certificates, which then restarts.
func TestABrowserLogsInByALink(t *testing.T) {
	t.Parallel()
	h := testcluster.Secured(t)
	base := "https://" + h.HTTP
	b := newBrowser(t, h.CA)
	status, page := b.do("GET", base+"/", nil)
	require.Equal(t, http.StatusUnauthorized, status)
	require.Contains(t, page, "<pre><code>benchctl console</code></pre>")
	status, _, mistake := b.about(base)
	require.Equal(t, http.StatusUnauthorized, status)
	require.Contains(t, mistake, "log in with the link that `benchctl console` prints")

	stdout, stderr, code := h.Ctl("console")
	require.Zero(t, code, stderr)
	require.Equal(t, "open this link within 2m0s; it logs in once:\n", stderr)
	link := strings.TrimSpace(stdout)
	require.Regexp(t, `^`+regexp.QuoteMeta(base)+`/console/login\?code=[A-Z2-7]{26}$`, link)
	require.Contains(t, b.login(link), "Log in as root (admin) on "+h.HTTP+"?")
	status, who, _ := b.about(base)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, api.AboutPeer{Name: "root", Role: "admin"}, who)
	status, page = b.do("GET", link, nil)
	require.Equal(t, http.StatusForbidden, status, "a link logs in once")
	require.Contains(t, page, "You are logged in as root (admin).")

	stdout, _, _ = h.Ctl("audit", "-o", "json")
	for _, call := range []string{`"call":"OpenConsole"`, `"call":"POST /console/login"`} {
		require.Contains(t, stdout, call)
	}
	require.NotContains(t, stdout, strings.TrimPrefix(link, base+"/console/login?code="))

	h.Coordinator.Signal(syscall.SIGTERM)
	require.Zero(t, h.Coordinator.Exit(testcluster.Patience))
	h.Open()
	status, who, _ = b.about(base)
	require.Equal(t, http.StatusOK, status, "the session continues")
	require.Equal(t, api.AboutPeer{Name: "root", Role: "admin"}, who)
	status, page = b.do("POST", base+"/console/logout", url.Values{})
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, page, "Logged out")
	h.Coordinator.Signal(syscall.SIGKILL)
	h.Coordinator.Exit(testcluster.Patience)
	h.Open()
	status, _, mistake = b.about(base)
	require.Equal(t, http.StatusUnauthorized, status)
	require.Contains(t, mistake, "log in with the link that `benchctl console` prints")
}

// TestARevocationEndsTheSessionOfABrowser revokes the certificate by which a link was made.
func TestARevocationEndsTheSessionOfABrowser(t *testing.T) {
	t.Parallel()
	list := filepath.Join(t.TempDir(), "revoked")
	require.NoError(t, os.WriteFile(list, nil, 0o600))
	h := testcluster.Secured(t, "--tls-revoked", list)
	anna := h.CA.Identify(t, identity.Operator, "anna")
	f := anna.Write(t, t.TempDir(), h.CA)
	stdout, stderr, code := testcluster.Run(t, testcluster.Patience, "benchctl", "console", "--coordinator", h.Address, "--tls-cert", f.Cert, "--tls-key", f.Key, "--tls-ca", f.CA)
	require.Zero(t, code, stderr)
	b := newBrowser(t, h.CA)
	b.login(strings.TrimSpace(stdout))
	status, who, _ := b.about("https://" + h.HTTP)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, api.AboutPeer{Name: "anna", Role: "operator"}, who)
	require.NoError(t, os.WriteFile(list, []byte(anna.Serial()+"\n"), 0o600))
	testcluster.Eventually(t, testcluster.Patience, func() bool {
		status, _, _ := b.about("https://" + h.HTTP)
		return status == http.StatusUnauthorized
	}, "the session should end")
}

// TestAConsoleWithoutALogin opens the console of coordinators that know their peers without one, and of one that has none.
func TestAConsoleWithoutALogin(t *testing.T) {
	t.Parallel()
	h := testcluster.New(t)
	stdout, stderr, code := h.Ctl("console")
	require.Zero(t, code, stderr)
	require.Empty(t, stderr)
	require.Equal(t, "http://"+h.HTTP+"/console/\n", stdout)
	b := newBrowser(t, nil)
	status, _ := b.do("GET", "http://"+h.HTTP+"/", nil) // redirects to the console
	require.Equal(t, http.StatusOK, status)

	h.Coordinator.Signal(syscall.SIGTERM)
	require.Zero(t, h.Coordinator.Exit(testcluster.Patience))
	h.Flags = append(h.Flags, "--console=false")
	h.Open()
	_, stderr, code = h.Ctl("console")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "this coordinator serves no console: start it without --console=false")
	status, _ = b.do("GET", "http://"+h.HTTP+"/console/", nil)
	require.Equal(t, http.StatusNotFound, status)
	status, page := b.do("GET", "http://"+h.HTTP+"/", nil)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, page, "/api/v1/\n")
}
