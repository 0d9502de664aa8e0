package debugserver

import (
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/prometheus/exporter-toolkit/web"
	"go.yaml.in/yaml/v3"

	"github.com/benchd/benchd/internal/identity"
)

// WebConfig is a web configuration file of Prometheus: TLS, passwords and headers of an HTTP server. It is read again for each
// connection and request.
type WebConfig struct {
	path string
	tls  bool
}

// WebConfigError reports that a web configuration file cannot be used.
type WebConfigError struct {
	Path string
	Err  error
}

// Error names the file and the cure.
func (e *WebConfigError) Error() string {
	return fmt.Sprintf("--web.config.file %s: %v; https://prometheus.io/docs/prometheus/latest/configuration/https/ describes the file", e.Path, e.Err)
}

// Unwrap returns the problem.
func (e *WebConfigError) Unwrap() error { return e.Err }

// ExitCode returns the exit code of a usage error.
func (*WebConfigError) ExitCode() int { return 2 }

// OpenWebConfig checks a web configuration file and the certificates in it. Without a path there is none.
func OpenWebConfig(path string) (*WebConfig, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // none is wanted
	}
	if err := web.Validate(path); err != nil {
		return nil, &WebConfigError{Path: path, Err: err}
	}
	w := &WebConfig{path: path}
	c, err := w.read()
	if err != nil {
		return nil, &WebConfigError{Path: path, Err: err}
	}
	w.tls = c.TLSConfig.IsEnabled()
	return w, nil
}

// TLS reports whether connections use TLS.
func (w *WebConfig) TLS() bool { return w != nil && w.tls }

func (w *WebConfig) read() (*web.Config, error) {
	text, err := os.ReadFile(w.path)
	if err != nil {
		return nil, fmt.Errorf("read web configuration: %w", err)
	}
	c := new(web.Config)
	if err := yaml.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf("read web configuration: %w", err)
	}
	return c, nil
}

// serve serves as the file says.
func (w *WebConfig) serve(s *Server, l net.Listener) error {
	listens, socket := []string{}, false
	return web.Serve(l, s.http, &web.FlagConfig{WebListenAddresses: &listens, WebSystemdSocket: &socket, WebConfigFile: &w.path}, s.logger)
}

// peer returns who sends a request that the file's rules have let through: a viewer, if the file asks for a password or a
// certificate, else anonymous. An agent or a coordinator of benchd stays what it is. Nobody is more than a viewer: the file's authority
// need not be that of benchd.
func (w *WebConfig) peer(r *http.Request) identity.Identity {
	viewer := identity.Identity{Role: identity.Viewer}
	c, err := w.read()
	if err != nil {
		return identity.Identity{Role: identity.Anonymous}
	}
	if user, _, given := r.BasicAuth(); given && c.Users[user] != "" {
		if identity.CheckName(user) == nil {
			viewer.Name = user
		}
		return viewer
	}
	if r.TLS != nil && len(r.TLS.VerifiedChains) > 0 {
		leaf := r.TLS.VerifiedChains[0][0]
		if id, err := identity.FromCertificate(leaf); err == nil && (id.Role == identity.Agent || id.Role == identity.Coordinator) {
			return id // a program of benchd, which may do less than a viewer
		}
		viewer.Serial = identity.Serial(leaf) // it may be revoked
		if identity.CheckName(leaf.Subject.CommonName) == nil {
			viewer.Name = leaf.Subject.CommonName
		}
		return viewer
	}
	return identity.Identity{Role: identity.Anonymous}
}
