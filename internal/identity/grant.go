package identity

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Privilege is a kind of power that only an admin has, or a peer with a grant.
type Privilege string

// The privileges.
const (
	Drop  Privilege = "drop"  // deletes, empties or recreates a table
	Hook  Privilege = "hook"  // starts a command of an agent's operator
	Fault Privilege = "fault" // injects faults into a sandbox, or stops its servers
)

// Privileges returns all privileges.
func Privileges() []Privilege { return []Privilege{Drop, Hook, Fault} }

// Grant gives its owner a privilege on the objects whose names match a pattern, such as drop:benchd_*.
type Grant struct {
	Privilege Privilege
	Pattern   string // as of [path.Match]
}

// String returns the form that ParseGrant reads.
func (g Grant) String() string { return string(g.Privilege) + ":" + g.Pattern }

// ParseGrant reads a grant of the form PRIVILEGE:PATTERN.
func ParseGrant(text string) (Grant, error) {
	privilege, pattern, ok := strings.Cut(text, ":")
	g := Grant{Privilege: Privilege(privilege), Pattern: pattern}
	if !ok || pattern == "" || !slices.Contains(Privileges(), g.Privilege) {
		return Grant{}, fmt.Errorf("invalid grant %q: want drop:TABLE, hook:NAME or fault:KIND, with * for any characters, such as drop:benchd_*", text)
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return Grant{}, fmt.Errorf("invalid pattern of grant %q: %w", text, err)
	}
	return g, nil
}

// Has reports whether the identity has a privilege on the object of that name.
func (id Identity) Has(p Privilege, object string) bool {
	if id.Role == Admin || id.Role == Trusted {
		return true
	}
	return slices.ContainsFunc(id.Grants, func(g Grant) bool {
		ok, err := path.Match(g.Pattern, object)
		return g.Privilege == p && err == nil && ok
	})
}
