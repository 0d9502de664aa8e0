package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// canary is a secret that must not appear anywhere.
const canary = "canary-e5a1b0"

func TestReferencesHaveOneOfThreeForms(t *testing.T) {
	for text, want := range map[string]Ref{
		"file:token":                       "file:token",
		"file:a/./b//token":                "file:a/b/token",
		"file:/etc/benchd/secrets/token":   "file:/etc/benchd/secrets/token",
		" env:BENCHD_SECRET_TOKEN ":        "env:BENCHD_SECRET_TOKEN",
		"credential:prometheus.token":      "credential:prometheus.token",
		"file:..data/token of the cluster": "file:..data/token of the cluster",
	} {
		got, err := Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
}

func TestATextThatIsNotAReferenceIsRefusedWithoutRepeatingIt(t *testing.T) {
	for _, form := range []string{
		"%s", "%s:x", "x:%s", "File:%s", "file:../%s", "file:a/../../%s", "file:%s/..", "file:%s/", "file:%s\nx", "file:\x1b%s", "file:" + strings.Repeat("x", 1000) + "%s",
		"env:%s", "env:PATH%s", "env:BENCHD_SECRET_%s", "env:xBENCHD_SECRET_%s", "credential:../%s", "credential:.%s", "credential:%s/x", "${%s}", "=%s",
	} {
		text := fmt.Sprintf(form, canary)
		_, err := Parse(text)
		require.Error(t, err, text)
		require.NotContains(t, err.Error(), canary)
		_, err = Resolver{Folders: []string{"/"}}.Resolve(Ref(text))
		require.Error(t, err, text)
		require.NotContains(t, err.Error(), canary)
	}
	for _, empty := range []string{"", " ", "file:", "file:.", "file:/", "file:..", "env:", "env:BENCHD_SECRET_", "credential:"} {
		_, err := Parse(empty)
		require.Error(t, err, empty)
	}
	_, err := Parse(canary)
	for _, form := range []string{"file:NAME", "env:BENCHD_SECRET_NAME", "credential:NAME"} {
		require.ErrorContains(t, err, form)
	}
}

func FuzzReference(f *testing.F) {
	for _, seed := range []string{"file:a/b", "file:../a", "env:BENCHD_SECRET_A", "credential:a", canary} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ref, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(string(ref))
		require.NoError(t, err)
		require.Equal(t, ref, again)
		if scheme, name := ref.split(); scheme == fileScheme && !filepath.IsAbs(name) {
			require.True(t, filepath.IsLocal(name))
		}
	})
}

func TestAValueDoesNotShowTheSecret(t *testing.T) {
	v := NewValue(canary)
	type holder struct {
		Inner Value
		inner Value
	}
	h := holder{v, v}
	r := Resolver{Variables: map[string]Value{"BENCHD_SECRET_A": v}}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T", "%20s", "%p"} {
		fmt.Fprintf(&out, verb, v)
		fmt.Fprintf(&out, verb, &v)
		fmt.Fprintf(&out, verb, h)
		fmt.Fprintf(&out, verb, r)
	}
	fmt.Fprintln(&out, v, h, fmt.Errorf("wrapped: %v", v))
	for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(handler).Info("message", "value", v, "pointer", &v, "holder", h, "resolver", r)
	}
	encoded, err := json.Marshal(map[string]any{"value": v, "holder": h, "resolver": r})
	require.NoError(t, err)
	out.Write(encoded)
	// What a failed assertion prints by reflection.
	failure := &failed{}
	require.Equal(failure, []any{holder{Inner: NewValue("other")}}, []any{1, h})
	out.WriteString(failure.text)
	require.NotEmpty(t, failure.text)

	require.NotContains(t, out.String(), canary)
	require.NotContains(t, out.String(), fmt.Sprintf("%x", canary))
	require.Contains(t, out.String(), "(secret)")
	require.Equal(t, canary, v.Reveal())
	require.Empty(t, Value{}.Reveal())
	require.Equal(t, "(secret)", Value{}.String())
}

// failed records the text of a failed assertion.
type failed struct{ text string }

func (f *failed) Errorf(format string, args ...any) { f.text += fmt.Sprintf(format, args...) }
func (*failed) FailNow()                            {}

func write(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
	require.NoError(t, os.WriteFile(path, []byte(content), mode))
	require.NoError(t, os.Chmod(path, mode))
}

func TestSecretsAreReadFromWhatTheOperatorReleases(t *testing.T) {
	first, second, unit := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, filepath.Join(first, "token"), "one\n", 0o600)
	write(t, filepath.Join(second, "token"), "two", 0o600)
	write(t, filepath.Join(second, "prometheus", "password"), " with blanks \r\n", 0o440)
	write(t, filepath.Join(second, "lines"), "a\nb\n\n", 0o400)
	write(t, filepath.Join(second, "long"), strings.Repeat("x", maxSecret), 0o400)
	write(t, filepath.Join(unit, "token"), "of the unit\n", 0o400)
	// As Kubernetes mounts a Secret.
	write(t, filepath.Join(second, "..2026_11_24", "rotated"), "new\n", 0o440)
	require.NoError(t, os.Symlink("..2026_11_24", filepath.Join(second, "..data")))
	require.NoError(t, os.Symlink("..data/rotated", filepath.Join(second, "rotated")))

	r := Resolver{
		Folders: []string{first, second}, Credentials: unit,
		Variables: map[string]Value{"BENCHD_SECRET_TOKEN": NewValue("of the environment")},
	}
	require.NoError(t, r.Check())
	for ref, want := range map[Ref]string{
		"file:token":                     "one",
		Ref("file:" + second + "/token"): "two",
		"file:prometheus/password":       " with blanks ",
		"file:lines":                     "a\nb\n",
		"file:long":                      strings.Repeat("x", maxSecret),
		"file:rotated":                   "new",
		Ref("file:" + second + "//./..data/rotated"): "new",
		"env:BENCHD_SECRET_TOKEN":                    "of the environment",
		"credential:token":                           "of the unit",
	} {
		v, err := r.Resolve(ref)
		require.NoError(t, err, ref)
		require.Equal(t, want, v.Reveal(), ref)
	}
}

func TestNothingElseOfTheMachineCanBeRead(t *testing.T) {
	base := t.TempDir()
	folder, unit := filepath.Join(base, "secrets"), filepath.Join(base, "unit")
	write(t, filepath.Join(base, "outside"), canary, 0o600)
	write(t, filepath.Join(base, "secrets-of-another", "token"), canary, 0o600)
	write(t, filepath.Join(folder, "everyone"), canary, 0o604)
	write(t, filepath.Join(folder, "empty"), "\n", 0o600)
	write(t, filepath.Join(folder, "long"), strings.Repeat("x", maxSecret+1), 0o600)
	write(t, filepath.Join(unit, "token"), canary, 0o600)
	require.NoError(t, os.Mkdir(filepath.Join(folder, "folder"), 0o750))
	require.NoError(t, os.Symlink(filepath.Join(base, "outside"), filepath.Join(folder, "absolute")))
	require.NoError(t, os.Symlink("../outside", filepath.Join(folder, "relative")))
	require.NoError(t, os.Symlink("..", filepath.Join(folder, "up")))
	require.NoError(t, os.Symlink("../outside", filepath.Join(unit, "link")))
	socket, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(folder, "socket"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, socket.Close()) })
	t.Setenv("BENCHD_SECRET_NOT_TAKEN", canary) // a resolver knows only the variables that it was given

	r := Resolver{Folders: []string{folder}, Credentials: unit, Variables: map[string]Value{"BENCHD_SECRET_EMPTY": NewValue("")}}
	for _, test := range []struct {
		resolver Resolver
		ref      Ref
		problem  string
	}{
		{r, "file:missing", "no such file in " + folder},
		{r, Ref("file:" + base + "/outside"), "outside of " + folder},
		{r, Ref("file:" + base + "/secrets-of-another/token"), "outside of " + folder},
		{r, "file:/etc/passwd", "outside of " + folder},
		{r, "file:absolute", "escapes"},
		{r, "file:relative", "escapes"},
		{r, "file:up/outside", "escapes"},
		{r, "file:folder", "not a regular file"},
		{r, "file:socket", "resolve file:socket"},
		{r, "file:everyone", "chmod o="},
		{r, "file:empty", "empty"},
		{r, "file:long", "64 KiB"},
		{r, "env:BENCHD_SECRET_NOT_TAKEN", "no such variable"},
		{r, "env:BENCHD_SECRET_EMPTY", "no such variable"},
		{r, "env:PATH", Prefix},
		{r, "credential:link", "escapes"},
		{r, "credential:missing", "no such file"},
		{Resolver{}, "file:token", "--secrets"},
		{Resolver{}, Ref("file:" + folder + "/everyone"), "--secrets"},
		{Resolver{}, "env:BENCHD_SECRET_NOT_TAKEN", "no such variable"},
		{Resolver{}, "credential:token", "LoadCredential="},
	} {
		v, err := test.resolver.Resolve(test.ref)
		require.ErrorContains(t, err, test.problem, test.ref)
		require.NotContains(t, err.Error(), canary)
		require.Empty(t, v.Reveal())
	}
}

func TestAFolderOfSecretsThatOthersCanChangeIsRefused(t *testing.T) {
	base := t.TempDir()
	open, file := filepath.Join(base, "open"), filepath.Join(base, "file")
	require.NoError(t, os.Mkdir(open, 0o750))
	require.NoError(t, os.Chmod(open, 0o777))
	write(t, file, "x", 0o600)
	for folder, problem := range map[string]string{open: "chmod o-w", file: "is a file", filepath.Join(base, "missing"): "no such file"} {
		require.ErrorContains(t, Resolver{Folders: []string{folder}}.Check(), problem)
	}
}
