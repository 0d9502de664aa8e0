package main

import (
	"bytes"
	"context"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/cli"
)

func TestAnArchiveThatCoordinatorsShareNeedsAnAddressForClients(t *testing.T) {
	const database = "postgres://benchd:hidden@db/benchd"
	for name, test := range map[string]struct {
		flags coordinatorFlags
		want  string // of the error; empty for none
	}{
		"none":                 {coordinatorFlags{listen: ":7070"}, ""},
		"a host":               {coordinatorFlags{archive: database, listen: "10.0.0.1:7070"}, ""},
		"all interfaces":       {coordinatorFlags{archive: database, listen: "0.0.0.0:7070"}, "--advertise is missing"},
		"no host":              {coordinatorFlags{archive: database, listen: ":7070"}, "--advertise is missing"},
		"a socket":             {coordinatorFlags{archive: database, listen: "unix:/run/benchd.sock"}, "--advertise is missing"},
		"all, advertised":      {coordinatorFlags{archive: database, listen: "[::]:7070", advertise: "a:7070"}, ""},
		"a bad address":        {coordinatorFlags{archive: database, listen: ":7070", advertise: "a"}, "not of the form HOST:PORT"},
		"advertises none":      {coordinatorFlags{archive: database, listen: ":7070", advertise: "0.0.0.0:7070"}, "it has no host that clients can connect to"},
		"advertises a port":    {coordinatorFlags{archive: database, listen: ":7070", advertise: ":7070"}, "it has no host that clients can connect to"},
		"an address alone":     {coordinatorFlags{listen: ":7070", advertise: "a:7070"}, "give --archive, too"},
		"another database":     {coordinatorFlags{archive: "mysql://benchd:hidden@db/benchd", listen: "a:1"}, "want postgres://USER@HOST:PORT/DATABASE"},
		"a directory":          {coordinatorFlags{archive: "/var/lib/hidden", listen: "a:1"}, "--data"},
		"a bad port":           {coordinatorFlags{archive: "postgres://benchd:hidden@db:port/benchd", listen: "a:1"}, "BENCHD_ARCHIVE: invalid URL"},
		"a bad setting":        {coordinatorFlags{archive: database + "?sslmode=strong", listen: "a:1"}, "BENCHD_ARCHIVE: invalid URL (sslmode is invalid): want postgres://USER@HOST:PORT/DATABASE"},
		"a part of a password": {coordinatorFlags{archive: "hidden", listen: "a:1"}, "want postgres://"},
	} {
		place := "BENCHD_ARCHIVE"
		if test.flags.archive == "" {
			place = "" // of a default
		}
		err := test.flags.checkArchive(place)
		if test.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, test.want, name)
		require.Equal(t, cli.Usage, cli.CodeOf(err), name)
		require.NotContains(t, err.Error(), "hidden", name)
	}
	flags := coordinatorFlags{listen: ":7070"}
	require.EqualError(t, flags.checkArchive("--archive"), "--archive is empty: give postgres://USER@HOST:PORT/DATABASE, or leave it out: the archive is in SQLite then, in the directory --data")
}

func TestStandbysReferClientsToAddressesThatTheyReach(t *testing.T) {
	listen := func(address string) net.Listener {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
		require.NoError(t, err)
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	rpc, web := listen("127.0.0.1:0"), listen("127.0.0.1:0")
	for name, test := range map[string]struct {
		listen, http, advertise string
		secured                 bool
		wantRPC, wantHTTP       string
	}{
		"one host":             {"10.0.0.1:0", "10.0.0.1:0", "", false, "10.0.0.1:" + portOf(rpc), "10.0.0.1:" + portOf(web)},
		"all interfaces":       {":0", "0.0.0.0:0", "a:7070", false, "a:7070", "a:" + portOf(web)},
		"TLS":                  {"a:0", ":0", "", true, "a:" + portOf(rpc), "https://a:" + portOf(web)},
		"HTTP for its machine": {":0", "127.0.0.1:0", "a:7070", true, "a:7070", ""},
		"HTTP elsewhere":       {"10.0.0.1:0", "10.1.0.1:0", "a:7070", false, "a:7070", "10.1.0.1:" + portOf(web)},
		"all on one machine":   {"127.0.0.1:0", "127.0.0.1:0", "", false, "127.0.0.1:" + portOf(rpc), "127.0.0.1:" + portOf(web)},
	} {
		f := coordinatorFlags{listen: test.listen, http: test.http, advertise: test.advertise}
		me := f.candidate(served{rpc: rpc, web: web, secured: test.secured})
		require.Equal(t, [2]string{test.wantRPC, test.wantHTTP}, [2]string{me.RPC, me.HTTP}, name)
		require.NotEmpty(t, me.Boot)
	}
}

func TestThePasswordOfTheArchiveIsNotPrinted(t *testing.T) {
	refused, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := refused.Addr().String()
	require.NoError(t, refused.Close())
	var warned []bool
	for i, url := range []string{"postgres://benchd:hidden@" + address + "/benchd", "postgres://benchd:hidden@" + address + "/%zz", "postgres://benchd:hidden@[::1/benchd"} {
		var out, errs bytes.Buffer
		err := program().Run(context.WithoutCancel(t.Context()), []string{"coordinator", "--archive", url, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", t.TempDir(), "--log-level", "debug"}, cli.Streams{Out: &out, Err: &errs})
		require.Error(t, err)
		require.Equal(t, []cli.Code{cli.Unavailable, cli.Usage, cli.Usage}[i], cli.CodeOf(err))
		require.NotContains(t, err.Error()+out.String()+errs.String(), "hidden")
		warned = append(warned, strings.Contains(errs.String(), "every user of this machine can read the password"))
	}
	require.Equal(t, []bool{true, false, false}, warned, "an invalid URL is refused")
}
