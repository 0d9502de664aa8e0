package deploy

import (
	"debug/elf"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A release has an archive for each platform, its programs are static and know their version and commit, and its checksums
// are right.
func TestReleaseIsWhole(t *testing.T) {
	t.Parallel()
	dir := release(t)
	succeed(t, dir, nil, "sha256sum", "--check", "--strict", "SHA256SUMS")
	commit := strings.TrimSpace(succeed(t, root, nil, "git", "rev-parse", "HEAD"))
	for platform, machine := range map[string]elf.Machine{"linux_amd64": elf.EM_X86_64, "linux_arm64": elf.EM_AARCH64} {
		into := unpack(t, "benchd_"+version+"_"+platform)
		for _, file := range []string{"LICENSE", "README.md", "deploy/systemd/benchd-agent.service", "docs/deploy.md"} {
			require.FileExists(t, filepath.Join(into, file))
		}
		for _, p := range []string{"benchd", "benchctl"} {
			path := filepath.Join(into, "bin", p)
			require.Equal(t, machine, static(t, path).Machine, path)
			if strings.HasSuffix(platform, runtime.GOARCH) {
				out := succeed(t, "", nil, path, "--version")
				require.Contains(t, out, version+"+"+commit[:12])
			}
		}
	}
}

// static checks that a program needs no loader and no library.
func static(t *testing.T, path string) *elf.File {
	t.Helper()
	f, err := elf.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	for _, p := range f.Progs {
		require.NotEqual(t, elf.PT_INTERP, p.Type, "%s asks for a loader: it is not static", path)
	}
	libraries, err := f.ImportedLibraries()
	require.NoError(t, err)
	require.Empty(t, libraries, path)
	return f
}

// The same commit and version give the same bytes from another folder, by a user of another umask, zone and home, with
// settings of Go that would change programs. Without a key the script reports that the release is not signed.
func TestReleaseIsReproducible(t *testing.T) {
	t.Parallel()
	first, err := os.ReadFile(filepath.Join(release(t), "SHA256SUMS"))
	require.NoError(t, err)
	clone := filepath.Join(t.TempDir(), "elsewhere")
	succeed(t, root, nil, "git", "clone", "--quiet", ".", clone)
	require.NoError(t, os.WriteFile(filepath.Join(clone, "README.md"), []byte("not committed"), 0o600))
	again := filepath.Join(t.TempDir(), "out")
	gocache, gomod := goEnv(t, "GOCACHE"), goEnv(t, "GOMODCACHE")
	out := succeed(t, clone, []string{
		"SIGN_KEY=", "RELEASE=" + again, "TZ=Asia/Shanghai", "LC_ALL=C", "HOME=" + t.TempDir(), "GOCACHE=" + gocache, "GOMODCACHE=" + gomod,
		"GOFLAGS=-tags=other", "GOAMD64=v3",
	}, "bash", "-c", "umask 077; scripts/release "+version)
	second, err := os.ReadFile(filepath.Join(again, "SHA256SUMS"))
	require.NoError(t, err)
	require.Equal(t, string(first), string(second))
	require.Contains(t, out, "release: not signed: SIGN_KEY=FILE names the SSH private key")
	require.NoFileExists(t, filepath.Join(again, "SHA256SUMS.sig"))
}

// goEnv is a setting of Go.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(succeed(t, root, nil, "go", "env", name))
}
