package profile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/profile"
)

// stored stores a profile with the certificate of an operator.
func stored(t *testing.T, f profile.Folder, name, address string) profile.Profile {
	t.Helper()
	ca := certstest.NewCA(t)
	files := ca.Identify(t, identity.Operator, "anna").Write(t, t.TempDir(), ca)
	p, err := profile.New(name, address, files)
	require.NoError(t, err)
	require.NoError(t, f.Write(p))
	return p
}

func TestAProfileKeepsTheCertificatesOfACoordinator(t *testing.T) {
	f := profile.In(filepath.Join(t.TempDir(), "benchd", "profiles"))
	given := stored(t, f, "bench", "bench.example.org:7070")
	got, err := f.Read("bench")
	require.NoError(t, err)
	require.Equal(t, [4]string{given.Address, given.CA, given.Certificate, given.Key}, [4]string{got.Address, got.CA, got.Certificate, got.Key})
	require.True(t, got.Secured())

	store, err := got.Certificates(certs.Options{Roles: []identity.Role{identity.Operator}, Required: true})
	require.NoError(t, err)
	require.Equal(t, "anna (operator)", store.Identity().String())
	who, until, err := got.Owner()
	require.NoError(t, err)
	require.Equal(t, store.Identity(), who)
	require.True(t, until.Equal(store.Expires()))

	_, err = got.Certificates(certs.Options{Now: func() time.Time { return until.Add(time.Hour) }})
	require.ErrorContains(t, err, "profile bench: TLS file "+filepath.Join(f.Path(), "bench.json")+": the certificate of anna (operator) expired")
	_, err = got.Certificates(certs.Options{Roles: []identity.Role{identity.Agent}})
	require.ErrorContains(t, err, "its role is operator")
}

func TestAProfileDoesNotPrintItsKey(t *testing.T) {
	p := profile.Profile{Name: "bench", Address: "bench:7070", Key: "SECRET"}
	require.NotContains(t, fmt.Sprintf("%v %+v %s", p, p, p), "SECRET")
}

func TestAProfileWithoutCertificatesIsForACoordinatorWithoutTLS(t *testing.T) {
	p, err := profile.New("here", "127.0.0.1:7070", certs.Files{})
	require.NoError(t, err)
	require.False(t, p.Secured())
	store, err := p.Certificates(certs.Options{})
	require.NoError(t, err)
	require.Nil(t, store)
}

func TestOnlyItsUserCanReadAProfile(t *testing.T) {
	f := profile.In(filepath.Join(t.TempDir(), "profiles"))
	require.NoError(t, os.MkdirAll(f.Path(), 0o755))
	stored(t, f, "bench", "bench:7070")
	require.NoError(t, f.Use("bench"))
	path := filepath.Join(f.Path(), "bench.json")
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode().Perm()
	}
	require.Equal(t, os.FileMode(0o600), mode(path))
	require.Equal(t, os.FileMode(0o600), mode(filepath.Join(f.Path(), "current")))
	require.Equal(t, os.FileMode(0o700), mode(f.Path()))

	for _, open := range []os.FileMode{0o640, 0o604, 0o620, 0o602, 0o644} {
		require.NoError(t, os.Chmod(path, open))
		_, err := f.Read("bench")
		unsafe := new(profile.UnsafeError)
		require.ErrorAs(t, err, &unsafe, "%o", open)
		require.Equal(t, 2, unsafe.ExitCode())
		require.ErrorContains(t, err, fmt.Sprintf("refuse %s: other users can use it (mode %04o): chmod 600 %s", path, open, path))
		_, err = f.For("bench:7070")
		require.ErrorAs(t, err, &unsafe, "%o", open)
		require.ErrorAs(t, f.Use("bench"), &unsafe)
	}
	stored(t, f, "bench", "bench:7070") // login repairs it
	_, err := f.Read("bench")
	require.NoError(t, err)
}

func TestNobodyElseCanReplaceAProfile(t *testing.T) {
	f := profile.In(filepath.Join(t.TempDir(), "profiles"))
	stored(t, f, "bench", "bench:7070")
	require.NoError(t, f.Use("bench"))
	require.NoError(t, os.Chmod(f.Path(), 0o770))
	_, err := f.Read("bench")
	require.ErrorContains(t, err, "(mode 0770): chmod 700 "+f.Path())
	_, err = f.Current()
	require.ErrorContains(t, err, "(mode 0770)")
	require.NoError(t, f.Remove("bench"))
}

func TestTheProfileOfAnAddressIsTheCurrentOneOrTheFirst(t *testing.T) {
	f := profile.In(filepath.Join(t.TempDir(), "profiles"))
	_, err := f.For("bench:7070")
	require.ErrorIs(t, err, profile.ErrNone)
	current, err := f.Current()
	require.NoError(t, err)
	require.Empty(t, current)

	for name, address := range map[string]string{"a": "other:7070", "b": "bench:7070", "c": "bench:7070"} {
		stored(t, f, name, address)
	}
	got := func() string {
		p, err := f.For("bench:7070")
		require.NoError(t, err)
		return p.Name
	}
	require.Equal(t, "b", got())
	require.NoError(t, f.Use("c"))
	require.Equal(t, "c", got())
	require.NoError(t, f.Use("a"))
	require.Equal(t, "b", got())

	stored(t, f, "here", "127.0.0.1:7070")
	here, err := f.For("localhost:7070")
	require.NoError(t, err)
	require.Equal(t, "here", here.Name)
	_, err = f.For("localhost:7071")
	require.ErrorIs(t, err, profile.ErrNone)
	require.NoError(t, f.Remove("here"))

	stored(t, f, "pair", "p:7070,localhost:7072")
	for _, address := range []string{"p:7070", "127.0.0.1:7072", "z:1,p:7070"} {
		pair, err := f.For(address)
		require.NoError(t, err, address)
		require.Equal(t, "p:7070,localhost:7072", pair.Address, "it has the addresses of both")
	}
	_, err = f.For("p:7071")
	require.ErrorIs(t, err, profile.ErrNone)
	require.NoError(t, f.Remove("pair"))
	// A profile that cannot be used does not keep the others from being used.
	require.NoError(t, os.Chmod(filepath.Join(f.Path(), "a.json"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(f.Path(), "aa.json"), []byte("{"), 0o600))
	require.Equal(t, "b", got())
	_, err = f.For("bench.example.org:7070")
	require.ErrorIs(t, err, profile.ErrNone)
	list, err := f.List()
	require.NoError(t, err)
	var lines []string
	for _, e := range list {
		lines = append(lines, fmt.Sprint(e.Profile.Name, e.Current, e.Err != nil))
	}
	require.Equal(t, []string{"atrue true", "aafalse true", "bfalse false", "cfalse false"}, lines)
}

func TestARemovedProfileIsNotTheCurrentOne(t *testing.T) {
	f := profile.In(filepath.Join(t.TempDir(), "profiles"))
	stored(t, f, "bench", "bench:7070")
	stored(t, f, "other", "other:7070")
	require.ErrorIs(t, f.Use("none"), profile.ErrNone)
	require.NoError(t, f.Use("bench"))
	require.ErrorIs(t, f.Remove("none"), profile.ErrNone)
	require.NoError(t, f.Remove("other"))
	current, err := f.Current()
	require.NoError(t, err)
	require.Equal(t, "bench", current)
	require.NoError(t, f.Remove("bench"))
	current, err = f.Current()
	require.NoError(t, err)
	require.Empty(t, current)
	stored(t, f, "bench", "bench:7070")
	current, err = f.Current()
	require.NoError(t, err)
	require.Empty(t, current, "a new profile of the same name")
	_, err = f.Read("bensh")
	require.ErrorContains(t, err, `did you mean "bench"?`)
}

func TestNamesOfProfiles(t *testing.T) {
	for address, want := range map[string]string{
		"bench.example.org:7070": "bench.example.org", "10.0.0.1:7070": "10.0.0.1", "[fe80::1%eth0]:7070": "fe80-1-eth0",
		"unix:/run/benchd.sock": "local", "bench-a:7070,bench-b:7070": "bench-a", "[::]:7070": "", strings.Repeat("a", 70) + ":1": strings.Repeat("a", 64),
	} {
		require.Equal(t, want, profile.NameOf(address), address)
		if want != "" {
			require.NoError(t, profile.CheckName(want))
		}
	}
	for _, bad := range []string{"", "off", "../x", ".x", "a/b", strings.Repeat("a", 65)} {
		require.Error(t, profile.CheckName(bad), bad)
		_, err := profile.In(t.TempDir()).Read(bad)
		require.Error(t, err, bad)
	}
}

func TestAUserWithoutAFolderHasNoProfiles(t *testing.T) {
	var f profile.Folder
	_, err := f.For("bench:7070")
	require.ErrorIs(t, err, profile.ErrNone)
	current, err := f.Current()
	require.NoError(t, err)
	require.Empty(t, current)
	require.ErrorContains(t, f.Write(profile.Profile{Name: "bench", Address: "bench:7070"}), "set HOME, or XDG_CONFIG_HOME to an absolute path")
}
