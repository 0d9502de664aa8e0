package doctor

import (
	"errors"
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/clock"
)

// nameCertificate is the name of the finding on whether certificates can be used, and how long.
const nameCertificate = "certificate"

// today is the date of this machine.
func today() time.Time { return clock.NewSource(clock.Skew{}).Wall() }

// ExamineCertificates checks the certificates of a program.
func ExamineCertificates(s certs.State, now time.Time) []Finding {
	if s.Err != nil {
		on := s.Files.Cert
		if of, is := errors.AsType[*certs.FileError](s.Err); is {
			on = of.File
		}
		f := found(nameCertificate, "not usable: %v", s.Err).
			but(Bad, "issue a certificate with `benchd pki issue ROLE NAME`, and give its files with the CA's of the same installation").at(on)
		return append([]Finding{f}, checkKey(s)...)
	}
	findings := []Finding{checkExpiry(nameCertificate, s.Identity.String()+", ", s.Until.Sub(now), min(certs.ExpiryNotice, s.Life/3), s.Until, "issue another one with `benchd pki issue ROLE NAME`, and replace the file: running programs read it").at(s.Files.Cert)}
	findings = append(findings, checkExpiry("ca", "", s.CAUntil.Sub(now), certs.ExpiryNotice, s.CAUntil, "make another authority with `benchd pki init`, and let all programs accept both before certificates of the new one are used").at(s.Files.CA))
	return append(findings, checkKey(s)...)
}

// checkExpiry checks when certificates expire, which is reported when notice is left.
func checkExpiry(name, whose string, left, notice time.Duration, until time.Time, cure string) Finding {
	f := found(name, "%svalid until %s", whose, until.UTC().Format(time.RFC3339))
	switch {
	case left <= 0:
		f.Found = fmt.Sprintf("%sexpired on %s", whose, until.UTC().Format(time.RFC3339))
		return f.but(Bad, cure)
	case left < notice:
		f.Found += fmt.Sprintf(", for %d days", int(left/(24*time.Hour)))
		return f.but(Warn, cure)
	}
	return f
}

// checkKey checks who can read a private key. A group may: secrets of Kubernetes and systemd's credentials have one.
func checkKey(s certs.State) []Finding {
	if s.KeyMode == 0 {
		return nil
	}
	f := found("private_key", "mode %04o", s.KeyMode).at(s.Files.Key)
	if s.KeyMode&0o007 != 0 {
		return []Finding{f.but(Warn, "take the permissions of others with chmod o= "+s.Files.Key+", and issue another certificate if others use this machine: they can act as its owner")}
	}
	return []Finding{f}
}

// examineSecurity checks how a coordinator is protected.
func (p Peer) examineSecurity(now time.Time) []Finding {
	var findings []Finding
	for _, l := range p.Listeners {
		f := found("listener", "%s", l.Text).at("coordinator")
		if l.Open {
			f = f.but(Warn, "start the coordinator with --tls-cert, --tls-key and --tls-ca instead of --insecure: everyone on the network can read and control it")
		}
		findings = append(findings, f)
	}
	if !p.Expires.IsZero() {
		findings = append(findings, checkExpiry(nameCertificate, "", p.Expires.Sub(now), certs.ExpiryNotice, p.Expires, "issue another one with `benchd pki issue coordinator NAME`, and replace the coordinator's file: it reads it while it runs").at("coordinator"))
	}
	return findings
}
