//go:build !race

package lint

import (
	"maps"
	"slices"
	"strings"
)

// A part is a folder below internal with its content, or one beside internal: cmd, configs and test. It may import every part of a lower layer,
// itself, the parts that it names in beside, and those that they name in turn. Generated code has a part for each folder of proto, and so
// has a folder of another part with its own layer or imports.
type part struct {
	name   string
	beside []string // the parts of its own layer that it may import
	only   []string // if set, the only parts that may import it; they need not be above it
	tests  []string // beside only, the parts whose tests may import it
	apart  bool     // its folders do not import one another
}

type layer struct {
	name  string
	parts []part
}

// databases stands for the name of each database in a row, see expand.
const databases = "NAME"

// layers is the diagram in ARCHITECTURE.md, from top to bottom. Every package must be in it.
func layers() []layer {
	return []layer{
		{"commands", []part{
			{name: "cmd", beside: []string{"cli", "api"}, apart: true},
			{name: "cli"},
			{name: "api", beside: []string{"configs"}, only: []string{"cmd", "test"}},
			{name: "configs", only: []string{"api"}},       // suite files
			{name: "test", tests: []string{"target/NAME"}}, // the programs as users run them, and the tests that all databases pass
		}},
		{"nodes", []part{
			{name: "dev", beside: []string{"coordinator", "agent", "remote"}},
			{name: "coordinator", beside: []string{"coordinator/conductor", "coordinator/timetable"}},
			{name: "coordinator/timetable"},
			{name: "coordinator/conductor", beside: []string{"coordinator/roster"}}, // actions, its folder, too
			{name: "coordinator/roster"},
			{name: "coordinator/standby", only: []string{"cmd", "test"}, tests: []string{"dev"}},
			{name: "agent"},
			{name: "remote"},
		}},
		{"records", []part{
			{name: "results", beside: []string{"record"}},
			{name: "record"},
		}},
		{"edges", []part{
			{name: "load"},
			{name: "target", beside: []string{"load", "observe"}},
			{name: "target/all", beside: []string{"target/NAME"}},
			{name: "target/NAME", beside: []string{"target"}, only: []string{"target/all", "target/NAME/NAMEtest", "test"}, tests: []string{"dev"}},
			{name: "target/NAME/NAMEtest", beside: []string{"target/NAME"}, only: []string{"test"}, tests: []string{"target/NAME", "archive/postgres"}}, // for tests
			{name: "target/hbase", beside: []string{"target", "sandbox"}, only: []string{"target/all", "test"}, tests: []string{"dev"}},
			{name: "target/null", beside: []string{"target"}}, // tests everywhere have a use for it
			{name: "target/hbase/protocol", only: []string{"target/hbase", "sandbox", "sandbox/fault", "test"}},
			{name: "observe"},
			{name: "sandbox", beside: []string{"sandbox/control"}},
			{name: "sandbox/control"},
			{name: "archive"},
			{name: "archive/sqlite", beside: []string{"archive", "archive/portable", "archive/column"}},
			{name: "archive/mirror", beside: []string{"archive"}, only: []string{"cmd", "test"}},
			{name: "archive/portable", beside: []string{"archive", "archive/column"}, only: []string{"archive/sqlite", "archive/postgres"}},
			{name: "archive/column", beside: []string{"archive"}, only: []string{"archive/sqlite", "archive/postgres", "archive/portable"}},
			{name: "archive/postgres", beside: []string{"archive", "archive/portable", "archive/column"}},
			{name: "report"},
			{name: "promexport"},
			{name: "webhook", only: []string{"cmd", "cli", "coordinator", "remote", "dev", "test"}},
			{name: "doctor", beside: []string{"load"}},
			{name: "wire", beside: []string{"gen/benchd"}},
			{name: "gen/benchd", only: []string{"wire", "coordinator", "coordinator/conductor", "coordinator/roster", "agent", "remote", "test"}},
			{name: "gen/hbasepb", only: []string{"target/hbase", "sandbox", "test"}},
		}},
		{"state", []part{
			{name: "lifecycle", beside: []string{"result"}},
			{name: "notice", beside: []string{"trend"}},
			{name: "trend", beside: []string{"compare", "table", "result"}},
			{name: "compare", beside: []string{"table", "result"}},
			{name: "bottleneck", beside: []string{"result"}},
			{name: "foreign", beside: []string{"result"}},
			{name: "advice", beside: []string{"result"}},
			{name: "incident", beside: []string{"result"}},
			{name: "chart", beside: []string{"result"}},
			{name: "table", beside: []string{"bottleneck", "capacity", "interference", "result"}},
			{name: "capacity", beside: []string{"result"}},
			{name: "interference", beside: []string{"result"}},
			{name: "result"},
		}},
		{"ideas", []part{
			{name: "spec", beside: []string{"figure"}},
			{name: "figure", beside: []string{"plan", "descriptor"}},
			{name: "plan", beside: []string{"workload", "pacing", "search", "trace", "schedule"}},
			{name: "trace", beside: []string{"workload"}},
			{name: "trace/model", beside: []string{"trace"}},
			{name: "trace/capture", beside: []string{"trace", "descriptor"}},
			{name: "workload", beside: []string{"keyspace"}},
			{name: "keyspace"},
			{name: "target/NAME/NAMEspec", beside: []string{"descriptor", "plan"}, only: []string{"target/NAME", "target/NAME/NAMEtest", "test"}},
			{name: "target/null/nullspec", beside: []string{"descriptor"}},
			{
				name: "target/hbase/hbasespec", beside: []string{"descriptor", "sandbox/fault", "plan"},
				only: []string{"target/hbase", "test"}, tests: []string{"spec", "report"},
			},
			{name: "descriptor", beside: []string{"property", "workload"}},
			{name: "property"},
			{name: "sandbox/fault", beside: []string{"randdur"}},
			{name: "randdur"},
			{name: "pacing"},
			{name: "search"},
			{name: "schedule"},
			{name: "latency"},
			{name: "stats"},
			{name: "clock"},
		}},
		{"aside", []part{
			{name: "alarm", beside: []string{"rawio"}},
			{name: "rawio", only: []string{"alarm", "load", "target/NAME"}},
			{name: "suggest"},
			{name: "identity"},
			{name: "secret"},
			{name: "credential", beside: []string{"secret"}},
			{name: "kerberos", only: []string{"target/hbase", "test"}},
			{name: "pki", beside: []string{"identity", "suggest"}},
			{name: "certs", beside: []string{"identity", "tolerance"}},
			{name: "profile", beside: []string{"certs", "pki"}, only: []string{"cmd", "cli"}},
			{name: "access", beside: []string{"identity"}},
			{name: "audit", only: []string{"cmd", "coordinator", "remote", "dev", "test"}},
			{name: "phrase"},
			{name: "websession", beside: []string{"identity", "pki"}, only: []string{"cmd", "api", "coordinator", "dev"}},
			{name: "config", beside: []string{"suggest"}, only: []string{"cmd", "cli"}},
			{name: "debugserver", beside: []string{"access", "certs", "security", "tolerance"}, only: []string{"cmd", "api", "coordinator", "coordinator/standby", "agent", "remote", "dev"}},
			{name: "console", only: []string{"cmd"}},
			{name: "tolerance"}, // for tests
			{name: "freeport"},  // for tests
			{name: "doctable"},  // for tests
			{name: "quarantine", only: []string{"coordinator", "coordinator/conductor", "results"}, tests: []string{"test"}},
			{name: "spool", only: []string{"agent", "webhook"}},
			{name: "outbound"},
			{name: "security", beside: []string{"identity"}, only: []string{"cmd", "cli", "coordinator", "coordinator/standby", "coordinator/roster", "debugserver", "agent", "remote", "dev"}},
			{name: "lint", beside: []string{"doctable"}, only: []string{}},
		}},
	}
}

// expand returns the layers with a row for each database in place of those with NAME, unless it has a row of its own. In the lists of other
// rows, NAME is all databases.
func expand(all []layer, names []string) []layer {
	own := make(map[string]bool)
	for _, l := range all {
		for _, p := range l.parts {
			own[p.name] = true
		}
	}
	expanded := make([]layer, 0, len(all))
	for _, l := range all {
		var parts []part
		for _, p := range l.parts {
			if !strings.Contains(p.name, databases) {
				parts = append(parts, p.of(names))
				continue
			}
			for _, name := range names {
				if one := strings.ReplaceAll(p.name, databases, name); !own[one] {
					row := p.of([]string{name})
					row.name = one
					parts = append(parts, row)
				}
			}
		}
		expanded = append(expanded, layer{l.name, parts})
	}
	return expanded
}

// of returns the part with these names in place of NAME in its lists.
func (p part) of(names []string) part {
	for _, list := range []*[]string{&p.beside, &p.only, &p.tests} {
		if *list == nil {
			continue
		}
		named := []string{}
		for _, one := range *list {
			if !strings.Contains(one, databases) {
				named = append(named, one)
				continue
			}
			for _, name := range names {
				named = append(named, strings.ReplaceAll(one, databases, name))
			}
		}
		*list = named
	}
	return p
}

// databasesOf lists the folders of databases: those of internal/target without the list of all targets.
func databasesOf(t tree) []string {
	names := make(map[string]bool)
	for _, f := range t.files {
		if inside, ok := strings.CutPrefix(f.path, "internal/target/"); ok {
			if name, _, deeper := strings.Cut(inside, "/"); deeper && name != "all" {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// strangers are modules, or packages of modules, that only the named parts may import. Tests may use them anywhere.
func strangers() map[string][]string {
	return map[string][]string{
		"github.com/HdrHistogram/hdrhistogram-go": {"latency"},
		"github.com/spf13/viper":                  {"config"},
		"google.golang.org/grpc/codes":            {"gen/benchd", "wire"},
		"google.golang.org/grpc/status":           {"gen/benchd", "wire"},
		"github.com/chromedp/cdproto":             {},
		"github.com/chromedp/chromedp":            {},
		"github.com/xuri/excelize/v2":             {"report"},
		"modernc.org/sqlite":                      {"archive/sqlite"},
	}
}
