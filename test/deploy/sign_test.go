package deploy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// signers writes the file by which ssh-keygen knows who may sign, from a public key.
func signers(t *testing.T, public string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "allowed_signers")
	line := fmt.Sprintf("benchd namespaces=\"benchd-release\" %s", read(t, public))
	require.NoError(t, os.WriteFile(path, []byte(line), 0o600))
	return path
}

// signer makes a key, and returns its file.
func signer(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "key")
	_ = os.Remove(path)
	succeed(t, "", nil, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", path)
	return path
}

// verify checks a signed list as docs/deploy.md describes.
func verify(t *testing.T, list, signature, signers, namespace string) (string, error) {
	t.Helper()
	return command(t, "", []string{"LIST=" + list, "SIGNATURE=" + signature, "SIGNERS=" + signers, "NAMESPACE=" + namespace}, "bash", "-c",
		`ssh-keygen -Y verify -f "$SIGNERS" -I benchd -n "$NAMESPACE" -s "$SIGNATURE" <"$LIST"`)
}

// The release's key signs the checksums of all its files. Another list, another key and a signature for another purpose do not
// pass, and neither does a file that differs from the list by one byte.
func TestReleaseIsSigned(t *testing.T) {
	t.Parallel()
	dir := release(t)
	list, signature, allowed := filepath.Join(dir, "SHA256SUMS"), filepath.Join(dir, "SHA256SUMS.sig"), signers(t, filepath.Join(made, "key.pub"))
	out, err := verify(t, list, signature, allowed, "benchd-release")
	require.NoError(t, err, out)
	require.Contains(t, out, `Good "benchd-release" signature for benchd`)

	work := t.TempDir()
	changed := filepath.Join(work, "SHA256SUMS")
	require.NoError(t, os.WriteFile(changed, flip([]byte(read(t, list))), 0o600))
	other := filepath.Join(work, "other")
	require.NoError(t, os.WriteFile(other, []byte(read(t, list)), 0o600))
	key := signer(t, work)
	succeed(t, work, nil, "ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", "benchd-release", other)
	purpose := filepath.Join(work, "purpose")
	require.NoError(t, os.WriteFile(purpose, []byte(read(t, list)), 0o600))
	succeed(t, work, nil, "ssh-keygen", "-q", "-Y", "sign", "-f", filepath.Join(made, "key"), "-n", "git", purpose)
	for name, c := range map[string][2]string{
		"changed list":    {changed, signature},
		"other key":       {list, other + ".sig"},
		"other purpose":   {list, purpose + ".sig"},
		"other signature": {list, list},
	} {
		out, err := verify(t, c[0], c[1], allowed, "benchd-release")
		require.Error(t, err, "%s: %s", name, out)
	}

	files := strings.Count(read(t, list), "\n")
	require.Equal(t, 2*len(platforms)+1, files, "archives, bills of materials and the provenance")
	copied := filepath.Join(work, "copied")
	require.NoError(t, os.CopyFS(copied, os.DirFS(dir)))
	succeed(t, copied, nil, "sha256sum", "--check", "--strict", "SHA256SUMS")
	for line := range strings.Lines(read(t, list)) {
		path := filepath.Join(copied, strings.Fields(line)[1])
		whole := []byte(read(t, path))
		require.NoError(t, os.WriteFile(path, flip(whole), 0o600))
		out, err := command(t, copied, nil, "sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS")
		require.Error(t, err, path)
		require.Contains(t, out, filepath.Base(path)+": FAILED")
		require.NoError(t, os.WriteFile(path, whole, 0o600))
	}
}

// flip changes one bit in the middle of a file.
func flip(text []byte) []byte {
	changed := append([]byte(nil), text...)
	changed[len(changed)/2] ^= 1
	return changed
}

// A release that cannot be signed, and one whose check for vulnerabilities fails, is not built.
func TestReleaseNeedsItsKeyAndItsCheck(t *testing.T) {
	t.Parallel()
	into := filepath.Join(t.TempDir(), "out")
	out, err := command(t, root, []string{"RELEASE=" + into, "SIGN_KEY=" + filepath.Join(t.TempDir(), "none")}, "scripts/release", version)
	require.Error(t, err)
	require.Contains(t, out, "want the file of an SSH private key")
	require.NoDirExists(t, into)

	out, err = command(t, root, []string{"MAKEFLAGS=", "RELEASE=" + into}, "make", "release", "RELEASE_VERSION="+version,
		"SIGN_KEY="+filepath.Join(made, "key"), "VULNDB=file:///none")
	require.Error(t, err)
	require.Contains(t, out, "stat /none: no such file or directory")
	require.NoDirExists(t, into)
}
