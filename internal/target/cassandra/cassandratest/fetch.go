package cassandratest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

const (
	jolokiaVersion = "2.1.2"
	cqlshVersion   = "6.2.2"
)

// cache returns a folder for files that are fetched once.
func cache(name string) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache: %w", err)
	}
	dir := filepath.Join(base, "benchd", name)
	return dir, os.MkdirAll(filepath.Dir(dir), 0o755)
}

// once makes a folder by work, unless it exists. Work gets a temporary one. Other processes wait.
func once(ctx context.Context, dir string, work func(ctx context.Context, into string) error) error {
	lock, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("lock %s: %w", dir, err)
	}
	defer func() { _ = lock.Close() }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", dir, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "complete")); err == nil {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove an incomplete folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	if err := work(ctx, dir); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "complete"), nil, 0o600)
}

// fetch returns the folder with Cassandra's jars and the Java agent of Jolokia, from Maven Central.
func fetch(ctx context.Context) (jars, jolokia string, err error) {
	dir, err := cache("cassandra-" + Version)
	if err != nil {
		return "", "", err
	}
	err = once(ctx, dir, func(ctx context.Context, into string) error {
		pom := filepath.Join(into, "pom.xml")
		if err := os.WriteFile(pom, []byte(project), 0o600); err != nil {
			return err
		}
		return command(ctx, "mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies", "-DoutputDirectory="+filepath.Join(into, "lib"))
	})
	if err != nil {
		return "", "", fmt.Errorf("fetch Cassandra %s: %w", Version, err)
	}
	lib := filepath.Join(dir, "lib")
	name := "jolokia-agent-jvm-" + jolokiaVersion + "-javaagent.jar"
	agents := filepath.Join(dir, "agent")
	if err := os.MkdirAll(agents, 0o755); err != nil {
		return "", "", fmt.Errorf("fetch Cassandra %s: %w", Version, err)
	}
	if _, err := os.Stat(filepath.Join(lib, name)); err == nil { // its classes are not Cassandra's
		if err := os.Rename(filepath.Join(lib, name), filepath.Join(agents, name)); err != nil {
			return "", "", fmt.Errorf("fetch Cassandra %s: %w", Version, err)
		}
	}
	return lib, filepath.Join(agents, name), nil
}

// project lists what Maven fetches.
const project = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>benchd</groupId><artifactId>cassandra</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.cassandra</groupId><artifactId>cassandra-all</artifactId><version>` + Version + `</version></dependency>
    <dependency><groupId>org.jolokia</groupId><artifactId>jolokia-agent-jvm</artifactId><version>` + jolokiaVersion + `</version><classifier>javaagent</classifier>
      <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions></dependency>
  </dependencies>
</project>
`

// cqlsh returns the program of Cassandra's own client, from PyPI.
func cqlsh(ctx context.Context) (string, error) {
	dir, err := cache("cqlsh-" + cqlshVersion)
	if err != nil {
		return "", err
	}
	err = once(ctx, dir, func(ctx context.Context, into string) error {
		if err := command(ctx, "python3", "-m", "venv", into); err != nil {
			return err
		}
		return command(ctx, filepath.Join(into, "bin", "pip"), "install", "-q", "cqlsh=="+cqlshVersion)
	})
	if err != nil {
		return "", fmt.Errorf("fetch cqlsh %s: %w", cqlshVersion, err)
	}
	return filepath.Join(dir, "bin", "cqlsh"), nil
}

// command runs a program and returns its output in the error.
func command(ctx context.Context, name string, args ...string) error {
	var out bytes.Buffer
	p := exec.CommandContext(ctx, name, args...)
	p.Stdout, p.Stderr = &out, &out
	if err := p.Run(); err != nil {
		return fmt.Errorf("run %s: %w: %s", name, err, tail(out.Bytes()))
	}
	return nil
}
