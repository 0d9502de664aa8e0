package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/benchd/benchd/internal/pki"
	"github.com/benchd/benchd/internal/suggest"
)

const (
	extension   = ".json"
	currentFile = "current" // has the name of the current profile

	privateFile   fs.FileMode = 0o600
	privateFolder fs.FileMode = 0o700
	ofOthers      fs.FileMode = 0o077 // the rights of other users
	ofWriters     fs.FileMode = 0o022 // their rights to change
)

// ErrNone means that there is no such profile.
var ErrNone = errors.New("no profile")

// UnsafeError reports a file or folder that other users can use.
type UnsafeError struct{ Path, Problem, Cure string }

// Error names the file, the problem and the cure.
func (e *UnsafeError) Error() string {
	return fmt.Sprintf("refuse %s: %s: %s", e.Path, e.Problem, e.Cure)
}

// ExitCode returns the exit code of a usage error.
func (*UnsafeError) ExitCode() int { return 2 }

// Folder is a folder of profiles. The zero value has none, and takes none.
type Folder struct{ dir string }

// In returns the folder of profiles at a path, which Write creates.
func In(dir string) Folder { return Folder{dir} }

// Path returns the path.
func (f Folder) Path() string { return f.dir }

func (f Folder) file(name string) string { return filepath.Join(f.dir, name+extension) }

// Write stores a profile; one of the same name is replaced.
func (f Folder) Write(p Profile) error {
	if err := CheckName(p.Name); err != nil {
		return err
	}
	if err := f.create(); err != nil {
		return err
	}
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return fmt.Errorf("write profile %s: %w", p.Name, err)
	}
	return pki.WriteFile(f.file(p.Name), append(text, '\n'), privateFile)
}

// create makes the folder, and takes the rights of other users from an existing one.
func (f Folder) create() error {
	if f.dir == "" {
		return errors.New("this user has no configuration folder: set HOME, or XDG_CONFIG_HOME to an absolute path")
	}
	if err := os.MkdirAll(f.dir, privateFolder); err != nil {
		return fmt.Errorf("create folder of profiles: %w: set XDG_CONFIG_HOME to a folder that this user can write to", err)
	}
	if err := os.Chmod(f.dir, privateFolder); err != nil {
		return fmt.Errorf("restrict folder of profiles: %w", err)
	}
	return nil
}

// Read returns a profile. Its error is ErrNone if there is none of this name, and of type *UnsafeError if other users can use it.
func (f Folder) Read(name string) (Profile, error) {
	if err := CheckName(name); err != nil {
		return Profile{}, err
	}
	p := Profile{Name: name, path: f.file(name)}
	text, err := f.read(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return Profile{}, f.unknown(name)
	}
	if err != nil && text == nil {
		return p, err
	}
	if broken := json.Unmarshal(text, &p); broken != nil && err == nil {
		err = fmt.Errorf("read profile %s: %w: log in again, or delete the file", p.path, broken)
	}
	if p.Address == "" && err == nil {
		err = fmt.Errorf("read profile %s: it has no address: log in again, or delete the file", p.path)
	}
	return p, err
}

// read reads a file. If other users can read or replace it, it returns an UnsafeError with the text.
func (f Folder) read(path string) ([]byte, error) {
	if f.dir == "" {
		return nil, fs.ErrNotExist
	}
	folder, err := os.Stat(f.dir)
	if err != nil {
		return nil, fmt.Errorf("open folder of profiles: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open profile: %w", err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("open profile: %w", err)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	if err := check(f.dir, folder, ofWriters, "chmod 700 "+f.dir); err != nil {
		return text, err
	}
	return text, check(path, info, ofOthers, "chmod 600 "+path+", and have its certificate revoked if its key may have been read")
}

// check refuses a file of another user, or one on which other users have some of these rights. Root may read the files of all.
func check(path string, info fs.FileInfo, rights fs.FileMode, cure string) error {
	if mode := info.Mode().Perm(); mode&rights != 0 {
		return &UnsafeError{Path: path, Problem: fmt.Sprintf("other users can use it (mode %04o)", mode), Cure: cure}
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if own := os.Geteuid(); ok && own != 0 && int64(stat.Uid) != int64(own) {
		return &UnsafeError{Path: path, Problem: "it belongs to another user", Cure: "set HOME or XDG_CONFIG_HOME to a folder of this user"}
	}
	return nil
}

// unknown names the profiles that there are where one is missing.
func (f Folder) unknown(name string) error {
	names, err := f.names()
	if err != nil {
		return err
	}
	switch near := suggest.Nearest(name, names); {
	case near != "":
		return fmt.Errorf("%w %q in %s; did you mean %q?", ErrNone, name, f.dir, near)
	case len(names) > 0:
		return fmt.Errorf("%w %q in %s (one of %s)", ErrNone, name, f.dir, strings.Join(names, ", "))
	}
	return fmt.Errorf("%w %q: this user has none; make one with `benchctl login HOST:PORT`", ErrNone, name)
}

// names returns the names of the profiles, sorted.
func (f Folder) names() ([]string, error) {
	if f.dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(f.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list profiles: %w", err)
	}
	var names []string
	for _, e := range entries {
		if name, is := strings.CutSuffix(e.Name(), extension); is && CheckName(name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Entry is a profile of a folder, or the error of one that cannot be used.
type Entry struct {
	Profile Profile
	Current bool
	Err     error
}

// List returns all profiles, by name.
func (f Folder) List() ([]Entry, error) {
	names, err := f.names()
	if err != nil {
		return nil, err
	}
	current, _ := f.Current() // its error is that of the folder, which each entry has
	list := make([]Entry, len(names))
	for i, name := range names {
		p, err := f.Read(name)
		list[i] = Entry{Profile: p, Current: name == current, Err: err}
	}
	return list, nil
}

// For returns the profile of an address, or of one of several addresses: the current one if it is of this address, else the first by name. Its
// error is ErrNone if there is none. The host localhost is 127.0.0.1.
func (f Folder) For(address string) (Profile, error) {
	list, err := f.List()
	if err != nil {
		return Profile{}, err
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return currentFirst(a) - currentFirst(b) })
	for _, e := range list {
		if e.Profile.At(address) {
			return e.Profile, e.Err
		}
	}
	return Profile{}, ErrNone
}

func currentFirst(e Entry) int {
	if e.Current {
		return 0
	}
	return 1
}

// Current returns the name of the current profile, or "".
func (f Folder) Current() (string, error) {
	text, err := f.read(filepath.Join(f.dir, currentFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	name := strings.TrimSpace(string(text))
	if CheckName(name) != nil {
		return "", err
	}
	if _, gone := os.Stat(f.file(name)); errors.Is(gone, fs.ErrNotExist) {
		return "", err
	}
	return name, err
}

// Use makes a profile the current one.
func (f Folder) Use(name string) error {
	if _, err := f.Read(name); err != nil {
		return err
	}
	return pki.WriteFile(filepath.Join(f.dir, currentFile), []byte(name+"\n"), privateFile)
}

// Remove deletes a profile. If it was the current one, there is none afterwards. Its error is ErrNone if there is none of this name.
func (f Folder) Remove(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	current, _ := f.Current() // a profile that is not safe can be removed, too
	err := os.Remove(f.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return f.unknown(name)
	}
	if err == nil && current == name {
		err = os.Remove(filepath.Join(f.dir, currentFile))
	}
	if err != nil {
		return fmt.Errorf("remove profile %s: %w", name, err)
	}
	return nil
}
