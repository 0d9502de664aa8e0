package doctor

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// made is a fake machine that is good for measuring, unless a test changes it.
type made struct {
	files map[string]string
	later map[string]string // what files hold after the pause
	clock ClockStatus
	space Space
}

func goodMachine() *made {
	return &made{
		files: map[string]string{
			"proc/self/limits": "Limit                     Soft Limit           Hard Limit           Units     \n" +
				"Max processes             96365                96365                processes \n" +
				"Max open files            1048576              1048576              files     \n",
			"proc/stat":    "cpu  1000 0 1000 50000 0 0 0 0 0 0\ncpu0 1 2 3\n",
			"proc/meminfo": "MemTotal:       65536000 kB\nMemFree:        1000 kB\nMemAvailable:   60000000 kB\n",
			"sys/devices/system/cpu/cpufreq/policy0/scaling_governor": "performance\n",
			"sys/devices/system/cpu/cpufreq/policy1/scaling_governor": "performance\n",
			"sys/devices/system/cpu/cpu0/cpuidle/state0/latency":      "0\n",
			"sys/devices/system/cpu/cpu0/cpuidle/state0/name":         "POLL\n",
			"sys/devices/system/cpu/cpu0/cpuidle/state1/latency":      "2\n",
			"sys/devices/system/cpu/cpu0/cpuidle/state1/name":         "C1\n",
			"sys/devices/system/cpu/cpu0/cpuidle/state2/latency":      "133\n",
			"sys/devices/system/cpu/cpu0/cpuidle/state2/name":         "C6\n",
			"sys/devices/system/cpu/cpu0/cpuidle/state2/disable":      "1\n",
			"sys/fs/cgroup/cpu.max":                                   "max 100000\n",
			"sys/class/net/lo/operstate":                              "unknown\n",
			"sys/class/net/eth0/device/vendor":                        "0x8086\n",
			"sys/class/net/eth0/operstate":                            "up\n",
			"sys/class/net/eth0/speed":                                "25000\n",
			"sys/class/net/eth0/duplex":                               "full\n",
			"sys/class/net/eth1/device/vendor":                        "0x8086\n",
			"sys/class/net/eth1/operstate":                            "down\n",
			"sys/class/net/eth1/speed":                                "10\n",
		},
		later: map[string]string{"proc/stat": "cpu  1002 0 1002 50196 0 0 0 0 0 0\n"},
		clock: ClockStatus{Synchronized: true, MaxError: 1234567 * time.Nanosecond},
		space: Space{Free: 100 << 30, Total: 200 << 30},
	}
}

func (m *made) machine() Machine {
	files := fstest.MapFS{}
	for name, content := range m.files {
		files[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return Machine{
		FS:    files,
		Clock: func() (ClockStatus, error) { return m.clock, nil },
		Space: func(string) (Space, error) { return m.space, nil },
		Pause: func(context.Context, time.Duration) error {
			for name, content := range m.later {
				files[name] = &fstest.MapFile{Data: []byte(content)}
			}
			return nil
		},
	}
}

func (m *made) examine(t *testing.T) []Finding {
	t.Helper()
	return m.machine().Examine(t.Context(), Use{Folders: []Folder{{Flag: "--data", Dir: "d"}}, Ports: []Port{{Flag: "--listen", Address: "127.0.0.1:0"}}})
}

func TestAGoodMachineHasNoCures(t *testing.T) {
	findings := goodMachine().examine(t)
	require.Len(t, findings, 10)
	for _, f := range findings {
		require.Equal(t, OK, f.Verdict, "%+v", f)
		require.Empty(t, f.Cure, "%+v", f)
		require.NotEmpty(t, f.Found)
	}
}

// Each problem of a machine is found, and no other with it.
func TestProblemsOfAMachineAreFound(t *testing.T) {
	const idle, net0 = "sys/devices/system/cpu/cpu0/cpuidle/state2/disable", "sys/class/net/eth0/"
	file := func(name, content string) func(*made) { return func(m *made) { m.files[name] = content } }
	gone := func(names ...string) func(*made) {
		return func(m *made) {
			for _, n := range names {
				for name := range m.files {
					if strings.HasPrefix(name, n) {
						delete(m.files, name)
					}
				}
			}
		}
	}
	busy := func(stat string) func(*made) { return func(m *made) { m.later["proc/stat"] = stat } }
	for name, tt := range map[string]struct {
		spoil         func(*made)
		finding       string
		want          Verdict
		text, curedBy string
	}{
		"clock runs free":     {func(m *made) { m.clock = ClockStatus{} }, "clock_sync", Warn, "not synchronized", "chronyd"},
		"few files":           {file("proc/self/limits", "Max open files            4096  4096  files"), "file_limit", Warn, "4096", "ulimit -n"},
		"very few files":      {file("proc/self/limits", "Max open files            256  256  files"), "file_limit", Bad, "256", "LimitNOFILE"},
		"no limits":           {gone("proc/self/limits"), "file_limit", Unknown, "not exist", "ulimit"},
		"somewhat busy":       {busy("cpu  1050 0 1050 50100 0 0 0 0"), "cpu_idle", Warn, "50 %", "top"},
		"busy":                {busy("cpu  1090 0 1100 50010 0 0 0 0"), "cpu_idle", Bad, "5 %", "top"},
		"stolen":              {busy("cpu  1000 0 1000 50010 0 0 0 190"), "cpu_idle", Bad, "5 %", "another machine"},
		"waits for disks":     {busy("cpu  1000 0 1000 50100 0 100 0 0"), "cpu_idle", Warn, "50 %", "top"},
		"counters are stuck":  {busy("cpu  1000 0 1000 50000 0 0 0 0"), "cpu_idle", Unknown, "do not advance", "top"},
		"powersave":           {file("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave"), "cpu_governor", Warn, "performance, powersave", "cpupower"},
		"no governor":         {gone("sys/devices/system/cpu/cpufreq"), "cpu_governor", Unknown, "virtual", "host"},
		"deep sleep":          {file(idle, "0\n"), "cpu_idle_states", Warn, "C6, which takes 133µs", "idle-set"},
		"no idle states":      {gone("sys/devices/system/cpu/cpu0"), "cpu_idle_states", Unknown, "virtual", "host"},
		"quota":               {file("sys/fs/cgroup/cpu.max", "150000 100000\n"), "cpu_quota", Warn, "1.5 processors", "resources.limits.cpu"},
		"strange quota":       {file("sys/fs/cgroup/cpu.max", "x y"), "cpu_quota", Unknown, "invalid quota", "container"},
		"less memory":         {file("proc/meminfo", "MemTotal: 8000000 kB\nMemAvailable: 1000000 kB\n"), "memory", Warn, "977 MiB of 7.6 GiB", "more memory"},
		"little memory":       {file("proc/meminfo", "MemTotal: 8000000 kB\nMemAvailable: 100000 kB\n"), "memory", Bad, "98 MiB", "more memory"},
		"strange memory":      {file("proc/meminfo", "MemTotal: much kB"), "memory", Unknown, `"much"`, "free"},
		"1 Gbit/s":            {file(net0+"speed", "1000\n"), "nic_speed", Warn, "1000 Mbit/s", "113000 rows"},
		"100 Mbit/s":          {file(net0+"speed", "100\n"), "nic_speed", Bad, "100 Mbit/s", "cable"},
		"half duplex":         {file(net0+"duplex", "half\n"), "nic_speed", Bad, "half duplex", "negotiate"},
		"virtual interface":   {file(net0+"speed", "-1\n"), "nic_speed", Unknown, "does not report", "ethtool"},
		"no interface":        {gone("sys/class/net/eth"), "nic_speed", Unknown, "container", "ethtool"},
		"disk is filling":     {func(m *made) { m.space.Free = 2 << 30 }, "disk", Warn, "2.0 GiB of 200.0 GiB", "--data"},
		"disk is full":        {func(m *made) { m.space.Free = 1 << 20 }, "disk", Bad, "1 MiB", "free some space"},
		"disk is not for us":  {func(m *made) { m.space.Refused = fs.ErrPermission }, "disk", Bad, "permission denied", "let benchd's user write"},
		"no processor sleeps": {file("sys/devices/system/cpu/cpu0/cpuidle/state1/latency", "60"), "cpu_idle_states", Warn, "C1", "idle-set"},
	} {
		t.Run(name, func(t *testing.T) {
			m := goodMachine()
			tt.spoil(m)
			seen := false
			for _, f := range m.examine(t) {
				if f.Name != tt.finding {
					require.Equal(t, OK, f.Verdict, "%+v", f)
					continue
				}
				seen = true
				require.Equal(t, tt.want, f.Verdict, "%+v", f)
				require.Contains(t, f.Found, tt.text)
				require.Contains(t, f.Cure, tt.curedBy)
			}
			require.True(t, seen)
		})
	}
}

func TestAllIdleStatesDisabledIsGood(t *testing.T) {
	m := goodMachine()
	for _, n := range []string{"0", "1"} {
		m.files["sys/devices/system/cpu/cpu0/cpuidle/state"+n+"/disable"] = "1"
	}
	deepest, err := m.machine().idleStates()
	require.NoError(t, err)
	require.Equal(t, found("", "all disabled"), checkIdleStates(deepest))
}

func TestAPortIsTried(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	taken := l.Addr().String()
	defer func() { require.NoError(t, l.Close()) }()
	ours := func(context.Context, string) (string, bool) { return "a coordinator (v1)", true }
	theirs := func(context.Context, string) (string, bool) { return "", false }

	f := Port{Flag: "--listen", Address: taken}.examine(t.Context())
	require.Equal(t, Bad, f.Verdict)
	require.Equal(t, "--listen "+taken, f.On)
	require.Contains(t, f.Found, "address already in use")
	require.Contains(t, f.Cure, "ss -ltnp")
	require.Equal(t, Bad, Port{Flag: "--listen", Address: taken, Serves: theirs}.examine(t.Context()).Verdict)

	f = Port{Flag: "--listen", Address: taken, Serves: ours}.examine(t.Context())
	require.Equal(t, OK, f.Verdict)
	require.Equal(t, "in use by a coordinator (v1)", f.Found)

	f = Port{Flag: "--http", Address: "192.0.2.1:7071"}.examine(t.Context())
	require.Equal(t, Bad, f.Verdict)
	require.Contains(t, f.Cure, "of this machine with --http")
	require.Equal(t, "any free one", Port{Address: "127.0.0.1:0"}.examine(t.Context()).Found)
	require.Equal(t, Bad, checkPort(Port{Flag: "--http"}, errors.New("x"), "").Verdict)
}

// The machine that the test runs on can be examined, which leaves no trace.
func TestThisMachine(t *testing.T) {
	dir := t.TempDir()
	for _, f := range This().Examine(t.Context(), Use{Folders: []Folder{{Flag: "--data", Dir: filepath.Join(dir, "a", "b")}}}) {
		require.NotEmpty(t, f.Name)
		require.NotEmpty(t, f.Found)
		require.True(t, f.Verdict == OK || f.Cure != "", "%+v", f)
		require.False(t, f.Name == "disk" && f.Verdict == Unknown, "%+v", f)
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = This().idle(ended)
	require.ErrorIs(t, err, context.Canceled)
}

func TestAReportIsForPeopleAndScripts(t *testing.T) {
	m := goodMachine()
	m.clock = ClockStatus{}
	m.files["sys/class/net/eth0/speed"] = "100"
	report := NewReport("v1", append(m.examine(t), checkPort(Port{}, nil, "")))
	require.Equal(t, Bad, report.Verdict)
	require.False(t, report.OutOfReach(), "a slow network is none")
	var b strings.Builder
	require.NoError(t, report.Text(&b))
	golden(t, "report.txt", b.String())
	require.Equal(t, OK, NewReport("v1", goodMachine().examine(t)).Verdict)
	require.True(t, NewReport("v1", []Finding{Unreachable("c:1", errors.New("x"))}).OutOfReach())

	b.Reset()
	hostile := Finding{Name: "x\x1b[2J", Agent: "a\nok  b", Found: "f\tg", Verdict: OK}
	require.NoError(t, NewReport("v1", []Finding{hostile}).Text(&b))
	require.Equal(t, "ok  a ok  b: x [2J  f g\n\n1 ok\n", b.String(), "what others say stays in its line")
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o750))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// FuzzProc checks that no text of a kernel makes the parsers panic.
func FuzzProc(f *testing.F) {
	for _, content := range goodMachine().files {
		f.Add(content)
	}
	f.Add("cpu 1 2 3 99999999999999999999")
	f.Add("9223372036854775807 1")
	f.Fuzz(func(t *testing.T, content string) {
		m := goodMachine()
		for name := range m.files {
			m.files[name] = content
		}
		for _, f := range m.examine(t) {
			require.True(t, f.Verdict == OK || f.Cure != "", fmt.Sprint(f))
		}
	})
}
