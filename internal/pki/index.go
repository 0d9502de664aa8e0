package pki

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/benchd/benchd/internal/identity"
)

// Record is a certificate, or a join token, that an authority issued.
type Record struct {
	Serial string        `json:"serial,omitempty"` // in hexadecimal; empty for a token
	Token  string        `json:"token,omitempty"`  // the ID of a join token
	Role   identity.Role `json:"role"`
	Name   string        `json:"name"`
	Grants []string      `json:"grants,omitempty"`
	Hosts  []string      `json:"hosts,omitempty"`
	From   time.Time     `json:"from"`
	Until  time.Time     `json:"until"`
	// Revoked is the line of the deny list, or nil.
	Revoked *Denial `json:"-"`
}

func recordOf(id identity.Identity, c *x509.Certificate) Record {
	r := Record{Serial: identity.Serial(c), Role: id.Role, Name: id.Name, Hosts: c.DNSNames, From: c.NotBefore.UTC(), Until: c.NotAfter.UTC()}
	for _, g := range id.Grants {
		r.Grants = append(r.Grants, g.String())
	}
	for _, ip := range c.IPAddresses {
		r.Hosts = append(r.Hosts, ip.String())
	}
	return r
}

// record adds a record to the list, unless the name was revoked.
func (a *Authority) record(id identity.Identity, r Record) error {
	return Locked(a.dir, func() error {
		denied, err := a.denials()
		if err != nil {
			return err
		}
		if d := denied.name(id); d != nil {
			return errorf(ErrInput, "%s/%s was revoked on %s with all certificates that it will ever have: give another name, or remove its line from %s and from the coordinators' copies",
				id.Role, id.Name, date(d.Date), filepath.Join(a.dir, RevokedFile))
		}
		j, err := openJournal(filepath.Join(a.dir, IssuedFile), func([]byte) error { return nil })
		if err != nil {
			return err
		}
		return errors.Join(j.add(r), j.close())
	})
}

// List returns all records, the oldest first.
func (a *Authority) List() ([]Record, error) {
	path := filepath.Join(a.dir, IssuedFile)
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list certificates: %w", err)
	}
	denied, err := a.denials()
	if err != nil {
		return nil, err
	}
	var list []Record
	err = eachLine(path, content, func(line []byte) error {
		var r Record
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		r.Revoked = denied.Find(identity.Identity{Role: r.Role, Name: r.Name, Serial: r.Serial})
		list = append(list, r)
		return nil
	})
	return list, err
}
