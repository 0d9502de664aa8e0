package debugserver

import (
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/tolerance"
)

// users lets anna in with the password fakepassword.
const users = "basic_auth_users:\n  anna: $2y$10$QOauhQNbBCuQDKes6eFzPeMqBSjb7Mr5DUmpZ/VcEd00UAV/LDeSi\n"

func TestAWebConfigurationDecidesWhoIsAViewer(t *testing.T) {
	ca := certstest.NewCA(t)
	dir := t.TempDir()
	ca.Identify(t, identity.Coordinator, "c").Write(t, dir, ca)
	const server = "tls_server_config:\n  cert_file: tls.crt\n  key_file: tls.key\n"
	const clients = server + "  client_auth_type: VerifyClientCertIfGiven\n  client_ca_file: ca.crt\n"
	admin := ca.Identify(t, identity.Admin, "root").TLS
	for name, test := range map[string]struct {
		config   string
		tls      bool
		cert     tls.Certificate
		password string
		status   int
		body     string
	}{
		"password":                        {users, false, tls.Certificate{}, "fakepassword", 200, "anna (viewer)"},
		"wrong password":                  {users, false, tls.Certificate{}, "guess", 401, ""},
		"no password":                     {users, false, tls.Certificate{}, "", 401, ""},
		"password and TLS":                {server + users, true, tls.Certificate{}, "fakepassword", 200, "anna (viewer)"},
		"TLS alone":                       {server, true, tls.Certificate{}, "", 200, "anonymous"},
		"TLS alone, a password":           {server, true, tls.Certificate{}, "fakepassword", 200, "anonymous"},
		"certificate":                     {clients, true, admin, "", 200, "root (viewer)"},
		"certificate of an agent":         {clients, true, ca.Identify(t, identity.Agent, "client-1").TLS, "", 200, "client-1 (agent)"},
		"no certificate":                  {clients, true, tls.Certificate{}, "", 200, "anonymous"},
		"unverified certificate":          {server + "  client_auth_type: RequestClientCert\n", true, admin, "", 200, "anonymous"},
		"neither passwords nor TLS":       {"http_server_config:\n  http2: false\n", false, tls.Certificate{}, "", 200, "anonymous"},
		"a password that nobody asks for": {"http_server_config:\n  http2: false\n", false, tls.Certificate{}, "x", 200, "anonymous"},
	} {
		path := filepath.Join(dir, "web.yml")
		require.NoError(t, os.WriteFile(path, []byte(test.config), 0o600))
		config, err := OpenWebConfig(path)
		require.NoError(t, err, name)
		require.Equal(t, test.tls, config.TLS(), name)
		url, stop := serve(t, ServerConfig{Web: config, Allow: everyone, Handlers: map[string]http.Handler{"/who": http.HandlerFunc(who)}})
		if test.tls {
			url = "https" + url[len("http"):]
		}
		client := &http.Client{Timeout: tolerance.Patience, Transport: &http.Transport{
			DisableKeepAlives: true, TLSClientConfig: certstest.Client(t, ca, test.cert, identity.Coordinator),
		}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/who", http.NoBody)
		require.NoError(t, err)
		if test.password != "" {
			req.SetBasicAuth("anna", test.password)
		}
		resp, err := client.Do(req)
		require.NoError(t, err, name)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, test.status, resp.StatusCode, name)
		require.Contains(t, string(body), test.body, name)
		require.NoError(t, stop(), name)
	}
}

func TestAWebConfigurationIsCheckedAtTheStart(t *testing.T) {
	none, err := OpenWebConfig("")
	require.NoError(t, err)
	require.Nil(t, none)
	require.False(t, none.TLS())
	_, err = OpenWebConfig("/none/web.yml")
	require.ErrorContains(t, err, "no such file")
	path := filepath.Join(t.TempDir(), "web.yml")
	for text, problem := range map[string]string{
		"tls_server: {}\n":                     "tls_server",
		"tls_server_config: {cert_file: none}": "missing one of key or key_file",
		"basic_auth_users: {anna: secret}":     "bcrypt",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := OpenWebConfig(path)
		require.ErrorContains(t, err, problem, text)
		require.ErrorContains(t, err, "--web.config.file "+path)
		var usage interface{ ExitCode() int }
		require.ErrorAs(t, err, &usage)
		require.Equal(t, 2, usage.ExitCode())
	}
}
