package hbase_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/target/hbase/gohbase"
	"github.com/benchd/benchd/internal/workload"
)

// catalogue makes a fake a server of hbase:meta, too, and intercepts the other requests.
func catalogue(f *fake, regions func(key string) (name, start, stop string), other func(*request) *reply) {
	f.do(func(r *request) *reply {
		var scan pb.ScanRequest
		if r.header.GetMethodName() != "Scan" || proto.Unmarshal(r.param, &scan) != nil || !strings.HasPrefix(string(scan.GetRegion().GetValue()), "hbase:meta") {
			if other == nil {
				return nil
			}
			return other(r)
		}
		key, _ := strings.CutPrefix(string(scan.GetScan().GetStartRow()), "usertable,")
		name, start, stop := regions(strings.TrimSuffix(key, ",:"))
		info, err := proto.Marshal(&pb.RegionInfo{
			RegionId: new(uint64(1)), TableName: &pb.TableName{Namespace: []byte("default"), Qualifier: []byte("usertable")},
			StartKey: []byte(start), EndKey: []byte(stop),
		})
		if err != nil {
			return &reply{hangUp: true}
		}
		return &reply{
			message: &pb.ScanResponse{
				CellsPerResult: []uint32{2}, PartialFlagPerResult: []bool{false}, MoreResults: new(true), MoreResultsInRegion: new(false),
			},
			cells: append(kv(name, "info", "regioninfo", "PBUF"+string(info)), kv(name, "info", "server", f.addr())...),
		}
	})
}

// whole is a catalogue of one region.
func whole(string) (name, start, stop string) { return "usertable,,1.abc.", "", "" }

// second opens a session of gohbase on a server.
func second(t *testing.T, dial *outbound.Dialer, f *fake, pairs ...string) (*gohbase.Client, func(op workload.Op) workload.Outcome) {
	t.Helper()
	c, err := gohbase.New(gohbase.Config{
		Settings: settings(t, append(pairs, "hbase.client", "gohbase")...), Dial: dial,
		Meta:   func(context.Context) (string, error) { return f.addr(), nil },
		CodeOf: func(error) workload.Code { return workload.Forbidden },
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	s := c.Open(0)
	return c, func(op workload.Op) workload.Outcome { return s.Do(t.Context(), &op) }
}

// A region whose name is what gohbase looks keys up by makes it call log.Fatal in the worker.
func TestAFatalErrorOfGohbaseFailsTheOperation(t *testing.T) {
	f := newFake(t)
	f.put("k", map[string]string{"f": "v"})
	f.put("other", map[string]string{"f": "v"})
	catalogue(f, func(string) (name, start, stop string) { return "usertable,k,:", "", "" }, nil)
	_, do := second(t, nil, f)
	require.Equal(t, workload.OK, do(*read("other")).Code)
	for range 2 {
		out := do(*read("k"))
		require.Equal(t, workload.Error, out.Code)
		require.EqualError(t, out.Err, `gohbase called log.Fatal, which would have ended the process of an application: WTF: got exact match for region search key "usertable,k,:"`)
	}
	require.Equal(t, workload.OK, do(*read("other")).Code, "the client is not locked")
}

// The same under the lock of the cache, while a region is added: the lock is released.
func TestAFatalErrorUnderALockOfGohbaseReleasesIt(t *testing.T) {
	f := newFake(t)
	f.put("n", map[string]string{"f": "v"})
	f.put("z", map[string]string{"f": "v"})
	catalogue(f, func(key string) (name, start, stop string) {
		if key < "z" {
			return "usertable,m,:", "", "z"
		}
		return "usertable,m,1.abc.", "m", ""
	}, nil)
	_, do := second(t, nil, f)
	require.Equal(t, workload.OK, do(*read("n")).Code)
	out := do(*read("z"))
	require.Equal(t, workload.Error, out.Code)
	require.ErrorContains(t, out.Err, `WTF: found a region with exact name as the search key "usertable,m,:"`)
	require.Equal(t, workload.OK, do(*read("z")).Code)
	require.Equal(t, workload.OK, do(*read("n")).Code)
}

// Each place where gohbase ends the process was examined. A version with another one needs a look.
func TestThePlacesOfFatal(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/tsuna/gohbase").Output()
	require.NoError(t, err)
	dir := strings.TrimSpace(string(out))
	calls := regexp.MustCompile(`(\.Fatal|os\.Exit|\.Panic)[a-z]*\((.*)`)
	var found []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range calls.FindAllStringSubmatch(string(text), -1) {
			found = append(found, strings.TrimPrefix(path, dir+"/")+": "+m[2])
		}
		return nil
	}))
	slices.Sort(found)
	require.Equal(t, []string{
		"caches.go: ", // the tree has no first element, although it has elements
		"caches.go: ", // nor has a position in it
		`caches.go: "WTF: found a region with exact name as the search key %q", key)`,
		`caches.go: "WTF: got exact match for region search key %q", key)`,
		`rpc.go: "unknown error occured when looking up region")`, //nolint:misspell // gohbase's; of a context that has not ended
		`zk/client.go: "%s was empty!", resource)`,                // replaced by a hook
	}, found)
}

func TestGohbaseSendsAgainAndCountsIt(t *testing.T) {
	f := newFake(t)
	f.put("k", map[string]string{"f": "v"})
	var busy atomic.Int32
	catalogue(f, whole, func(r *request) *reply {
		if r.header.GetMethodName() == "Get" && strings.Contains(string(r.param), "\x01k") && busy.Add(1) <= 2 {
			return &reply{exception: "org.apache.hadoop.hbase.CallQueueTooBigException: full"}
		}
		return nil
	})
	c, do := second(t, nil, f)
	require.Equal(t, workload.OK, do(*read("k")).Code)
	retries, dials, lookups := c.Counts()
	require.Equal(t, []int64{2, 2, 1}, []int64{retries, dials, lookups}, "hbase:meta and the region are dialled")
}

func TestAnExceptionThatGohbaseHidesHasItsName(t *testing.T) {
	f := newFake(t)
	catalogue(f, whole, func(r *request) *reply {
		if r.header.GetMethodName() == "Mutate" {
			return &reply{exception: "org.apache.hadoop.hbase.security.AccessDeniedException: no"}
		}
		return nil
	})
	_, do := second(t, nil, f)
	out := do(workload.Op{Kind: workload.Update, Key: []byte("k"), Fields: b("f"), Values: b("v")})
	require.EqualError(t, out.Err, "AccessDeniedException: no")
	require.Equal(t, workload.Forbidden, out.Code)
}

func TestAnOperationOfGohbaseEndsInTime(t *testing.T) {
	f := newFake(t)
	catalogue(f, whole, func(r *request) *reply {
		if r.header.GetMethodName() == "Mutate" {
			return &reply{nothing: true}
		}
		return nil
	})
	_, do := second(t, nil, f, "hbase.client.operation.timeout", "200")
	out := do(workload.Op{Kind: workload.Update, Key: []byte("k"), Fields: b("f"), Values: b("v")})
	require.Equal(t, workload.Timeout, out.Code)
	require.EqualError(t, out.Err, "not done within 200ms (hbase.client.operation.timeout); gohbase does not report why")
}

// gohbase dials by itself, so the operator's rules are checked before it does.
func TestGohbaseConnectsOnlyWhereItMay(t *testing.T) {
	f := newFake(t)
	catalogue(f, whole, nil)
	dial, err := outbound.New([]string{"10.0.0.0/8"})
	require.NoError(t, err)
	_, do := second(t, dial.Named("hbase:meta"), f, "hbase.client.operation.timeout", "300")
	out := do(*read("k"))
	require.Equal(t, workload.Timeout, out.Code)
	require.ErrorContains(t, out.Err, "refuse to connect to "+f.addr()+", which hbase:meta names")
	require.Zero(t, f.connections())
}

// Batches of gohbase are encoded after an operation may have ended.
func TestGohbaseBatches(t *testing.T) {
	f := newFake(t)
	var batches atomic.Int32
	catalogue(f, whole, func(r *request) *reply {
		if r.header.GetMethodName() == "Multi" {
			batches.Add(1)
		}
		return nil
	})
	_, do := second(t, nil, f, "gohbase.rpcQueueSize", "8", "gohbase.flushInterval", "30ms")
	began := time.Now()
	require.Equal(t, workload.OK, do(workload.Op{Kind: workload.Update, Key: []byte("k"), Fields: b("f"), Values: b("v")}).Code)
	require.GreaterOrEqual(t, time.Since(began), 30*time.Millisecond, "a lone call waits for others")
	require.EqualValues(t, 1, batches.Load())
}

// gohbase looks for hbase:meta forever. TestMain finds what is left of it.
func TestTheGoroutinesOfGohbaseEnd(t *testing.T) {
	f := newFake(t)
	f.put("k", map[string]string{"f": "v"})
	catalogue(f, whole, nil)
	var lost atomic.Bool
	c, err := gohbase.New(gohbase.Config{
		Settings: settings(t, "hbase.client", "gohbase", "hbase.client.operation.timeout", "100"),
		Meta: func(context.Context) (string, error) {
			if lost.Load() {
				return "", errors.New("no ZooKeeper")
			}
			return f.addr(), nil
		},
		CodeOf: func(error) workload.Code { return workload.Error },
	})
	require.NoError(t, err)
	s := c.Open(0)
	require.Equal(t, workload.OK, s.Do(t.Context(), read("k")).Code)
	lost.Store(true)
	f.stop()
	require.Equal(t, workload.Timeout, s.Do(t.Context(), read("k")).Code)
	c.Close()
}
