package spec

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/workload"
)

// p returns -p settings: key, value, key, value …
func p(pairs ...string) []Setting { return settingsOf("", pairs) }

// flag returns the settings of a flag.
func flag(origin string, pairs ...string) []Setting { return settingsOf(origin, pairs) }

func settingsOf(origin string, pairs []string) []Setting {
	var list []Setting
	for pair := range slices.Chunk(pairs, 2) {
		list = append(list, Setting{Key: pair[0], Value: pair[1], Origin: origin})
	}
	return list
}

func file(name, content string) File { return File{Name: name, Content: []byte(content)} }

func ycsbFile(t testing.TB, name string) File {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "ycsb", name))
	require.NoError(t, err)
	return File{Name: name, Content: content}
}

// good parses a submission without mistakes, and checks that agents resolve it to the same settings as the coordinator.
func good(t *testing.T, s Submission) (*plan.Suite, []string) {
	t.Helper()
	suite, warned, err := reader().Parse(s)
	require.NoError(t, err)
	require.Len(t, suite.Cases, 1)
	settings, err := reader().Resolve(suite.Cases[0].Properties)
	require.NoError(t, err)
	require.Equal(t, suite.Cases[0].Settings, settings)
	fewer, err := reader().Resolve(differing(suite.Cases[0].Properties))
	require.NoError(t, err)
	require.Equal(t, settings, fewer, "what differs from the defaults is enough")
	var warnings []string
	for _, w := range warned {
		warnings = append(warnings, w.String())
	}
	return suite, warnings
}

const noDB = "db is not set: the target is null, which stores nothing; set db, such as db=hbase, to measure a system"

func TestWorkloadFilesOfYCSBAreAcceptedUnchanged(t *testing.T) {
	for name, want := range map[string]struct {
		mix      workload.Proportions
		requests workload.Distribution
		scan     int
		warned   []string
	}{
		"workloada": {workload.Proportions{Read: 0.5, Update: 0.5}, workload.Zipfian, 1000, []string{noDB}},
		"workloadb": {workload.Proportions{Read: 0.95, Update: 0.05}, workload.Zipfian, 1000, []string{noDB}},
		"workloadc": {workload.Proportions{Read: 1}, workload.Zipfian, 1000, []string{noDB}},
		"workloadd": {workload.Proportions{Read: 0.95, Insert: 0.05}, workload.Latest, 1000, []string{noDB}},
		"workloade": {workload.Proportions{Scan: 0.95, Insert: 0.05}, workload.Zipfian, 100, []string{noDB}},
		"workloadf": {workload.Proportions{Read: 0.5, ReadModifyWrite: 0.5}, workload.Zipfian, 1000, []string{noDB}},
	} {
		t.Run(name, func(t *testing.T) {
			suite, warned := good(t, Submission{Files: []File{ycsbFile(t, name)}})
			require.Equal(t, name, suite.Name)
			require.Equal(t, want.warned, warned)
			c := suite.Cases[0].Settings.Workload
			require.Equal(t, want.mix, c.Proportions)
			require.Equal(t, want.requests, c.RequestDistribution)
			require.Equal(t, want.scan, c.MaxScanLength)
			require.Equal(t, int64(1000), c.RecordCount)
			require.Equal(t, int64(1000), c.OperationCount)

			_, warned = good(t, Submission{Files: []File{ycsbFile(t, name)}, Flags: flag("--phase", "phase", "load,run"), Properties: p("db", "null")})
			require.Empty(t, warned)
		})
	}
}

// The submission has the commands of a published report: its list of all properties, and its command line.
func TestSettingsOfAPublishedReportAreAccepted(t *testing.T) {
	suite, warned := good(t, Submission{
		Files: []File{ycsbFile(t, "workload_listing")},
		Properties: p("table", "usertableSplit", "columnfamily", "family", "threads", "10", "recordcount", "10000",
			"operationcount", "1000000", "measurementtype", "timeseries", "timeseries.granularity", "2000"),
		Flags: flag("--db", "db", "site.ycsb.db.hbase14.HBaseClient14"),
	})
	require.Equal(t, []string{
		"workload_listing:7: insertcount: is empty; the default applies: 0",
		"workload_listing:25: maxexecutiontime: is empty; the default applies: 0s",
		"workload_listing:40: htrace.sampler.fraction: has no effect: it configures tracing in YCSB's JVM",
		"workload_listing:41: htrace.htraced.receiver.address: has no effect: it configures tracing in YCSB's JVM",
		"workload_listing:42: htrace.htraced.error.log.period.ms: has no effect: it configures tracing in YCSB's JVM",
		"-p: threads: is read as threadcount=10: YCSB ignores the property threads and would run with one thread",
	}, warned)
	c := suite.Cases[0]
	require.Equal(t, hbasespec.Name, c.Settings.DB)
	require.Equal(t, 10, c.Settings.Threads)
	require.Equal(t, int64(10_000), c.Settings.Workload.RecordCount)
	require.Equal(t, int64(1_000_000), c.Settings.Workload.OperationCount)
	require.Equal(t, "usertableSplit", c.Properties["table"])
	require.Equal(t, "family", c.Properties["columnfamily"])
}

func TestLaterFilesWinThenPropertiesThenFlags(t *testing.T) {
	suite, warned := good(t, Submission{
		Files:      []File{file("one", "fieldcount=1\nfieldlength=1\nzeropadding=1\nthreadcount=1\nrecordcount=9"), file("two", "fieldlength=2\nzeropadding=2\nthreadcount=2\noperationcount=9")},
		Properties: p("zeropadding", "3", "threadcount", "3", "db", "null"),
		Flags:      flag("--threads", "threadcount", "4"),
	})
	require.Empty(t, warned, "to override is no mistake")
	s := suite.Cases[0].Settings
	require.Equal(t, []int{1, 2, 3, 4}, []int{s.Workload.FieldCount, s.Workload.FieldLength, s.Workload.ZeroPadding, s.Threads})
	require.Equal(t, "two", suite.Name)
}

// quiet are settings without warnings, for tests of something else.
var quiet = p("db", "null", "recordcount", "1000", "operationcount", "1000")

func TestWhatSettingsMean(t *testing.T) {
	for name, test := range map[string]struct {
		set    []Setting
		want   func(*plan.Settings)
		warned []string
	}{
		"nothing": {nil, func(*plan.Settings) {}, nil},
		"YCSB's classes": {
			p("db", "com.yahoo.ycsb.BasicDB", "workload", "com.yahoo.ycsb.workloads.CoreWorkload"),
			func(*plan.Settings) {}, nil,
		},
		"go-ycsb's workload":      {p("workload", "core"), func(*plan.Settings) {}, nil},
		"a load in YCSB's words":  {p("dotransactions", "false"), func(s *plan.Settings) { s.Load, s.Run = true, false }, nil},
		"both phases":             {p("phase", "load, run"), func(s *plan.Settings) { s.Load = true }, nil},
		"seconds in YCSB's words": {p("maxexecutiontime", "90"), func(s *plan.Settings) { s.Duration = 90 * time.Second }, nil},
		"YCSB's throttle":         {p("target", "500"), func(s *plan.Settings) { s.Pacing.CatchUp = 500 }, nil},
		"an open loop": {
			p("rate", "500", "arrival", "poisson"),
			func(s *plan.Settings) {
				s.Pacing = pacing.Config{Arrival: pacing.Poisson, Rate: pacing.Rate{{From: 500, To: 500}}}
			}, nil,
		},
		"a rate alone is an open loop": {
			p("rate", "500"),
			func(s *plan.Settings) {
				s.Pacing = pacing.Config{Arrival: pacing.FixedRate, Rate: pacing.Rate{{From: 500, To: 500}}}
			},
			[]string{"-p: rate: arrival is not set: a rate means an open loop with arrival=fixed"},
		},
		"a flag's rate is an open loop without a word, and beats a closed one": {
			slices.Concat(p("arrival", "closed"), flag("--target", "rate", "500")),
			func(s *plan.Settings) {
				s.Pacing = pacing.Config{Arrival: pacing.FixedRate, Rate: pacing.Rate{{From: 500, To: 500}}}
			},
			[]string{"-p: arrival: is overridden by rate (--target), which means an open loop"},
		},
		"a flag's rate beats a property's target": {
			slices.Concat(p("target", "100"), flag("--target", "rate", "500")),
			func(s *plan.Settings) {
				s.Pacing = pacing.Config{Arrival: pacing.FixedRate, Rate: pacing.Rate{{From: 500, To: 500}}}
			},
			[]string{"-p: target: is overridden by rate (--target)"},
		},
		"a flag's closed loop beats a property's rate": {
			slices.Concat(p("rate", "100"), flag("--arrival", "arrival", "closed")),
			func(*plan.Settings) {},
			[]string{"-p: rate: is overridden by arrival=closed (--arrival)"},
		},
		"a flag's total beats a property's threads": {
			slices.Concat(p("threadcount", "10"), flag("--threads-total", "threads.total", "64")),
			func(s *plan.Settings) { s.ThreadsTotal = 64 },
			[]string{"-p: threadcount: is overridden by threads.total (--threads-total)"},
		},
		"a flag's threads beat a property's total": {
			slices.Concat(p("threads.total", "64"), flag("--threads", "threadcount", "10")),
			func(s *plan.Settings) { s.Threads = 10 },
			[]string{"-p: threads.total: is overridden by threadcount (--threads)"},
		},
		"a flag's duration beats a property's maxexecutiontime": {
			slices.Concat(p("maxexecutiontime", "90"), flag("--duration", "duration", "5s")),
			func(s *plan.Settings) { s.Duration = 5 * time.Second }, nil,
		},
		"limits in percent": {
			p("limit.notfound", "5 %", "limit.errors", "0.1%"),
			func(s *plan.Settings) { s.Limits = plan.Limits{NotFoundShare: 0.05, ErrorShare: 0.001} }, nil,
		},
		"time": {
			p("duration", "1h30m", "warmup", "30s", "interval", "100ms"),
			func(s *plan.Settings) {
				s.Duration, s.Warmup, s.Interval = 90*time.Minute, 30*time.Second, 100*time.Millisecond
			}, nil,
		},
		"blanks around a value": {p("threadcount", " 7 "), func(s *plan.Settings) { s.Threads = 7 }, nil},
		"a boolean in capitals": {p("writeallfields", "TRUE"), func(s *plan.Settings) { s.Workload.WriteAllFields = true }, nil},
		"more rows than YCSB can count": {
			p("recordcount", "4200000000", "insertstart", "2100000000", "insertcount", "2100000000"),
			func(s *plan.Settings) {
				s.Workload.RecordCount, s.Workload.InsertStart, s.Workload.InsertCount = 4_200_000_000, 2_100_000_000, 2_100_000_000
			}, nil,
		},
		"a seed of 64 bits": {p("seed", "18446744073709551615"), func(s *plan.Settings) {
			s.Workload.Seed, s.Workload.DealInserts = 1<<64-1, true
		}, nil},
		"a seed that is not one":  {p("seed", "0"), func(*plan.Settings) {}, nil},
		"numbers shared in spite": {p("seed", "7", "insert.numbers", "shared"), func(s *plan.Settings) { s.Workload.Seed = 7 }, nil},
		"numbers dealt anyway":    {p("insert.numbers", "dealt"), func(s *plan.Settings) { s.Workload.DealInserts = true }, nil},
		"no key prefix":           {p("keyprefix", ""), func(s *plan.Settings) { s.Workload.KeyPrefix = "" }, nil},
		"no time in YCSB's words": {p("maxexecutiontime", "0"), func(*plan.Settings) {}, nil},
		"a setting of YCSB's JVM": {p("measurement.trackjvm", "true"), func(*plan.Settings) {}, []string{
			"-p: measurement.trackjvm: has no effect: there is no JVM to track; every result shows the agents' CPU and garbage collection",
		}},
		"such a setting that asks for nothing": {p("measurement.trackjvm", "false", "spin.sleep", "false"), func(*plan.Settings) {}, nil},
		"another binding's settings": {p("mongodb.url", "mongodb://x", "basicdb.verbose", "false"), func(*plan.Settings) {}, []string{
			"-p: mongodb.url: has no effect: properties with the prefix mongodb. belong to a YCSB binding that is not used here",
			"-p: basicdb.verbose: has no effect: properties with the prefix basicdb. belong to a YCSB binding that is not used here",
		}},
		"another target's settings": {p("columnfamily", "cf", "principal", "me"), func(*plan.Settings) {}, []string{
			"-p: columnfamily: has no effect: it belongs to target hbase or sandbox, and the target is null",
			"-p: principal: has no effect: it belongs to target hbase or sandbox, and the target is null",
		}},
		"weights that do not add up to one": {p("insertproportion", "1"), func(s *plan.Settings) { s.Workload.Proportions.Insert = 1 }, []string{
			"-p: insertproportion: the proportions add up to 2, and each is divided by that sum (the defaults are readproportion=0.95 and updateproportion=0.05)",
		}},
		"the same again": {p("threadcount", "1", "threadcount", "2"), func(s *plan.Settings) { s.Threads = 2 }, []string{
			`-p: threadcount: is overridden by the later value "2" (-p)`,
		}},
		"two names for the same value": {p("duration", "60s", "maxexecutiontime", "60"), func(s *plan.Settings) { s.Duration = time.Minute }, nil},
		"an endless run": {p("operationcount", "0"), func(s *plan.Settings) { s.Workload.OperationCount = 0 }, []string{
			"-p: operationcount: is 0 and duration is not set: only a cancel or a limit ends the run; set operationcount, or duration, such as duration=1m",
		}},
		"an unknown number of rows": {p("recordcount", "0"), func(s *plan.Settings) { s.Workload.RecordCount = 1<<31 - 1 }, []string{
			"-p: recordcount: is not set: requests go to 2147483647 rows, as in YCSB; set it to the number of rows in the table",
		}},
		"a part of an unknown number of rows": {
			p("recordcount", "", "insertstart", "10", "insertcount", "5"),
			func(s *plan.Settings) {
				s.Workload.RecordCount, s.Workload.InsertStart, s.Workload.InsertCount = 15, 10, 5
			},
			[]string{
				"recordcount: is not set: insertstart+insertcount applies, 15",
				"-p: recordcount: is empty; the default applies: 0",
			},
		},
		"a load past recordcount": {
			p("phase", "load", "insertstart", "10"),
			func(s *plan.Settings) { s.Load, s.Run, s.Workload.InsertStart = true, false, 10 },
			[]string{"-p: insertstart: without insertcount, 1000 rows are loaded from there on, as in YCSB, up to row 1009; set insertcount=990 to end at recordcount"},
		},
		"a warm-up of a load": {
			p("phase", "load", "warmup", "5s"),
			func(s *plan.Settings) { s.Load, s.Run, s.Warmup = true, false, 5*time.Second },
			[]string{"-p: warmup: has no effect in a load: a warm-up precedes measuring"},
		},
		"a warm-up of a load until it is steady": {
			p("phase", "load", "warmup.until", "steady", "warmup.ops", "0"),
			func(s *plan.Settings) { s.Load, s.Run, s.WarmupUntil = true, false, plan.Steady },
			[]string{"-p: warmup.until: has no effect in a load: a warm-up precedes measuring"},
		},
		"a warm-up until it is steady": {
			p("warmup.until", "steady"),
			func(s *plan.Settings) { s.Warmup, s.WarmupUntil = 10*time.Minute, plan.Steady }, nil,
		},
		"a warm-up until it is steady, within a time": {
			p("warmup.until", "steady", "warmup", "3s", "interval", "100ms"),
			func(s *plan.Settings) {
				s.Warmup, s.WarmupUntil, s.Interval = 3*time.Second, plan.Steady, 100*time.Millisecond
			}, nil,
		},
		"a warm-up by operations": {p("warmup.ops", "1000"), func(s *plan.Settings) { s.WarmupOps = 1000 }, nil},
		"a flag's number of operations beats a property's condition": {
			slices.Concat(p("warmup.until", "steady"), flag("--warmup-ops", "warmup.ops", "1000")),
			func(s *plan.Settings) { s.WarmupOps = 1000 },
			[]string{"-p: warmup.until: is overridden by warmup.ops (--warmup-ops)"},
		},
		"zipfian requests and inserts without a count": {
			p("requestdistribution", "zipfian", "readproportion", "0.5", "updateproportion", "0", "insertproportion", "0.5", "operationcount", "", "duration", "1m"),
			func(s *plan.Settings) {
				s.Workload.RequestDistribution, s.Workload.OperationCount, s.Duration = workload.Zipfian, 0, time.Minute
				s.Workload.Proportions = workload.Proportions{Read: 0.5, Insert: 0.5}
			},
			[]string{
				"-p: requestdistribution: the zipfian range grows with operationcount to include inserts, but operationcount is not set: rows that this run inserts are not requested",
				"-p: operationcount: is empty; the default applies: 0",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := reader().Resolve(map[string]string{"recordcount": "1000", "operationcount": "1000"})
			require.NoError(t, err)
			test.want(&want)
			s := Submission{Files: []File{file("f", "db=null\nrecordcount=1000\noperationcount=1000\n")}}
			for _, one := range test.set {
				if one.Origin == "" {
					s.Properties = append(s.Properties, one)
				} else {
					s.Flags = append(s.Flags, one)
				}
			}
			suite, warned := good(t, s)
			require.Equal(t, want, suite.Cases[0].Settings)
			require.Equal(t, test.warned, warned)
		})
	}
}

// differing are the properties that differ from their defaults.
func differing(properties map[string]string) map[string]string {
	out := maps.Clone(properties)
	for _, k := range reader().Keys() {
		if v, ok := out[k.Name]; ok && v == k.Default {
			delete(out, k.Name)
		}
	}
	return out
}

func TestDefaultsAreAmongTheProperties(t *testing.T) {
	suite, _ := good(t, Submission{Properties: quiet})
	properties := suite.Cases[0].Properties
	for name, want := range map[string]string{
		"table": "usertable", "interval": "1s", "limit.notfound": "0.001", "null.service": "0", "requestdistribution": "uniform", "phase": "run",
		"hdrhistogram.percentiles": "50,95,99",
	} {
		require.Equal(t, want, properties[name], name)
	}
	require.NotContains(t, properties, "durability", "another target's")
	require.NotContains(t, properties, "maxexecutiontime", "another name's")
	require.Equal(t, map[string]string{"recordcount": "1000", "operationcount": "1000"}, differing(properties))
}

func TestNamesAndTags(t *testing.T) {
	for want, s := range map[string]Submission{
		"nightly":           {Name: "nightly", Files: []File{file("w", "")}},
		"w":                 {Files: []File{file("/etc/x.properties", ""), file(`C:\bench\w.properties`, "")}},
		"null run":          {},
		"null load":         {Flags: flag("--phase", "phase", "load")},
		"null load and run": {Flags: flag("--phase", "phase", "load,run")},
	} {
		s.Properties, s.Note, s.Tags = quiet, "two\nlines", map[string]string{"ticket": "77"}
		suite, _ := good(t, s)
		require.Equal(t, want, suite.Name)
		require.Equal(t, want, suite.Cases[0].Name)
		require.Equal(t, s.Note, suite.Note)
		require.Equal(t, s.Tags, suite.Tags)
		require.Equal(t, 1, suite.Cases[0].Repeats)
	}
}

func TestHistogramFileTravels(t *testing.T) {
	s := Submission{Properties: slices.Concat(quiet, p("fieldlengthdistribution", "histogram", "fieldlengthhistogram", "dir/lengths.txt"))}
	require.Equal(t, []string{"dir/lengths.txt"}, reader().Needs(s))
	_, _, err := reader().Parse(s)
	require.EqualError(t, err, `-p: fieldlengthhistogram: file "dir/lengths.txt" is not attached; does it exist on the machine that you submit from?`)

	s.Attachments = map[string][]byte{"dir/lengths.txt": []byte("BlockSize\t10\n1\t5\n")}
	_, _, err = reader().Parse(s)
	require.EqualError(t, err, `-p: fieldlengthhistogram: dir/lengths.txt:2: bucket "1" is out of order; want bucket 0 here (an empty one has count 0)`)

	s.Attachments = map[string][]byte{"dir/lengths.txt": []byte("BlockSize\t10\n0\t5\n1\t7\n")}
	suite, warned := good(t, s)
	require.Empty(t, warned)
	require.Equal(t, &workload.LengthHistogram{BlockSize: 10, Buckets: []int64{5, 7}}, suite.Cases[0].Settings.Workload.FieldLengthHistogram)

	again := Submission{Properties: settingsOf("", flatten(suite.Cases[0].Properties))}
	require.Empty(t, reader().Needs(again), "resolved properties carry the content")
	suite2, _ := good(t, again)
	require.Equal(t, suite.Cases[0].Settings, suite2.Cases[0].Settings)

	require.Empty(t, reader().Needs(Submission{Properties: quiet}))
	require.Equal(t, []string{"hist.txt"}, reader().Needs(Submission{Properties: p("fieldlengthdistribution", "histogram", "recordcount", "x")}))
}

func flatten(m map[string]string) []string {
	var list []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, k, m[k])
	}
	return list
}

func TestResolvedPropertiesAreValidated(t *testing.T) {
	for name, test := range map[string]struct {
		properties map[string]string
		want       string
	}{
		"unknown":      {map[string]string{"warmth": "1"}, "warmth: unknown property; did you mean warmup?"},
		"a bad value":  {map[string]string{"threadcount": "many"}, `threadcount: invalid integer "many": want digits only, such as 1000`},
		"refused":      {map[string]string{"db": "hbase", "columnfamily": "cf", "keytab": "x"}, "keytab: is not supported: a keytab belongs to the machine of an agent and is never archived: give it to the agents with --kerberos-keytab and --kerberos-principal, and set hbase.security.authentication=kerberos here"},
		"no histogram": {map[string]string{"fieldlengthdistribution": "histogram"}, `fieldlengthhistogram: file "hist.txt" is not attached; does it exist on the machine that you submit from?`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := reader().Resolve(test.properties)
			require.EqualError(t, err, test.want)
		})
	}
}
