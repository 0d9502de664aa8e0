package spec

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/property"
)

// Attached returns the files that a submission with these resolved properties had as Attachments, by the names in the properties.
func (r *Reader) Attached(properties map[string]string) map[string][]byte {
	files := make(map[string][]byte)
	for _, f := range append(lengthFiles(), lengthFile{file: TraceFile, content: TraceCard}) {
		if name, content := properties[f.file], properties[f.content]; name != "" && content != "" {
			files[name] = []byte(content)
		}
	}
	target, _ := r.table.targets.Find(properties["db"])
	for _, a := range target.Attachments {
		name, value := properties[a.File], properties[a.Into]
		if name == "" || value == "" {
			continue
		}
		lines := strings.ReplaceAll(value, ",", "\n")
		for _, content := range []string{value, lines} {
			if again, err := a.Parse(content); err == nil && again == value {
				files[name] = []byte(content)
			}
		}
	}
	return files
}

// Same reports whether two names are those of one property.
func (r *Reader) Same(a, b string) bool {
	meaning := func(name string) string {
		k, _ := r.table.find(strings.TrimSpace(name))
		return cmp.Or(k.Of, k.Name, name)
	}
	return meaning(a) == meaning(b)
}

// WithoutSecrets returns a submission without the settings and files that may contain a secret, and the names of those. A submission that
// was accepted has references to secrets only, but an archive may come from elsewhere.
func (r *Reader) WithoutSecrets(s Submission) (Submission, []string) {
	var withheld []string
	secret := func(name, value string) bool {
		k, ok := r.table.find(strings.TrimSpace(name))
		if !ok || r.table.shown(k.Name, value) == value {
			return false
		}
		withheld = append(withheld, k.Name)
		return true
	}
	without := func(list []Setting) []Setting {
		return slices.DeleteFunc(slices.Clone(list), func(one Setting) bool { return secret(one.Key, one.Value) })
	}
	s.Properties, s.Flags = without(s.Properties), without(s.Flags)
	s.Files = slices.DeleteFunc(slices.Clone(s.Files), func(f File) bool {
		properties, _ := readProperties(f.Name, f.Content)
		found := false
		for _, p := range properties {
			found = secret(p.key, p.value) || found
		}
		if found {
			withheld = append(withheld, f.Name)
		}
		return found
	})
	if s.Suite != nil && r.suiteHasSecret(s) {
		withheld = append(withheld, s.Suite.Name)
		for _, name := range r.Includes(s) {
			s.Attachments = maps.Clone(s.Attachments)
			delete(s.Attachments, name)
		}
		s.Suite, s.Variables = nil, nil
	}
	slices.Sort(withheld)
	return s, slices.Compact(withheld)
}

// suiteHasSecret reports whether a suite file, or a value of its variables, is refused for a secret, or for too many mistakes to know.
func (r *Reader) suiteHasSecret(s Submission) bool {
	_, _, err := r.Parse(s)
	problems, _ := errors.AsType[property.Problems](err)
	return len(problems) > mostProblems || slices.ContainsFunc(problems, func(p property.Problem) bool {
		k, ok := r.table.find(strings.TrimSpace(p.Key))
		return ok && k.Kind == property.Secret
	})
}
