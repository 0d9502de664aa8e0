package spec

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/target/null/nullspec"
	"github.com/benchd/benchd/internal/workload"
)

// A message names the place, the key, and the cure.
func TestMistakesAreNamedWithTheirCure(t *testing.T) {
	const distributions = "(one of uniform, zipfian, latest, hotspot, exponential, sequential, histogram)"
	for name, test := range map[string]struct {
		file  string
		set   []Setting
		flags []Setting
		want  []string
	}{
		"a value misspelt": {
			file: "# comment\n\nrequestdistribution=zipfain\n",
			want: []string{`w:3: requestdistribution: unknown value "zipfain"; did you mean "zipfian"? ` + distributions},
		},
		"a value that is near to none": {
			set:  p("requestdistribution", "gaussian"),
			want: []string{`-p: requestdistribution: unknown value "gaussian" ` + distributions},
		},
		"a name misspelt": {file: "recrodcount=5", want: []string{"w:1: recrodcount: unknown property; did you mean recordcount?"}},
		"a name in capitals": {
			flags: flag("--set", "OperationCount", "5"),
			want:  []string{"--set: OperationCount: unknown property; did you mean operationcount?"},
		},
		"a name near to none": {set: p("frobnicate", "5"), want: []string{"-p: frobnicate: unknown property, and no property has a similar name; remove it"}},
		"a target's name misspelt": {
			set:  p("hbase.zookeeper.qorum", "x", "null.servce", "0"),
			want: []string{"-p: hbase.zookeeper.qorum: unknown property; did you mean hbase.zookeeper.quorum?", "-p: null.servce: unknown property; did you mean null.service?"},
		},
		"a comment behind a value": {
			file: "fieldcount=5 # five fields\n",
			want: []string{`w:1: fieldcount: invalid value "5 # five fields": in a properties file a comment needs its own line; write 5`},
		},
		"numbers as people write them": {
			set: p("recordcount", "1,000,000", "operationcount", "10M", "fieldlength", "1e3", "fieldcount", "ten", "insertstart", "1.5"),
			want: []string{
				`-p: recordcount: invalid integer "1,000,000": write 1000000`,
				`-p: operationcount: invalid integer "10M": write 10000000`,
				`-p: fieldlength: invalid integer "1e3": write 1000`,
				`-p: fieldcount: invalid integer "ten": want digits only, such as 1000`,
				`-p: insertstart: invalid integer "1.5": want digits only, such as 1000`,
			},
		},
		"numbers out of bounds": {
			set: p("threadcount", "0", "recordcount", "-1", "operationcount", "99999999999999999999", "readproportion", "-0.5", "hotspotdatafraction", "1.5", "updateproportion", "NaN"),
			want: []string{
				"-p: threadcount: 0 is out of range: want 1 to 100000",
				"-p: recordcount: -1 is out of range: want 0 to 1152921504606846976",
				"-p: operationcount: 99999999999999999999 is out of range: want 0 to 1152921504606846976",
				"-p: readproportion: -0.5 is out of range: want 0 to 1000000",
				"-p: hotspotdatafraction: 1.5 is out of range: want 0 to 1",
				`-p: updateproportion: invalid number "NaN": want a decimal number, such as 0.5`,
			},
		},
		"booleans": {
			set: p("readallfields", "yes", "writeallfields", "0", "dataintegrity", "ture"),
			want: []string{
				`-p: readallfields: invalid boolean "yes": write true`,
				`-p: writeallfields: invalid boolean "0": write false`,
				`-p: dataintegrity: unknown value "ture"; did you mean "true"? (one of true, false)`,
			},
		},
		"times": {
			flags: slices.Concat(flag("--duration", "duration", "60"), flag("--interval", "interval", "50ms"), flag("--warmup", "warmup", "soon")),
			want: []string{
				`--duration: duration: invalid duration "60": missing unit; write 60s or 60ms`,
				"--interval: interval: 50ms is out of range: want 100ms to 1m0s",
				`--warmup: warmup: invalid duration "soon": want a number with a unit, such as 500ms, 90s or 1h30m`,
			},
		},
		"seconds": {
			set:  p("maxexecutiontime", "1m"),
			want: []string{`-p: maxexecutiontime: invalid number of seconds "1m": want an integer; write 60, or duration=1m0s`},
		},
		"shares":     {set: p("limit.notfound", "200%"), want: []string{"-p: limit.notfound: 200% is out of range: want a share from 0 to 1, or 0% to 100%"}},
		"a negative": {set: p("duration", "-1s"), want: []string{"-p: duration: -1s is out of range: want 0s to 876000h0m0s"}},
		"another workload": {
			file: "workload=com.yahoo.ycsb.workloads.RestWorkload\n",
			want: []string{"w:1: workload: RestWorkload is not supported: it replays traces of URLs against web servers, which benchd does not drive; remove the property to use CoreWorkload"},
		},
		"an unknown workload": {
			set:  p("workload", "org.example.Mine"),
			want: []string{`-p: workload: unknown value "org.example.Mine": benchd supports YCSB's CoreWorkload and TimeSeriesWorkload; remove the property, or write site.ycsb.workloads.CoreWorkload or site.ycsb.workloads.TimeSeriesWorkload`},
		},
		"a binding that is not ours": {
			set:  p("db", "site.ycsb.db.RedisClient"),
			want: []string{`-p: db: no target for YCSB's class "site.ycsb.db.RedisClient" (one of null, hbase, sandbox)`},
		},
		"a target misspelt": {
			flags: flag("--db", "db", "hbsae"),
			want:  []string{`--db: db: unknown value "hbsae"; did you mean "hbase"? (one of null, hbase, sandbox)`},
		},
		"Kerberos": {
			set: p("db", "hbase2", "columnfamily", "cf", "principal", "me@REALM", "hbase.security.authentication", "kerberos"),
			want: []string{
				"-p: principal: is not supported: a keytab belongs to the machine of an agent and is never archived: give it to the agents with --kerberos-keytab and --kerberos-principal, and set hbase.security.authentication=kerberos here",
				"-p: hbase.security.authentication: kerberos needs hbase.master.kerberos.principal: take it from hbase-site.xml of the cluster's clients (--hbase-conf), such as hbase/_HOST@EXAMPLE.COM",
				"-p: hbase.security.authentication: kerberos needs hbase.regionserver.kerberos.principal: take it from hbase-site.xml of the cluster's clients (--hbase-conf), such as hbase/_HOST@EXAMPLE.COM",
			},
		},
		"no column family": {
			flags: flag("--db", "db", "hbase"),
			want:  []string{"columnfamily: missing, and target hbase needs it; write columnfamily=family, or the family that the table has"},
		},
		"an unknown condition": {
			set:  p("warmup.until", "warm"),
			want: []string{`-p: warmup.until: unknown value "warm" (one of steady)`},
		},
		"two conditions for a warm-up": {
			set:  p("warmup.until", "steady", "warmup.ops", "1000"),
			want: []string{"-p: warmup.until: conflicts with warmup.ops (-p); set only one of them"},
		},
		"a warm-up that cannot become steady": {
			set:  p("warmup.until", "steady", "warmup", "20s"),
			want: []string{"-p: warmup: 20s is too short to detect a steady state, which takes 20 intervals of 1s and one second; write warmup=21s or more, or a shorter interval"},
		},
		"an unknown exporter": {
			set:  p("exporter", "org.example.Mine"),
			want: []string{`-p: exporter: unknown value "org.example.Mine": want YCSB's TextMeasurementsExporter, JSONMeasurementsExporter or JSONArrayMeasurementsExporter, with its package; remove the property for text`},
		},
		"percentiles": {
			set:  p("hdrhistogram.percentiles", "50,p99"),
			want: []string{`-p: hdrhistogram.percentiles: invalid percentile "p99": want numbers above 0 and up to 100, separated by commas, such as 50,95,99.9`},
		},
		"a seed": {set: p("seed", "lucky"), want: []string{`-p: seed: invalid seed "lucky": want an integer from 0 to 18446744073709551615`}},
		"a rate": {set: p("rate", "10k"), want: []string{`-p: rate: invalid number "10k": write 10000`}},
		"a rate of nothing": {
			set: p("rate", "0", "arrival", "fixed"), want: []string{"-p: rate: 0 offers no operation at all; write a rate above 0"},
		},
		"two meanings of one setting": {
			file: "duration=60s\nmaxexecutiontime=90\n",
			want: []string{"w:2: maxexecutiontime: means the same as duration (w:1); set only one of them"},
		},
		"two loops": {
			set:  p("target", "100", "rate", "200"),
			want: []string{"-p: rate: conflicts with target (-p); set only one of them"},
		},
		"two counts of threads": {
			flags: slices.Concat(flag("--threads", "threadcount", "2"), flag("--threads-total", "threads.total", "8")),
			want:  []string{"--threads-total: threads.total: conflicts with threadcount (--threads); set only one of them"},
		},
		"a rate in a closed loop": {
			set:  p("arrival", "closed", "rate", "200"),
			want: []string{"-p: rate: needs an open loop, but arrival is closed; write arrival=fixed or arrival=poisson, or use target to throttle a closed loop"},
		},
		"an open loop without a rate": {
			flags: flag("--arrival", "arrival", "poisson"),
			want:  []string{"--arrival: arrival: poisson needs a rate; write the operations per second, such as rate=1000"},
		},
		"an open loop with YCSB's target": {
			file: "target=700\n", flags: flag("--arrival", "arrival", "fixed"),
			want: []string{"--arrival: arrival: fixed needs a rate; target throttles a closed loop; write rate=700 instead"},
		},
		"rows that do not fit": {
			set:  p("recordcount", "100", "insertstart", "50", "insertcount", "60"),
			want: []string{"-p: recordcount: 100 is less than needed for the requested rows 50 to 109; write recordcount=110 or more, or lower insertstart and insertcount"},
		},
		"rows of a load that do not fit": {
			set:  p("insertstart", "950", "insertcount", "60", "phase", "load"),
			want: []string{"base:2: recordcount: 1000 is less than needed for the requested rows 950 to 1009; write recordcount=1010 or more, or lower insertstart and insertcount"},
		},
		"a start beyond the rows": {
			set:  p("recordcount", "100", "insertstart", "100"),
			want: []string{"-p: recordcount: 100 is less than needed for the requested rows 100 to 100; write recordcount=101 or more, or lower insertstart and insertcount"},
		},
		"a load of nothing": {
			set: p("recordcount", "0"), flags: flag("--phase", "phase", "load"),
			want: []string{"-p: recordcount: 0 leaves nothing to load; write the number of rows"},
		},
		"nothing to do": {
			set:  p("readproportion", "0", "updateproportion", "0"),
			want: []string{"-p: readproportion: 0 and all other proportions leave nothing to do; write a proportion above 0"},
		},
		"lengths": {
			set: p("scanproportion", "1", "minscanlength", "50", "maxscanlength", "10", "fieldlengthdistribution", "uniform", "minfieldlength", "101"),
			want: []string{
				"-p: minscanlength: 50 is more than maxscanlength=10; lower it, or raise maxscanlength",
				"-p: minfieldlength: 101 is more than fieldlength=100; lower it, or raise fieldlength",
			},
		},
		"values that cannot be checked": {
			set:  p("dataintegrity", "true", "fieldlengthdistribution", "uniform"),
			want: []string{"-p: fieldlengthdistribution: uniform conflicts with dataintegrity=true, which needs values of a fixed length; write fieldlengthdistribution=constant"},
		},
		"an exponential without a bend": {
			set: p("requestdistribution", "exponential", "exponential.percentile", "100", "exponential.frac", "0"),
			want: []string{
				"-p: exponential.percentile: 100 is out of range; write a number above 0 and below 100, such as 95",
				"-p: exponential.frac: 0 is out of range; write a number above 0 and up to 1",
			},
		},
		"rows that fit into no memory": {
			set:  p("fieldlength", "67108864"),
			want: []string{"-p: fieldlength: 67108864 makes one insert 6.71e+08 bytes long with fieldcount=10 and batchsize=1, more than the maximum of 268435456; lower one of the three"},
		},
		"a length that hangs on a wrong one": {
			set:  p("fieldlength", "x", "fieldlengthdistribution", "uniform", "minfieldlength", "200"),
			want: []string{`-p: fieldlength: invalid integer "x": want digits only, such as 1000`},
		},
		"no table":             {file: "table=\n", want: []string{"w:1: table: is empty; write the name of the table, or remove the property for usertable"}},
		"a table unprintable":  {file: "table=a\\u0007b\n", want: []string{`w:1: table: "a\ab" contains an unprintable character; remove it`}},
		"a key unprintable":    {file: "tab\\u0007le=x\n", want: []string{`w:1: "tab\ale": unknown property; did you mean table?`}},
		"a value without name": {file: "\n=5\n", want: []string{`w:2: missing name before the value; write name=value`}},
		"one mistake, one message": {
			set:  p("recordcount", "many", "insertcount", "99", "readproportion", "x", "updateproportion", "0"),
			want: []string{`-p: recordcount: invalid integer "many": want digits only, such as 1000`, `-p: readproportion: invalid number "x": want a decimal number, such as 0.5`},
		},
		"all of them, in the order of the places": {
			file: "threadcount=x\nrecrodcount=5\nfieldcount=y\n", set: p("interval", "1h"), flags: flag("--db", "db", "x"),
			want: []string{
				`w:1: threadcount: invalid integer "x": want digits only, such as 1000`,
				"w:2: recrodcount: unknown property; did you mean recordcount?",
				`w:3: fieldcount: invalid integer "y": want digits only, such as 1000`,
				"-p: interval: 1h is out of range: want 100ms to 1m0s",
				`--db: db: unknown value "x" (one of null, hbase, sandbox)`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			suite, _, err := reader().Parse(Submission{
				Files:      []File{file("base", "db=null\nrecordcount=1000\noperationcount=1000\n"), file("w", test.file)},
				Properties: test.set, Flags: test.flags,
			})
			require.Nil(t, suite)
			var problems property.Problems
			require.ErrorAs(t, err, &problems)
			require.Equal(t, test.want, strings.Split(err.Error(), "\n"))
		})
	}
}

func TestAnOverriddenValueIsNotValidated(t *testing.T) {
	suite, _ := good(t, Submission{
		Files:      []File{file("f", "recordcount=many\nrequestdistribution=zipfain\n")},
		Properties: slices.Concat(quiet, p("requestdistribution", "zipfian")),
	})
	require.Equal(t, int64(1000), suite.Cases[0].Settings.Workload.RecordCount)
}

func TestTargetsThatDoNotExistAreRefused(t *testing.T) {
	for db, want := range map[string]string{
		"cassandra":                       `unknown value "cassandra" (one of null, hbase, sandbox)`,
		"site.ycsb.db.CassandraCQLClient": `no target for YCSB's class "site.ycsb.db.CassandraCQLClient" (one of null, hbase, sandbox)`,
		"hbse":                            `unknown value "hbse"; did you mean "hbase"? (one of null, hbase, sandbox)`,
	} {
		_, _, err := reader().Parse(Submission{Properties: quiet, Flags: flag("--db", "db", db)})
		require.EqualError(t, err, "--db: db: "+want)
	}
	s := Submission{Properties: slices.Concat(quiet, p("columnfamily", "cf")), Flags: flag("--db", "db", "hbase")}
	_, _, err := reader().Parse(s)
	require.NoError(t, err)
	_, _, err = NewReader(nullspec.Target()).Parse(s)
	require.ErrorContains(t, err, `--db: db: unknown value "hbase" (one of null)`)
}

func TestUnsupportedOperationsAreRefused(t *testing.T) {
	_, _, err := reader().Parse(Submission{Properties: slices.Concat(quiet, p("appendproportion", "0.5", "incrementproportion", "0", "checkandputproportion", "0.1"))})
	const can = "; it supports READ, UPDATE, INSERT, SCAN, READ-MODIFY-WRITE, DELETE, MULTI-GET"
	require.EqualError(t, err, "-p: appendproportion: target null does not support APPEND"+can+"\n-p: checkandputproportion: target null does not support CHECK-AND-PUT"+can)
	_, _, err = reader().Parse(Submission{Properties: slices.Concat(quiet, p("appendproportion", "0.5", "phase", "load"))})
	require.NoError(t, err, "a load may use the file of a workload")
	_, err = reader().Resolve(map[string]string{"db": "null", "recordcount": "1", "operationcount": "1", "appendproportion": "0.5"})
	require.NoError(t, err, "runs of earlier releases can be read")

	readOnly := descriptor.Target{Name: "copy", Operations: []workload.Kind{workload.Read}}
	_, _, err = NewReader(readOnly).Parse(Submission{Properties: p("db", "copy", "recordcount", "1", "phase", "load")})
	require.EqualError(t, err, "-p: phase: target copy does not support INSERT; it supports READ")
}

func TestNamesNotesAndTagsAreValidated(t *testing.T) {
	_, _, err := reader().Parse(Submission{
		Properties: quiet, Name: "a\nb", Note: "bell \a", Tags: map[string]string{"": "x", "a": "\x1b[1m", "b": strings.Repeat("x", 5000)},
	})
	require.EqualError(t, err, strings.Join([]string{
		`--name: "a\nb" contains an unprintable character; remove it`,
		`--note: "bell \a" contains an unprintable character; remove it`,
		"--tag: missing name of a tag; write name=value",
		`--tag: a: "\x1b[1m" contains an unprintable character; remove it`,
		"--tag: b: is 5000 bytes long; the maximum is 4096",
	}, "\n"))
}

func TestTheWrongFileGetsOneScreen(t *testing.T) {
	var content strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&content, "chapter%d=call me Ishmael\n", i)
	}
	_, _, err := reader().Parse(Submission{Files: []File{file("novel", content.String())}})
	require.Len(t, err, mostProblems+1)
	require.ErrorContains(t, err, "novel:1: chapter0: unknown property")
	require.ErrorContains(t, err, "and 19960 more mistakes; are these properties files?")

	var problems property.Problems
	require.ErrorAs(t, fmt.Errorf("submit: %w", err), &problems)
	require.Equal(t, 2, problems.ExitCode())

	big := File{Name: "big", Content: []byte(strings.Repeat("#", maxFile))}
	_, _, err = reader().Parse(Submission{Files: []File{big, big, big, big, file("last", "a=b")}})
	require.ErrorContains(t, err, "last: exceeds, together with the files before it, the maximum of 4194304 bytes")
}

// FuzzParse checks that any submission is either refused with reasons, or means the same to the
// coordinator and to agents.
func FuzzParse(f *testing.F) {
	f.Add([]byte("recordcount=10\nrequestdistribution=zipfian"), "rate", "1 -> 2 over 3s", "null.service", "stall 1ms 1s/10s")
	f.Add([]byte("phase=load\ninsertstart=5\nrecordcount=10\\\n0"), "fieldlengthdistribution", "histogram", "fieldlengthhistogram.content", "BlockSize\t1\n0\t1\n")
	f.Add([]byte("target=5\nthreads=7\nmaxexecutiontime=60"), "threads.total", "5", "arrival", "closed")
	f.Add([]byte("dotransactions=false\ndb=hbase20\ncolumnfamily=cf"), "limit.errors", "5%", "seed", "7")
	f.Add([]byte("hdrhistogram.percentiles=50, 99.9"), "exponential.frac", "1e-300", "readproportion", "-0")
	f.Fuzz(func(t *testing.T, content []byte, key, value, flagKey, flagValue string) {
		s := Submission{Files: []File{{Name: "f", Content: content}}, Properties: p(key, value), Flags: flag("--f", flagKey, flagValue)}
		reader().Needs(s)
		suite, warnings, err := reader().Parse(s)
		for _, w := range warnings {
			if strings.ContainsAny(w.String(), "\n\x00") {
				t.Errorf("warning %q spoils the terminal", w)
			}
		}
		if err != nil {
			for i, line := range strings.Split(err.Error(), "\n") {
				if line == "" || i > mostProblems {
					t.Errorf("problem %d of %q has no text or is too many", i, err)
				}
			}
			return
		}
		c := suite.Cases[0]
		settings, err := reader().Resolve(c.Properties)
		if err != nil {
			t.Fatalf("agents refuse %q: %v", differing(c.Properties), err)
		}
		if want, got := fmt.Sprintf("%+v", c.Settings), fmt.Sprintf("%+v", settings); want != got && c.Settings.Workload.FieldLengthHistogram == nil {
			t.Errorf("agents understand %s, not %s", got, want)
		}
		if phases := plan.Phases(settings); len(phases) == 0 {
			t.Error("nothing is executed")
		}
		if _, err := nullspec.Read(c.Properties); err != nil {
			t.Errorf("the null target refuses %q: %v", differing(c.Properties), err)
		}
	})
}
