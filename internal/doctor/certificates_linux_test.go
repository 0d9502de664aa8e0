package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/identity"
)

const day = 24 * time.Hour

// Each finding names the file, what is wrong and what to do.
func TestCertificatesAreExamined(t *testing.T) {
	ca, other := certstest.NewCA(t), certstest.NewCA(t)
	now := time.Now()
	agent := identity.Identity{Role: identity.Agent, Name: "a"}
	for name, test := range map[string]struct {
		spoil   func(t *testing.T, f certs.Files)
		finding string
		want    Verdict
		on      func(certs.Files) string
		text    string
	}{
		"as they should be": {func(*testing.T, certs.Files) {}, "", OK, nil, ""},
		"expires soon": {func(t *testing.T, f certs.Files) {
			ca.Issue(t, certstest.Leaf{Identity: agent, From: now.Add(-100 * day), Until: now.Add(12*day + time.Hour)}).Write(t, filepath.Dir(f.Cert), ca)
		}, "certificate", Warn, certFile, "for 12 days"},
		"of a short life": {func(t *testing.T, f certs.Files) { // its agent renews it
			ca.Issue(t, certstest.Leaf{Identity: agent, From: now.Add(-day), Until: now.Add(20 * day)}).Write(t, filepath.Dir(f.Cert), ca)
		}, "", OK, nil, ""},
		"expired": {func(t *testing.T, f certs.Files) {
			ca.Issue(t, certstest.Leaf{Identity: agent, From: now.Add(-2 * day), Until: now.Add(-day)}).Write(t, filepath.Dir(f.Cert), ca)
		}, "certificate", Bad, certFile, "expired on"},
		"of another CA": {func(t *testing.T, f certs.Files) {
			require.NoError(t, os.WriteFile(f.CA, other.PEM(), 0o600))
		}, "certificate", Bad, certFile, "was issued by another authority"},
		"another's key": {func(t *testing.T, f certs.Files) {
			require.NoError(t, os.WriteFile(f.Key, ca.Identify(t, identity.Agent, "b").KeyPEM, 0o600))
		}, "certificate", Bad, keyFile, "does not match"},
		"no key": {func(t *testing.T, f certs.Files) { require.NoError(t, os.Remove(f.Key)) }, "certificate", Bad, keyFile, "no such file"},
		"everybody's key": {func(t *testing.T, f certs.Files) {
			require.NoError(t, os.Chmod(f.Key, 0o644))
		}, "private_key", Warn, keyFile, "mode 0644"},
		"wrong role": {func(t *testing.T, f certs.Files) {
			ca.Identify(t, identity.Viewer, "v").Write(t, filepath.Dir(f.Cert), ca)
		}, "certificate", Bad, certFile, "its role is viewer"},
	} {
		t.Run(name, func(t *testing.T) {
			files := ca.Issue(t, certstest.Leaf{Identity: agent, Until: now.Add(90 * day)}).Write(t, t.TempDir(), ca)
			test.spoil(t, files)
			findings := ExamineCertificates(certs.Inspect(files, certs.Options{Roles: []identity.Role{identity.Agent}, Required: true}), now)
			for _, f := range findings {
				if f.Name != test.finding {
					require.Equal(t, OK, f.Verdict, "%+v", f)
				}
			}
			if test.finding == "" {
				require.Len(t, findings, 3)
				return
			}
			f := by(t, findings, test.finding)
			require.Equal(t, test.want, f.Verdict, "%+v", f)
			require.Equal(t, test.on(files), f.On)
			require.Contains(t, f.Found, test.text)
			require.NotEmpty(t, f.Cure)
		})
	}
}

func certFile(f certs.Files) string { return f.Cert }
func keyFile(f certs.Files) string  { return f.Key }

func TestTheProtectionOfACoordinatorIsExamined(t *testing.T) {
	now := time.Now()
	p := Peer{
		Listeners: []Listener{{Text: "gRPC 0.0.0.0:7070: TLS"}, {Text: "HTTP 0.0.0.0:7071: plain text, with --insecure", Open: true}},
		Expires:   now.Add(90 * day),
	}
	findings := p.examineSecurity(now)
	require.Len(t, findings, 3)
	require.Equal(t, OK, findings[0].Verdict)
	require.Equal(t, Warn, findings[1].Verdict)
	require.Equal(t, "HTTP 0.0.0.0:7071: plain text, with --insecure", findings[1].Found)
	require.Contains(t, findings[1].Cure, "--tls-cert")
	require.Equal(t, OK, findings[2].Verdict)
	for left, want := range map[time.Duration]Verdict{29 * day: Warn, 31 * day: OK, -time.Second: Bad} {
		p.Expires = now.Add(left)
		f := by(t, p.examineSecurity(now), "certificate")
		require.Equal(t, want, f.Verdict, "%v", left)
		require.Equal(t, "coordinator", f.On)
	}
	require.Empty(t, Peer{}.examineSecurity(now), "a coordinator of an older build")
}

func TestASpoolThatAnAgentWouldRefuse(t *testing.T) {
	folder := Folder{Flag: "--spool", Dir: "/tmp/spool", Check: func() error { return errors.New("folder /tmp/spool belongs to user 12") }}
	f := by(t, folder.examine(), "folder")
	require.Equal(t, Bad, f.Verdict)
	require.Equal(t, "--spool /tmp/spool", f.On)
	require.Contains(t, f.Cure, "--spool")
	folder.Check = func() error { return nil }
	require.Equal(t, OK, by(t, folder.examine(), "folder").Verdict)
}

func TestUnixSocketsAreExamined(t *testing.T) {
	listen := func(t *testing.T, path string, keep bool) {
		l, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
		require.NoError(t, err)
		if keep {
			t.Cleanup(func() { _ = l.Close() })
			return
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		require.NoError(t, l.Close())
	}
	coordinates := func(context.Context, string) (string, bool) { return "a coordinator", true }
	for name, test := range map[string]struct {
		make   func(t *testing.T, path string)
		serves func(context.Context, string) (string, bool)
		want   Verdict
		text   string
	}{
		"free":               {func(*testing.T, string) {}, nil, OK, "free"},
		"left":               {func(t *testing.T, path string) { listen(t, path, false) }, nil, OK, "after a process that has ended"},
		"of a coordinator":   {func(t *testing.T, path string) { listen(t, path, true) }, coordinates, OK, "in use by a coordinator"},
		"of another program": {func(t *testing.T, path string) { listen(t, path, true) }, nil, Bad, "another process"},
		"a file":             {func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, nil, 0o600)) }, nil, Bad, "is not a socket"},
		"no folder":          {func(t *testing.T, path string) { require.NoError(t, os.Remove(filepath.Dir(path))) }, nil, Bad, "no such file"},
		"others may replace it": {func(t *testing.T, path string) {
			require.NoError(t, os.Chmod(filepath.Dir(path), 0o777))
		}, nil, Warn, "(mode 0777)"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s")
			test.make(t, path)
			before := modeOf(path)
			f := Port{Flag: "--listen", Address: "unix:" + path, Socket: path, Serves: test.serves}.examine(t.Context())
			require.Equal(t, test.want, f.Verdict, "%+v", f)
			require.Equal(t, "--listen unix:"+path, f.On)
			require.Contains(t, f.Found, test.text)
			require.Equal(t, test.want == OK, f.Cure == "")
			require.Equal(t, before, modeOf(path), "doctor changes nothing")
		})
	}
}

func modeOf(path string) fs.FileMode {
	info, err := os.Lstat(path)
	if err != nil {
		return 0
	}
	return info.Mode()
}

// Names of other machines cannot change what the terminal shows.
func TestFindingsHaveNoControlCharacters(t *testing.T) {
	var out strings.Builder
	report := NewReport("v1", []Finding{{Name: "host", Agent: "a\x1b[2J", On: "\u202eeth0", Found: "x\ny\u009b", Verdict: Warn, Cure: "\x07do"}})
	require.NoError(t, report.Text(&out))
	for _, c := range []string{"\x1b", "\u202e", "\u009b", "\x07", "x\ny"} {
		require.NotContains(t, out.String(), c)
	}
}
