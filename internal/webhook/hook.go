package webhook

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/notice"
	"github.com/benchd/benchd/internal/secret"
)

// Hook is one receiver.
type Hook struct {
	Name   string
	URL    string // or a reference to a secret, whose value is the URL
	Format Format
	Events []notice.Event
	// Suites are patterns of the names of suites, as path.Match reads them; none for all.
	Suites []string
	Tags   map[string]string // that a suite must have
	// Secret signs the deliveries; empty for no signature.
	Secret   secret.Ref
	CA       string // a file with the only authorities of the receiver's certificate; empty for those of the machine
	Timeout  time.Duration
	Insecure bool // it may use plain HTTP beyond this machine
}

// DefaultTimeout bounds a delivery from the connection to the end of the answer.
const DefaultTimeout = 10 * time.Second

// wants reports whether a hook gets a notice.
func (h *Hook) wants(n *notice.Notice) bool {
	if !slices.Contains(h.Events, n.Event) {
		return false
	}
	if len(h.Suites) > 0 && !slices.ContainsFunc(h.Suites, func(pattern string) bool {
		matches, _ := path.Match(pattern, n.Suite.Name) // the file's reader has checked the pattern
		return matches
	}) {
		return false
	}
	for key := range maps.Keys(h.Tags) {
		if n.Suite.Tags[key] != h.Tags[key] {
			return false
		}
	}
	return true
}

// Rules are the content of a file.
type Rules struct {
	// Link is the address of a page about a suite, with {suite} for its id; empty for none.
	Link  string
	Hooks []Hook

	folder  string // relative to which files are named
	secrets secret.Resolver
}

func (r *Rules) find(name string) *Hook {
	if i := slices.IndexFunc(r.Hooks, func(h Hook) bool { return h.Name == name }); i >= 0 {
		return &r.Hooks[i]
	}
	return nil
}

// want reports whether a hook gets notices of an event.
func (r *Rules) want(e notice.Event) bool {
	return slices.ContainsFunc(r.Hooks, func(h Hook) bool { return slices.Contains(h.Events, e) })
}

// isReference reports whether a text names a secret.
func isReference(text string) bool {
	return strings.HasPrefix(text, "file:") || strings.HasPrefix(text, "env:") || strings.HasPrefix(text, "credential:")
}

// reveal reads the secret of a reference. The file of a reference is in any folder: the operator who wrote the reference may read it.
func (r *Rules) reveal(ref secret.Ref) (secret.Value, error) {
	resolver := r.secrets
	if name, is := strings.CutPrefix(string(ref), "file:"); is {
		file := r.path(name)
		resolver.Folders, ref = []string{filepath.Dir(file)}, secret.Ref("file:"+filepath.Base(file))
	}
	return resolver.Resolve(ref)
}

// path returns the path of a file that the rules name.
func (r *Rules) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(r.folder, name)
}
