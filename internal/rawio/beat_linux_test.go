package rawio_test

import (
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/benchd/benchd/internal/rawio"
)

// echoes makes the test's program answer, as a process of its own.
const echoes = "BENCHD_KERNEL_TEST_ECHO"

func TestMain(m *testing.M) {
	if os.Getenv(echoes) != "" {
		echo(os.NewFile(3, "peer"))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// echo answers each byte after 200 µs.
func echo(peer *os.File) {
	b := make([]byte, 1)
	for {
		if _, err := peer.Read(b); err != nil {
			return
		}
		pause := unix.NsecToTimespec(int64(200 * time.Microsecond))
		_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &pause, nil)
		if _, err := peer.Write(b); err != nil {
			return
		}
	}
}

// peer starts a process that answers, and returns the connection to it.
func peer(t testing.TB) *net.UnixConn {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	theirs, ours := os.NewFile(uintptr(pair[0]), "theirs"), os.NewFile(uintptr(pair[1]), "ours")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), echoes+"=1")
	cmd.ExtraFiles = []*os.File{theirs}
	require.NoError(t, cmd.Start())
	require.NoError(t, theirs.Close())
	conn, err := net.FileConn(ours)
	require.NoError(t, err)
	require.NoError(t, ours.Close())
	t.Cleanup(func() {
		_ = conn.Close()
		_ = cmd.Wait() // it ends with the connection
	})
	return conn.(*net.UnixConn)
}

// rawConn is a connection with raw reads and writes.
type rawConn struct{ raw syscall.RawConn }

// Read waits until there are bytes, and reads them.
func (c rawConn) Read(b []byte) (n int, err error) {
	var errno syscall.Errno
	if err := c.raw.Read(func(fd uintptr) bool { n, errno = readRaw(fd, b); return errno != syscall.EAGAIN }); err != nil {
		return 0, err
	}
	return n, errnoError(errno)
}

// Write writes what can be written at once.
func (c rawConn) Write(b []byte) (n int, err error) {
	var errno syscall.Errno
	if err := c.raw.Write(func(fd uintptr) bool { n, errno = writeRaw(fd, b); return errno != syscall.EAGAIN }); err != nil {
		return 0, err
	}
	return n, errnoError(errno)
}

func errnoError(errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}

// beside does operations on a peer, one after another, while goroutines now and then compute for half a second without a
// call. It returns how long each operation took, and how many got their answer only at the end of a computation that had
// begun while they were in flight. A computation that did not begin in time does not count: the machine stalled, and the
// answer had already arrived.
func beside(t testing.TB, conn io.ReadWriter, computations int) (times []time.Duration, stuck int) {
	t.Helper()
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	b := make([]byte, 1)
	counted := 0
	for tries := 0; counted < computations; tries++ {
		require.Less(t, tries, 10*computations, "computations begin after the answer")
		var begun, over atomic.Bool
		done := make(chan struct{})
		for i := range 400 {
			if i == 399 {
				go func() {
					defer close(done)
					begun.Store(true)
					for began := time.Now(); time.Since(began) < 500*time.Millisecond; {
						continue
					}
					over.Store(true)
				}()
			}
			sent := time.Now()
			_, err := conn.Write(b)
			require.NoError(t, err)
			_, err = io.ReadFull(conn, b)
			require.NoError(t, err)
			times = append(times, time.Since(sent))
		}
		if begun.Load() {
			counted++
		}
		if begun.Load() && over.Load() {
			stuck++
		}
		<-done
	}
	slices.Sort(times)
	return times, stuck
}

// The runtime's monitor sleeps through raw system calls: a goroutine that computes keeps the only processor, and an answer
// that arrives meanwhile is not read. With a heartbeat it is, as without raw calls. The majority counts: a machine that
// stalls for half a second delays an answer, too.
func TestAHeartbeatBoundsHowLongAComputationHoldsUpAnswers(t *testing.T) {
	const computations = 5
	for _, test := range []struct {
		name      string
		raw, beat bool
		stuck     func(n int) bool
	}{
		{"calls that the runtime knows of", false, false, func(n int) bool { return n <= computations/2 }},
		{"raw calls", true, false, func(n int) bool { return n > computations/2 }},
		{"raw calls while a heart beats", true, true, func(n int) bool { return n <= computations/2 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			conn := peer(t)
			var rw io.ReadWriter = conn
			if test.raw {
				raw, err := conn.SyscallConn()
				require.NoError(t, err)
				rw = rawConn{raw}
			}
			if test.beat {
				defer rawio.Beat()()
			}
			times, stuck := beside(t, rw, computations)
			t.Logf("p50 %v, p99.9 %v, max %v; %d of %d answers seen only after the computation",
				times[len(times)/2], times[len(times)*999/1000-1], times[len(times)-1], stuck, computations)
			require.True(t, test.stuck(stuck), "%d of %d answers were seen only after the computation", stuck, computations)
		})
	}
}

// BenchmarkBeat shows the cost of a heartbeat in an otherwise idle process.
func BenchmarkBeat(b *testing.B) {
	for _, beats := range []bool{false, true} {
		b.Run(map[bool]string{false: "none", true: "beating"}[beats], func(b *testing.B) {
			if beats {
				defer rawio.Beat()()
			}
			before := cpu(b)
			began := time.Now()
			for b.Loop() {
				<-time.After(time.Second)
			}
			b.ReportMetric(float64((cpu(b)-before).Microseconds())/time.Since(began).Seconds(), "µs-CPU/s")
		})
	}
}

// cpu is the CPU time of the process.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
