package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/agent"
	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/doctor"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/wire"
)

type doctorFlags struct {
	coordinator, listen, http, data string
	metrics, spool                  string
	db                              string
	sites                           *cli.SiteFlags
	properties                      config.Pairs
	credential                      *cli.CredentialFlags
	allow, secrets                  []string
	insecure                        bool
	tls                             *cli.TLSFlags
	output                          string
}

func doctorCommand(known target.List) cli.Command {
	f := doctorFlags{output: "table"}
	targets := known.Descriptors()
	example := targets.Example()
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check this machine, and the connections to coordinator and target",
		Long: `Doctor checks this machine: clock, file limit, idle CPU, CPU governor and idle states, memory, network interfaces, free disk,
ports, and the certificates of --tls-cert and --tls-ca. With --coordinator it checks the machine of an agent: the coordinator
must answer, the agent must accept the spool, and the offset to the coordinator's clock is reported, with the listeners that
--insecure leaves open and the end of its certificates. Without it, the machine of a coordinator: it checks --listen, --http
and --data. With --db it opens the target, as an agent does for a run. Doctor changes nothing and writes nothing.

Each finding has a verdict: ok, unknown (it cannot be determined here), warn (figures may suffer) or bad (runs would fail,
or their figures be worthless). Findings that need a cure name it. The exit code is 0 if no finding is bad, 5 if
coordinator, target or a port cannot be reached or used, and 1 if another finding is bad.`,
		Example: `  benchd doctor                                              # as a coordinator's machine
  benchd doctor --coordinator 10.0.0.1:7070 --insecure       # as an agent's
  benchd doctor --coordinator 127.0.0.1:7070 --db ` + example.Name + ` -p ` + example.Where + `
  benchd doctor -o json | jq -r '.findings[] | select(.verdict == "bad").cure'`,
	}
	fs := cmd.Flags()
	fs.StringVar(&f.coordinator, "coordinator", "", "`HOST:PORT` of the coordinator, or of all that share its archive, separated by commas; or unix:PATH of its socket; for the machine of an agent")
	fs.StringVar(&f.listen, "listen", "127.0.0.1:7070", "gRPC `HOST:PORT` of a coordinator on this machine, or unix:PATH of its socket")
	fs.StringVar(&f.http, "http", "127.0.0.1:7071", "HTTP `HOST:PORT` of a coordinator on this machine")
	fs.StringVar(&f.data, "data", "benchd-data", "`DIR` of the archive of a coordinator on this machine")
	fs.StringVar(&f.metrics, "metrics-listen", "127.0.0.1:0", "HTTP `HOST:PORT` of an agent's metrics")
	fs.StringVar(&f.spool, "spool", "", "`DIR` of an agent's spool; default is that of `benchd agent`")
	config.Enum(cmd, &f.db, "db", "", "open this `TARGET`, as an agent would", known.Names()...)
	config.PairsVar(fs, &f.properties, "property", "p", "set a property of the target, such as "+example.Where+"; repeatable")
	f.sites = cli.AddSiteFlags(cmd, targets, "-p overrides it")
	f.credential = cli.AddCredentialFlags(cmd, f.sites)
	f.tls = cli.AddTLSFlags(cmd, identity.Agent, identity.Coordinator)
	cli.AllowTargetFlag(cmd, &f.allow)
	cli.SecretsFlag(cmd, &f.secrets)
	insecureFlag(cmd, &f.insecure, "connect and listen beyond this machine")
	config.Enum(cmd, &f.output, "output", "o", "output format", "table", "json")
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, _ []string) error {
		return runDoctor(ctx, c, cmd, known, &f)
	}}
}

func runDoctor(ctx context.Context, c *cli.Context, cmd *cobra.Command, targets target.List, f *doctorFlags) error {
	properties, err := f.where(cmd, targets, c.Origins)
	if err != nil {
		return err
	}
	store, usable, err := f.tls.LoadForDoctor()
	if err != nil {
		return err
	}
	secrets, err := cli.Secrets(f.secrets)
	if err != nil {
		return err
	}
	keys, err := f.credential.Load(cmd, c.Origins)
	if err != nil {
		return err
	}
	dialer, err := cli.Outbound(cmd, f.allow)
	if err != nil {
		return err
	}
	use, err := f.use(programs{store})
	if err != nil {
		return err
	}
	findings := doctor.This().Examine(ctx, use)
	switch {
	case f.coordinator != "" && !usable:
		findings = append(findings, doctor.Unasked(f.coordinator))
	case f.coordinator != "":
		beyond, err := f.askCoordinator(ctx, c, store)
		if err != nil {
			return err
		}
		findings = append(findings, beyond...)
	}
	if f.db != "" {
		t, _ := targets.Descriptors().Find(f.db)
		findings = append(findings, doctor.Reach(ctx, t, targets.Drivers()[f.db], load.Settings{
			Properties: properties, Run: "doctor", Agent: "doctor", Dial: dialer, Secrets: secrets, Credential: keys, Logger: c.Logger,
		}))
	}
	return cli.Diagnose(c, findings, f.output)
}

// use is what the machine is for, by the flags; running programs are asked in the same way.
func (f *doctorFlags) use(running programs) (doctor.Use, error) {
	if f.coordinator != "" {
		use := doctor.Use{
			Certificates: f.tls.Inspect(),
			Folders:      []doctor.Folder{spoolFolderOf(spoolFolder(f.spool))},
			Ports:        []doctor.Port{{Flag: "--metrics-listen", Address: f.metrics, Serves: running.healthy}},
		}
		_, err := cli.Coordinators("--coordinator", f.coordinator, f.tls.Given(), f.insecure)
		return use, errors.Join(
			err,
			security.CheckSecured("--metrics-listen", f.metrics, f.tls.Given(), f.insecure),
		)
	}
	listen := doctor.Port{Flag: "--listen", Address: f.listen, Serves: running.coordinates}
	if path, is := security.Socket(f.listen); is {
		listen.Socket = path
	}
	use := doctor.Use{
		Certificates: f.tls.Inspect(),
		Folders:      []doctor.Folder{{Flag: "--data", Dir: f.data}},
		Ports: []doctor.Port{
			listen,
			{Flag: "--http", Address: f.http, Serves: running.healthy},
		},
	}
	return use, errors.Join(
		security.CheckLocal("--listen", f.listen, f.tls.Given(), f.insecure),
		security.CheckSecured("--http", f.http, f.tls.Given(), f.insecure),
	)
}

// spoolFolderOf is the folder of an agent's spool for a doctor, with the check of the agent.
func spoolFolderOf(dir, base string) doctor.Folder {
	return doctor.Folder{Flag: "--spool", Dir: dir, Check: func() error { return agent.CheckSpool(dir, base) }}
}

func (f *doctorFlags) askCoordinator(ctx context.Context, c *cli.Context, store *certs.Store) ([]doctor.Finding, error) {
	addresses, err := cli.Coordinators("--coordinator", f.coordinator, f.tls.Given(), f.insecure)
	if err != nil {
		return nil, err
	}
	client, err := remote.DialLeader(addresses, cli.LeaderCredentials(store, f.insecure))
	if err != nil {
		return nil, err
	}
	defer func() { _ = client.Close() }()
	peer, instead := cli.Ask(ctx, client, f.coordinator)
	if instead != nil {
		return []doctor.Finding{*instead}, nil
	}
	return peer.Examine(c.Version, remote.Protocol), nil
}

// where returns the properties that locate the target.
func (f *doctorFlags) where(cmd *cobra.Command, targets target.List, origins config.Origins) (map[string]string, error) {
	usage := func(err error) error { return &cli.UsageError{Command: cmd.CommandPath(), Err: err} }
	if f.db == "" {
		if len(f.properties) > 0 || f.sites.Given() {
			return nil, usage(errors.New(f.sites.With("-p") + " locate a target: name its kind with --db, such as --db " + targets.Descriptors().Example().Name))
		}
		return nil, nil
	}
	var s spec.Submission
	var err error
	if s.Files, err = f.sites.Files(cmd, origins, os.ReadFile); err != nil {
		return nil, err
	}
	for _, p := range f.properties {
		s.Properties = append(s.Properties, spec.Setting{Key: p.Key, Value: p.Value})
	}
	properties, _, err := targets.Reader().Target(s, f.db) // its warnings are not about the location of the target
	if err != nil {
		return nil, &cli.Error{Code: cli.Usage, Err: err}
	}
	return properties, nil
}

// askWithin bounds a query to the program that listens on a port.
const askWithin = 3 * time.Second

// programs asks programs on this machine, with certificates or without.
type programs struct{ store *certs.Store }

// coordinates reports whether a coordinator listens.
func (p programs) coordinates(ctx context.Context, address string) (what string, ok bool) {
	client, err := remote.Dial(address, cli.CoordinatorCredentials(p.store, address))
	if err != nil {
		return "", false
	}
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	about, err := client.About(ctx)
	if errors.Is(err, wire.ErrStandby) {
		return "a standby coordinator", true
	}
	return "a coordinator (" + about.Version + ")", err == nil
}

// healthy reports whether a coordinator or agent answers HTTP.
func (p programs) healthy(ctx context.Context, address string) (what string, ok bool) {
	transport := &http.Transport{DisableKeepAlives: true}
	client := &http.Client{Timeout: askWithin, Transport: transport}
	url := "http://" + address + "/metrics"
	if host, _, err := net.SplitHostPort(address); p.store != nil && err == nil {
		url = "https://" + address + "/metrics"
		transport.TLSClientConfig = p.store.ClientConfig(p.store.Identity().Role, host) // another process with the certificate of this one
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", false
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", false
	}
	defer func() { _ = resp.Body.Close() }()
	if p.store != nil {
		return "a running benchd", true // its certificate shows that
	}
	return "a running benchd", resp.StatusCode == http.StatusOK && exposesBuild(resp.Body)
}

// mostMetrics bounds the part of an answer that is read to identify the program that gives it.
const mostMetrics = 1 << 20

// exposesBuild reports whether metrics are a benchd's.
func exposesBuild(metrics io.Reader) bool {
	b, err := io.ReadAll(io.LimitReader(metrics, mostMetrics))
	return err == nil && bytes.Contains(b, []byte("benchd_build_info"))
}
