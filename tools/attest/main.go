// The command attest describes the archives of a release, for scripts/release:
//
//		attest -version VERSION -commit COMMIT -source FOLDER -go VERSION -out FOLDER NAME=TREE…
//
//	 1. For each archive NAME.tar.gz in the folder, unpacked as TREE, it writes NAME.cdx.json: a CycloneDX bill of materials of the
//	    programs below TREE/bin, and of the modules that Go compiled into them.
//	 2. It writes provenance.intoto.json: an in-toto statement with SLSA's provenance, which binds the digests of archives and bills
//	    to the commit, the version of Go and the settings of the build.
//
// The same archives give the same bytes: there is no time, serial number, path or user in them.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// repository is where the source of a release comes from.
const repository = "https://github.com/benchd/benchd"

// release is what the command line says of a release.
type release struct {
	version string // its name
	commit  string // the full hash
	source  string // the folder with the files of the commit
	golang  string // the version of Go that compiled it
	out     string // the folder with its archives
}

func main() {
	var r release
	flag.StringVar(&r.version, "version", "", "name of the release")
	flag.StringVar(&r.commit, "commit", "", "full hash of the commit")
	flag.StringVar(&r.source, "source", "", "folder with the files of the commit")
	flag.StringVar(&r.golang, "go", "", "version of Go that compiled the programs")
	flag.StringVar(&r.out, "out", "", "folder with the archives")
	flag.Parse()
	if err := r.attest(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "attest:", err)
		os.Exit(1)
	}
}

// attest writes the bill of each archive, then the provenance of all.
func (r *release) attest(archives []string) error {
	if r.version == "" || r.commit == "" || r.source == "" || r.golang == "" || r.out == "" || len(archives) == 0 {
		return errors.New("want -version, -commit, -source, -go, -out and NAME=TREE for each archive")
	}
	var subjects []descriptor
	for _, archive := range archives {
		name, tree, found := strings.Cut(archive, "=")
		if !found {
			return fmt.Errorf("invalid archive %q: want NAME=TREE", archive)
		}
		packed, err := digest(filepath.Join(r.out, name+".tar.gz"))
		if err != nil {
			return err
		}
		bill, err := r.bill(name, packed, filepath.Join(tree, "bin"))
		if err != nil {
			return err
		}
		file := name + ".cdx.json"
		if err := os.WriteFile(filepath.Join(r.out, file), bill, 0o644); err != nil {
			return fmt.Errorf("write bill: %w", err)
		}
		billed, err := digest(filepath.Join(r.out, file))
		if err != nil {
			return err
		}
		subjects = append(subjects, subject(name+".tar.gz", packed), subject(file, billed))
	}
	statement, err := r.provenance(subjects)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(statement, "", "  ")
	if err != nil {
		return fmt.Errorf("encode provenance: %w", err)
	}
	if err := os.WriteFile(filepath.Join(r.out, "provenance.intoto.json"), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write provenance: %w", err)
	}
	return nil
}

// digest is the SHA-256 of a file in hexadecimal digits.
func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("open file: %w", err)
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
