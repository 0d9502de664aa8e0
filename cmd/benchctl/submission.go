package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/trace"
)

// settingFlag is a flag for a property. Its value goes to package spec unchanged: one package validates all settings.
type settingFlag struct {
	name, property, kind, usage string
}

func settingFlags() []settingFlag {
	return []settingFlag{
		{"db", "db", "TARGET", "system under test"},
		{"phase", "phase", "load|run|load,run", "phases to execute; default run"},
		{"threads", "threadcount", "N", "workers of each agent; default 1"},
		{"threads-total", "threads.total", "N", "workers over all agents, instead of --threads"},
		{"target", "rate", "OPS", "operations per second over all agents: an open loop at a fixed rate (-p target= is YCSB's closed loop with catch-up)"},
		{"arrival", "arrival", "closed|fixed|poisson", "schedule of operations: when workers are free, or by the clock at --target; default closed, or fixed with --target"},
		{"duration", "duration", "D", "end the phase after this time; with operationcount, whichever comes first"},
		{"warmup", "warmup", "D", "run for this time before measuring; with --warmup-ops or --warmup-until, at most"},
		{"warmup-ops", "warmup.ops", "N", "measure after this number of operations over all agents; they do not count for operationcount"},
		{"warmup-until", "warmup.until", "steady", "measure when throughput and service time are steady, at the latest after --warmup (default 10m)"},
		{"interval", "interval", "D", "length of a window, 100ms to 1m; default 1s"},
		{"seed", "seed", "N", "seed of all random choices; default is random, and recorded in the result"},
	}
}

// submissionFlags describe the benchmark.
type submissionFlags struct {
	targets    target.List
	files      []string
	suite      string
	trial      bool
	variables  config.Pairs
	properties config.Pairs
	settings   map[string]*string
	search     string
	sites      *cli.SiteFlags
	status     bool
	name, note string
	tags       config.Pairs
	traces     map[string]trace.Card // that the submission names, by file
}

func addSubmissionFlags(cmd *cobra.Command, targets target.List) *submissionFlags {
	f := &submissionFlags{targets: targets, settings: map[string]*string{}}
	fs := cmd.Flags()
	fs.VarP(newFiles(&f.files), "properties", "P", "properties `FILE`, such as YCSB's workloads; repeatable, later files override earlier ones")
	fs.StringVarP(&f.suite, "file", "f", "", "suite `FILE` (YAML, docs/suites.md) instead of -P; -p and flags override it in all cases")
	fs.BoolVar(&f.trial, "trial", false, "with -f, use the small sizes of the suite's trial block")
	config.PairsVar(fs, &f.variables, "var", "", "with -f, the value of a variable of the suite; repeatable")
	config.PairsVar(fs, &f.properties, "property", "p", "set a property; overrides -P; repeatable")
	for _, s := range settingFlags() {
		value := new(string)
		f.settings[s.name] = value
		config.Var(fs, value, s.name, s.kind, s.usage, text, plain)
	}
	config.Var(fs, &f.search, "search", "VARY FROM..TO keep OBJECTIVE", "find the highest rate, or number of threads, that keeps an objective: 'rate 1000..50000 keep p99(READ) < 10ms' (docs/capacity.md)", text, plain)
	f.sites = cli.AddSiteFlags(cmd, targets.Descriptors(), "-P and -p override it")
	fs.BoolVarP(&f.status, "status", "s", false, "print YCSB's status lines instead of the progress, every 10 s or every -p status.interval=")
	fs.StringVar(&f.name, "name", "", "name the suite with `TEXT`; default is the last file's name")
	fs.StringVar(&f.note, "note", "", "store `TEXT` with the result")
	config.PairsVar(fs, &f.tags, "tag", "", "store a tag with the result; repeatable")

	values := map[string][]string{}
	for _, k := range targets.Reader().Keys() {
		values[k.Name] = k.Values
	}
	for _, s := range settingFlags() {
		if v := values[s.property]; len(v) > 0 {
			config.Complete(cmd, s.name, v)
		}
	}
	return f
}

// ofYCSB returns the replacement of an option of YCSB's command line, for commands that run benchmarks.
func ofYCSB(cmd *cobra.Command, option string) string {
	if cmd.Flag("phase") == nil {
		return ""
	}
	return map[string]string{
		"threads": "--threads N",
		"target":  "-p target=OPS, or --target OPS for an open loop",
		"t":       "--phase run, which is the default",
		"load":    "--phase load",
		"l":       "-p label=TEXT",
		"db":      "--db TARGET",
	}[option]
}

func text(s string) (string, error) { return s, nil }
func plain(s string) string         { return s }

// newFiles returns the value of -P: it does not split names at commas.
func newFiles(to *[]string) pflag.Value {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.StringArrayVar(to, "files", nil, "")
	return fs.Lookup("files").Value
}

// submission reads the flags, and the files that they name.
func (f *submissionFlags) submission(cmd *cobra.Command, origins config.Origins) (spec.Submission, error) {
	s := spec.Submission{Name: f.name, Note: f.note, Tags: f.tags.Map()}
	var err error
	if s.Files, err = f.sites.Files(cmd, origins, read); err != nil {
		return s, err
	}
	if err := f.readSuite(cmd, origins, &s); err != nil {
		return s, err
	}
	for _, name := range f.files {
		content, err := read(name)
		if err != nil {
			return s, &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("read properties file %s (%s): %w%s", name, origins["properties"], err, elsewhere(name))}
		}
		s.Files = append(s.Files, spec.File{Name: name, Content: content})
	}
	for _, p := range f.properties {
		origin := ""
		if origins["property"] != "--property" {
			origin = origins["property"]
		}
		s.Properties = append(s.Properties, spec.Setting{Key: p.Key, Value: p.Value, Origin: origin})
	}
	for _, flag := range settingFlags() {
		if origins.Set(flag.name) {
			s.Flags = append(s.Flags, spec.Setting{Key: flag.property, Value: *f.settings[flag.name], Origin: origins[flag.name]})
		}
	}
	if origins.Set("search") {
		settings, err := spec.ParseSearch(f.search, origins["search"])
		if err != nil {
			return s, &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("%s: %w", origins["search"], err)}
		}
		s.Flags = append(s.Flags, settings...)
	}
	if origins.Set("status") {
		s.Flags = append(s.Flags, spec.Setting{Key: "status", Value: strconv.FormatBool(f.status), Origin: origins["status"]})
	}
	if s.Suite != nil {
		f.attach(&s)
		return s, nil
	}
	for _, name := range f.targets.Reader().Needs(s) {
		content, err := f.attachment(name)
		if err != nil {
			return s, &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("read %s, which a property names: %w", name, err)}
		}
		if s.Attachments == nil {
			s.Attachments = map[string][]byte{}
		}
		s.Attachments[name] = content
	}
	return s, nil
}

// elsewhere names a file of the same name in a folder where workloads usually are.
func elsewhere(name string) string {
	for _, dir := range []string{"workloads", "configs", "configs/workloads", "configs/suites"} {
		path := filepath.Join(dir, filepath.Base(name))
		if _, err := os.Stat(path); err == nil {
			return fmt.Sprintf("; did you mean %s?", path)
		}
	}
	return "; benchctl takes the path of a file, such as workloads/workloada of a YCSB release"
}

func read(name string) ([]byte, error) {
	content, err := os.ReadFile(name)
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err // the caller names the file
	}
	return content, err
}

var errNothing = errors.New("nothing to run: name a properties file with -P, a suite with -f, or settings such as --db null --duration 10s")

// validated is a valid submission, with the parts that benchctl uses.
type validated struct {
	reader     *spec.Reader
	suite      *plan.Suite
	properties map[string]string // of the first case, or the first one for which a system can be embedded; resolved
	target     target.Target     // of that case
	ycsb       report.YCSB       // the options of YCSB's output
	warnings   []property.Warning
}

// validate reports all mistakes in a submission before anything runs.
func validate(targets target.List, s spec.Submission) (validated, error) {
	if s.Suite == nil && len(s.Files)+len(s.Properties)+len(s.Flags) == 0 {
		return validated{}, usage(errNothing)
	}
	reader := targets.Reader()
	suite, warnings, err := reader.Parse(s)
	if err != nil {
		return validated{warnings: warnings}, err
	}
	one := suite.Cases[max(slices.IndexFunc(suite.Cases, func(c plan.Case) bool {
		t, _ := targets.Find(c.Settings.DB)
		return t.Embed != nil
	}), 0)]
	t, _ := targets.Find(one.Settings.DB)
	ycsb, err := report.ParseYCSB(one.Properties)
	return validated{reader: reader, suite: suite, properties: one.Properties, target: t, ycsb: ycsb, warnings: warnings}, err
}

// sets reports whether a submission sets a property of the target: on the command line, in a properties file, or in a suite file
// where a case uses it. A run that starts its own system ignores the address that a suite has for another target.
func (j validated) sets(s spec.Submission, property string) bool {
	reader := j.reader
	inSuite := s.Suite != nil && reader.Sets(s, property)
	s.Suite = nil
	if !inSuite || reader.Sets(s, property) {
		return reader.Sets(s, property)
	}
	byDefault := ""
	for _, k := range reader.Keys() {
		if k.Name == property {
			byDefault = k.Default
		}
	}
	return slices.ContainsFunc(j.suite.Cases, func(c plan.Case) bool { return c.Properties[property] != byDefault })
}

// submitter returns the name of the user who submits.
func submitter() string {
	name := "somebody"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		return name
	}
	return name + "@" + strings.ToLower(host)
}
