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
	Until    time.Time         // when the first certificate of Cert expires; zero if that is unknown
	CAUntil  time.Time         // when the first certificate of CA expires; zero if that is unknown
	KeyMode  fs.FileMode       // the permissions of Key; zero if they are unknown
	Err      error             // why a process cannot use the files
}

// Inspect reads the files of a process as Load does.
func Inspect(files Files, o Options) State {
	o.Registerer = nil
	state := State{Files: files}
	if info, err := os.Stat(files.Key); err == nil {
		state.KeyMode = info.Mode().Perm()
	}
	store, err := Load(files, o)
	if err != nil {
		state.Err = err
		return state
	}
	t := store.trust.Load()
	state.Identity, state.Until, state.CAUntil = t.id, t.expires, t.caUntil
	return state
}
