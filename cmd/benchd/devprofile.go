package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os/user"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/pki"
	"github.com/benchd/benchd/internal/profile"
)

// devUser returns the name of the user who starts this process, as a certificate can have it.
func devUser() string {
	u, err := user.Current()
	if err != nil || identity.CheckName(u.Username) != nil {
		return "dev"
	}
	return u.Username
}

// devProfile is the profile by which the user of benchd dev connects, while it runs.
type devProfile struct {
	folder profile.Folder
	own    profile.Profile
	log    *slog.Logger
}

// newDevProfile returns the profile of a coordinator at an address. The one of a process that was killed is superseded: it has the
// same name, that of the port.
func newDevProfile(address net.Addr, log *slog.Logger) *devProfile {
	p := &devProfile{folder: cli.Profiles(), log: log, own: profile.Profile{Address: address.String()}}
	if _, port, err := net.SplitHostPort(p.own.Address); err == nil {
		p.own.Name = "dev-" + port
	}
	return p
}

// write writes the profile with a certificate; it becomes the current one unless there is another. A user without a place for it
// only gets a warning.
func (p *devProfile) write(admin pki.Issued, root []byte) {
	p.own.CA, p.own.Certificate, p.own.Key = string(root), string(admin.Cert), string(admin.Key)
	if err := p.replace(); err != nil {
		p.log.Warn("no profile for benchctl was written: set XDG_CONFIG_HOME to a folder of this user, or start with --insecure", "error", err)
		return
	}
	p.log.Info("benchctl connects with a profile of this user, while this process runs", "profile", p.own.Name, "folder", p.folder.Path())
}

// replace writes the profile.
func (p *devProfile) replace() error {
	there, err := p.folder.Read(p.own.Name)
	if err == nil && there.Address != p.own.Address {
		return fmt.Errorf("profile %s is for the coordinator at %s", there.Name, there.Address)
	}
	if err := p.folder.Write(p.own); err != nil {
		return err
	}
	current, err := p.folder.Current()
	if err != nil || current != "" {
		return err
	}
	return p.folder.Use(p.own.Name)
}

// remove removes the profile, unless another process has replaced it.
func (p *devProfile) remove() {
	there, err := p.folder.Read(p.own.Name)
	if err == nil && there.Address == p.own.Address && there.Certificate == p.own.Certificate {
		err = p.folder.Remove(p.own.Name)
	}
	if err != nil && !errors.Is(err, profile.ErrNone) {
		p.log.Warn("the profile for benchctl was not removed", "profile", p.own.Name, "error", err)
	}
}

// removeStale removes the profile that a killed process has left for this address, with which benchctl would use TLS.
func (p *devProfile) removeStale() {
	if there, err := p.folder.Read(p.own.Name); err == nil && there.Address == p.own.Address {
		p.own = there
		p.remove()
	}
}
