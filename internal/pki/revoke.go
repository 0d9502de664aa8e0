package pki

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/suggest"
)

// maxReason bounds the reason of a revocation.
const maxReason = 200

// Revoke adds all live certificates of a name, ROLE/NAME or serial number to the deny list, and returns the new lines. For an agent it
// adds the name, because the coordinator renews the certificates of agents.
func (a *Authority) Revoke(who, reason string) (Denials, error) {
	if len(reason) > maxReason {
		return nil, errorf(ErrInput, "reason of a revocation: %d bytes; the maximum is %d", len(reason), maxReason)
	}
	var added Denials
	err := Locked(a.dir, func() error {
		found, err := a.find(who)
		if err != nil {
			return err
		}
		for _, r := range found {
			d := Denial{Serial: r.Serial, Role: r.Role, Name: r.Name, Date: a.now().UTC().Truncate(1e9), Reason: cleanReason(reason)}
			if r.Role == identity.Agent {
				d.Serial = every
			}
			if !slices.Contains(added, d) {
				added = append(added, d)
			}
		}
		return a.deny(added)
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

// deny adds lines to the deny list.
func (a *Authority) deny(added Denials) error {
	path := filepath.Join(a.dir, RevokedFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read deny list: %w", err)
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	for _, d := range added {
		text = append(text, d.String()+"\n"...)
	}
	return WriteFile(path, text, public)
}

// find returns the records to revoke.
func (a *Authority) find(who string) ([]Record, error) {
	list, err := a.List()
	if err != nil {
		return nil, err
	}
	role, name, byRole := strings.Cut(who, "/")
	if byRole {
		if err := identity.CheckRole(identity.Role(role)); err != nil {
			return nil, errorf(ErrInput, "%w", err)
		}
		if err := identity.CheckName(name); err != nil {
			return nil, errorf(ErrInput, "%w", err)
		}
	} else {
		role, name = "", who
	}
	var live, past []Record
	for _, r := range list {
		named := r.Name == name && (role == "" || string(r.Role) == role)
		if !named && (byRole || r.Serial == "" || r.Serial != cleanSerial(who)) {
			continue
		}
		// An agent may have renewed its certificate, or joined by its token, before that one expired.
		if r.Revoked == nil && (r.Role == identity.Agent || r.Until.After(a.now())) {
			live = append(live, r)
		} else {
			past = append(past, r)
		}
	}
	switch {
	case len(live) > 0:
		return live, nil
	case len(past) > 0:
		return nil, errorf(ErrUnknown, "revoke %s: nothing is left to revoke: %s", who, past[len(past)-1].state())
	case identity.Role(role) == identity.Agent: // its token may have been made elsewhere, by its coordinator
		return a.elsewhere(name)
	}
	return nil, a.unknown(who, list)
}

// elsewhere returns the record of an agent that this authority does not know.
func (a *Authority) elsewhere(name string) ([]Record, error) {
	denied, err := a.denials()
	if err != nil {
		return nil, err
	}
	r := Record{Role: identity.Agent, Name: name}
	if r.Revoked = denied.name(identity.Identity{Role: r.Role, Name: name}); r.Revoked != nil {
		return nil, errorf(ErrUnknown, "revoke agent/%s: nothing is left to revoke: %s", name, r.state())
	}
	return []Record{r}, nil
}

// state describes a record that is no longer valid.
func (r Record) state() string {
	if r.Revoked != nil {
		return fmt.Sprintf("%s/%s was revoked on %s", r.Role, r.Name, date(r.Revoked.Date))
	}
	return fmt.Sprintf("the last certificate of %s/%s expired on %s", r.Role, r.Name, date(r.Until))
}

// unknown is the error of a name or serial number under which nothing was issued.
func (a *Authority) unknown(who string, list []Record) error {
	var names []string
	for _, r := range list {
		names = append(names, r.Name, fmt.Sprintf("%s/%s", r.Role, r.Name))
	}
	near := suggest.Close(who, names)
	_, name, _ := strings.Cut(who, "/")
	if i := slices.IndexFunc(list, func(r Record) bool { return r.Name == name }); i >= 0 { // under another role
		near = fmt.Sprintf("%s/%s", list[i].Role, name)
	}
	if near != "" {
		return errorf(ErrUnknown, "revoke %s: nothing was issued under that name or serial number; did you mean %s?", who, near)
	}
	return errorf(ErrUnknown, "revoke %s: nothing was issued under that name or serial number: see `benchd pki list --dir %s`; an agent whose token was made elsewhere is revoked as agent/NAME", who, a.dir)
}
