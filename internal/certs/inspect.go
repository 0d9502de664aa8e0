package certs

import (
	"io/fs"
	"os"
	"time"

	"github.com/benchd/benchd/internal/identity"
)

// State is the state of the files of a process, for a diagnosis.
type State struct {
	Files    Files
	Identity identity.Identity // of Cert
	Life     time.Duration     // of Cert
	Until    time.Time         // when the first certificate of Cert expires; zero if that is unknown
	CAUntil  time.Time         // when the first certificate of CA expires; zero if that is unknown
	KeyMode  fs.FileMode       // the permissions of Key; zero if they are unknown
	Err      error             // why a process cannot use the files
}

// Inspect reads the files of a process as Load does.
func Inspect(files Files, o Options) State {
	o.Registerer = nil
	store, err := Load(files, o)
	if err != nil {
		return State{Files: files, KeyMode: keyMode(files), Err: err}
	}
	return store.State()
}

// State returns the state of the certificates in use.
func (s *Store) State() State {
	t := s.trust.Load()
	return State{Files: s.files, Identity: t.id, Life: t.life, Until: t.expires, CAUntil: t.caUntil, KeyMode: keyMode(s.files)}
}

func keyMode(files Files) fs.FileMode {
	info, err := os.Stat(files.Key)
	if err != nil {
		return 0
	}
	return info.Mode().Perm()
}
