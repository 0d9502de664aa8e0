package certs

import (
	"strings"
	"testing"

	"github.com/benchd/benchd/internal/identity"
)

// FuzzRevoked checks that a list has a valid serial number for each of its lines, or is refused with a place.
func FuzzRevoked(f *testing.F) {
	for _, seed := range []string{"", "beef", "# x\n\nAB:CD agent/a 2026-11-24 lost\r\n", "* agent/a 2026-11-24", "*", "* agent/", "* trusted/a", "-1", "0x10", "beef\x00", strings.Repeat("f", 70000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseRevoked("revoked", []byte(text))
		if err != nil {
			if list != nil || !strings.Contains(err.Error(), "revoked: ") {
				t.Fatalf("%v, %v", list, err)
			}
			return
		}
		for serial := range list {
			if role, name, is := strings.Cut(serial, "/"); is {
				if identity.CheckRole(identity.Role(role)) != nil || identity.CheckName(name) != nil {
					t.Errorf("peer %q", serial)
				}
				continue
			}
			if serial == "" || strings.Trim(serial, "0123456789abcdef") != "" {
				t.Errorf("serial number %q", serial)
			}
		}
		if len(list) > strings.Count(text, "\n")+1 {
			t.Errorf("%d entries of %q", len(list), text)
		}
	})
}
