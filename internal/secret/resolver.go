package secret

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxSecret is the maximum size of a secret in bytes.
const maxSecret = 64 << 10

// othersAll are the permissions of users who are neither the owner of a file nor in its group.
const othersAll fs.FileMode = 0o007

// Resolver reads the secrets that the operator of an agent has released. The zero Resolver has none.
type Resolver struct {
	// Folders are the folders of files that file: may name. Links within a folder are followed, those that leave it are not.
	Folders []string
	// Variables are the environment variables that env: may name.
	Variables map[string]Value
	// Credentials is the folder in which systemd puts the credentials of the agent's unit; empty without any.
	Credentials string
}

// Check checks the folders.
func (r Resolver) Check() error {
	for _, folder := range r.Folders {
		info, err := os.Stat(folder)
		switch {
		case err != nil:
			return fmt.Errorf("open the folder of secrets: %w", err)
		case !info.IsDir():
			return fmt.Errorf("open the folder of secrets: %s is a file: give the folder that contains it", folder)
		case info.Mode().Perm()&0o002 != 0:
			return fmt.Errorf("every user of this machine can replace the secrets in %s: run chmod o-w %s", folder, folder)
		}
	}
	return nil
}

// Resolve reads a secret. The line feed at the end of a file is not part of the secret.
func (r Resolver) Resolve(ref Ref) (Value, error) {
	ref, err := Parse(string(ref))
	if err != nil {
		return Value{}, err
	}
	v, err := r.read(ref)
	if err != nil {
		return Value{}, fmt.Errorf("resolve %s: %w", ref, err)
	}
	return v, nil
}

// Property reads the secret that a property refers to. An unset property is an empty secret.
func (r Resolver) Property(properties map[string]string, name string) (Value, error) {
	ref := properties[name]
	if ref == "" {
		return Value{}, nil
	}
	v, err := r.Resolve(Ref(ref))
	if err != nil {
		return Value{}, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

func (r Resolver) read(ref Ref) (Value, error) {
	switch scheme, name := ref.split(); scheme {
	case envScheme:
		v, ok := r.Variables[name]
		if !ok || v.Reveal() == "" {
			return Value{}, errors.New("the agent has no such variable, or an empty one; set it in the environment of benchd agent")
		}
		return v, nil
	case credentialScheme:
		if r.Credentials == "" {
			return Value{}, errors.New("the agent has no credentials; add LoadCredential= to its systemd unit")
		}
		return readFile(r.Credentials, name)
	default:
		return r.file(filepath.FromSlash(name))
	}
}

// file reads a file by its path in one of the folders, or by its absolute path.
func (r Resolver) file(name string) (Value, error) {
	if len(r.Folders) == 0 {
		return Value{}, errors.New("the agent releases no files; start it with --secrets and the folder that contains the file")
	}
	absolute := filepath.IsAbs(name)
	for _, folder := range r.Folders {
		within := name
		if absolute {
			root, err := filepath.Abs(folder)
			if err != nil {
				return Value{}, err
			}
			if within, err = filepath.Rel(root, name); err != nil || !filepath.IsLocal(within) {
				continue
			}
		}
		v, err := readFile(folder, within)
		if errors.Is(err, fs.ErrNotExist) && !absolute {
			continue
		}
		return v, err
	}
	if absolute {
		return Value{}, fmt.Errorf("the file is outside of %s, the only folders that the agent releases with --secrets", strings.Join(r.Folders, " and "))
	}
	return Value{}, fmt.Errorf("no such file in %s; add it, or start the agent with --secrets and its folder", strings.Join(r.Folders, " and "))
}

// readFile reads a file in a folder.
func readFile(folder, name string) (v Value, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return Value{}, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	// A pipe without a writer would block.
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Value{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return Value{}, err
	case !info.Mode().IsRegular():
		return Value{}, errors.New("it is not a regular file")
	case info.Mode().Perm()&othersAll != 0:
		return Value{}, fmt.Errorf("every user of the agent's machine has access to the file (mode %04o); run chmod o= on it, or set defaultMode: 0440 for a Secret of Kubernetes", info.Mode().Perm())
	}
	content, err := io.ReadAll(io.LimitReader(file, maxSecret+1))
	switch {
	case err != nil:
		return Value{}, err
	case len(content) > maxSecret:
		return Value{}, fmt.Errorf("the file is longer than %d KiB, the maximum of a secret", maxSecret>>10)
	}
	text, ended := strings.CutSuffix(string(content), "\n")
	if ended {
		text = strings.TrimSuffix(text, "\r")
	}
	if text == "" {
		return Value{}, errors.New("the file is empty")
	}
	return NewValue(text), nil
}
