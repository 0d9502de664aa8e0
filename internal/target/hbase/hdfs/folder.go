// Package hdfs writes files into a folder of HDFS, from which servers load them.
//
//  1. Open connects to a namenode under the agent's rules for addresses, and makes the folder, which everybody may write to.
//  2. Create makes a file of it; Close of the file waits until HDFS has all of it. Several goroutines may write files.
//  3. Remove removes a file, and Close the folder with what is left in it.
//
// The protocol is that of colinmarc/hdfs, which takes no context and has no time limits: here each read and write of a connection has
// one, Close ends what is still connected, and no server makes it take memory by the length that it announces. Kerberos and encrypted transfer are refused. Errors name the cure.
package hdfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"github.com/benchd/benchd/internal/outbound"
)

// Config is where a folder is, and who writes to it.
type Config struct {
	Namenodes []string // HOST:PORT; with high availability all of them
	Hostnames bool     // connect to datanodes by the names that they report
	User      string
	Top       string // a folder that exists
	Way       string // from Top to the folder
	Dial      *outbound.Dialer
	Timeout   time.Duration // of a connection, a read and a write
}

// Folder is a folder of files.
type Folder struct {
	config Config
	path   string
	client *hdfs.Client
	conns  *conns
	files  hdfs.ServerDefaults
	closed chan struct{}
}

// Open makes a folder. It returns within a few times the limit of time of the config.
func Open(ctx context.Context, c Config) (*Folder, error) {
	for _, address := range c.Namenodes {
		if err := c.Dial.Named("hbase.bulkload.directory").Check(ctx, address); err != nil {
			return nil, err //nolint:wrapcheck // it has the cure
		}
	}
	f := &Folder{config: c, path: path.Join(c.Top, c.Way), conns: newConns(c.Dial, c.Timeout), closed: make(chan struct{})}
	client, err := hdfs.NewClient(hdfs.ClientOptions{
		Addresses: c.Namenodes, User: c.User, UseDatanodeHostname: c.Hostnames,
		NamenodeDialFunc: f.conns.dial("hbase.bulkload.directory", ofNamenode), DatanodeDialFunc: f.conns.dial("the namenode", ofDatanode),
	})
	if err != nil {
		return nil, errors.Join(f.explain(err), f.conns.close())
	}
	f.client = client
	if err := f.prepare(); err != nil {
		return nil, errors.Join(err, f.disconnect())
	}
	return f, nil
}

// everybody is the mode of folders and files: servers move the files away, as another user.
const everybody = 0o777

func (f *Folder) prepare() error {
	var err error
	if f.files, err = f.client.ServerDefaults(); err != nil { // it also keeps them, before goroutines ask for them
		return f.explain(err)
	}
	if f.files.EncryptDataTransfer {
		return errors.New("this HDFS encrypts what datanodes receive (dfs.encrypt.data.transfer), which benchd does not do; load with hbase.load.method=put")
	}
	info, err := f.client.Stat(f.config.Top)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s, the folder of --write-below, does not exist in HDFS: make it (hdfs dfs -mkdir), with permission to write for user %s", f.config.Top, f.config.User)
	case err != nil:
		return f.explain(err)
	case !info.IsDir():
		return fmt.Errorf("%s, the folder of --write-below, is a file", f.config.Top)
	}
	if err := f.client.MkdirAll(f.path, everybody); err != nil {
		return f.explain(err)
	}
	if status, ok := info.Sys().(*hdfs.FileStatus); ok && status.GetEcPolicy() != nil {
		return errors.Join(fmt.Errorf("%s is erasure-coded, which benchd cannot write: name a folder with replicated files", f.config.Top), f.client.RemoveAll(f.path))
	}
	return nil
}

// Create makes a file, which every user may write to.
func (f *Folder) Create(name string) (io.WriteCloser, error) {
	w, err := f.client.CreateFile(path.Join(f.path, name), f.files.Replication, f.files.BlockSize, everybody)
	if err != nil {
		return nil, f.explain(err)
	}
	return &file{f, w}, nil
}

// Remove removes a file, if it exists.
func (f *Folder) Remove(name string) error {
	if err := f.client.Remove(path.Join(f.path, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f.explain(err)
	}
	return nil
}

// Close removes the folder and ends all connections.
func (f *Folder) Close() error {
	err := f.client.RemoveAll(f.path)
	if err != nil {
		err = f.explain(err)
	}
	return errors.Join(err, f.disconnect())
}

func (f *Folder) disconnect() error {
	close(f.closed)
	return errors.Join(f.client.Close(), f.conns.close())
}

// file is a file that is being written.
type file struct {
	folder *Folder
	w      *hdfs.FileWriter
}

// Write writes bytes. It is called with large buffers: each call is at least one packet.
func (w *file) Write(b []byte) (int, error) {
	n, err := w.w.Write(b)
	if err != nil {
		err = w.folder.explain(err)
	}
	return n, err
}

// Close waits until HDFS has enough copies of the file.
func (w *file) Close() error {
	end := time.Now().Add(w.folder.config.Timeout)
	for pause := time.Millisecond; ; pause = min(2*pause, 500*time.Millisecond) {
		err := w.w.Close()
		if err == nil {
			return nil
		}
		if !hdfs.IsErrReplicating(err) || time.Now().After(end) {
			return w.folder.explain(err)
		}
		select {
		case <-time.After(pause):
		case <-w.folder.closed:
			return w.folder.explain(err)
		}
	}
}
