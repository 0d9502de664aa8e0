package pki

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/benchd/benchd/internal/identity"
)

const denyHead = `# Revoked certificates, written by ` + "`benchd pki revoke`" + `: SERIAL ROLE/NAME DATE REASON. * as serial is every certificate of the name.
`

// every is the serial of a line about every certificate of a name, past and future. An agent renews its certificate at its coordinator, so
// that its authority does not know the serial numbers.
const every = "*"

// Denial is a line of the deny list.
type Denial struct {
	Serial string // in hexadecimal, or * for every certificate of the identity
	Role   identity.Role
	Name   string
	Date   time.Time
	Reason string
}

// String returns the line.
func (d Denial) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s/%s %s %s", d.Serial, d.Role, d.Name, date(d.Date), d.Reason))
}

// Denials is a deny list.
type Denials []Denial

// ParseDenials reads a deny list. Empty lines and those that start with # are comments.
func ParseDenials(text string) (Denials, error) {
	var list Denials
	number := 0
	for line := range strings.Lines(text) {
		number++
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		d, err := parseDenial(fields)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		list = append(list, d)
	}
	return list, nil
}

func parseDenial(fields []string) (Denial, error) {
	if len(fields) < 3 {
		return Denial{}, errors.New("want SERIAL ROLE/NAME DATE REASON")
	}
	d := Denial{Serial: cleanSerial(fields[0]), Reason: strings.Join(fields[3:], " ")}
	if d.Serial != every && !isHex(d.Serial) {
		return Denial{}, fmt.Errorf("invalid serial number %q: want hexadecimal digits, or *", fields[0])
	}
	role, name, _ := strings.Cut(fields[1], "/")
	d.Role, d.Name = identity.Role(role), name
	if err := errors.Join(identity.CheckRole(d.Role), identity.CheckName(d.Name)); err != nil {
		return Denial{}, err
	}
	var err error
	if d.Date, err = time.Parse(time.RFC3339, fields[2]); err != nil {
		return Denial{}, fmt.Errorf("invalid date %q: want one such as 2026-03-01T14:00:00Z", fields[2])
	}
	return d, nil
}

// Find returns the line that revokes a certificate, or nil.
func (l Denials) Find(id identity.Identity) *Denial {
	for i, d := range l {
		if d.Serial == id.Serial && id.Serial != "" {
			return &l[i]
		}
	}
	return l.name(id)
}

// name returns the line that revokes every certificate of a name, or nil.
func (l Denials) name(id identity.Identity) *Denial {
	for i, d := range l {
		if d.Serial == every && d.Role == id.Role && d.Name == id.Name {
			return &l[i]
		}
	}
	return nil
}

// denials reads the deny list.
func (a *Authority) denials() (Denials, error) {
	path := filepath.Join(a.dir, RevokedFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errorf(ErrNoAuthority, "read deny list: %w: restore the file from a coordinator's copy; an empty file revokes nothing", err)
	}
	if err != nil {
		return nil, fmt.Errorf("read deny list: %w", err)
	}
	list, err := ParseDenials(string(text))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return list, nil
}

// cleanSerial returns a serial number as identity.Serial writes it, from the form of other programs.
func cleanSerial(s string) string {
	s = strings.ToLower(strings.ReplaceAll(s, ":", ""))
	if trimmed := strings.TrimLeft(s, "0"); trimmed != "" {
		return trimmed
	}
	return s
}

func isHex(s string) bool { return s != "" && strings.Trim(s, "0123456789abcdef") == "" }

// cleanReason makes a reason one line without control characters.
func cleanReason(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}
