package agent

import (
	"maps"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/net"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/observe"
)

// schedLatencies is the runtime's histogram of how long runnable goroutines waited for a processor.
const schedLatencies = "/sched/latencies:seconds"

// enough is the processor time in seconds that the host must have counted for an idle share to be meaningful: the host
// counts hundredths.
const enough = 0.1

// sampler reports the load of the machine and the process since the last sample: the proof that the generator was not the
// limit (law 7). Unknown values are zero; with zero Cores nothing is known about the processors.
type sampler struct {
	mu    sync.Mutex
	cores int // of the machine
	last  snapshot
}

// snapshot has the counters since the machine or the process started.
type snapshot struct {
	at         clock.Instant
	cpus       cpuSet  // that the process may use
	busy, idle float64 // seconds of these processors
	own        float64 // of the process
	rx, tx     uint64
	nics       map[string]traffic // of interfaces with a known speed
	gc         debug.GCStats
	waits      *metrics.Float64Histogram
}

func newSampler() *sampler {
	s := &sampler{}
	if n, err := cpu.Counts(true); err == nil {
		s.cores = n
	}
	s.last = read(s.cores)
	return s
}

func read(cores int) snapshot {
	now := snapshot{at: clock.Mono()}
	now.cpus = allowed(cores)
	if times, err := cpu.Times(now.cpus != nil); err == nil {
		for _, t := range times {
			if now.cpus == nil || now.cpus[t.CPU] {
				now.idle += t.Idle + t.Iowait
				now.busy += t.User + t.System + t.Nice + t.Irq + t.Softirq + t.Steal // guests are in User and Nice
			}
		}
	}
	now.own = ownSeconds()
	if all, err := net.IOCounters(true); err == nil {
		now.nics = make(map[string]traffic, len(all))
		for _, nic := range all {
			now.rx, now.tx = now.rx+nic.BytesRecv, now.tx+nic.BytesSent
			if speed := observe.LinkSpeed(nic.Name); speed > 0 {
				now.nics[nic.Name] = traffic{nic.BytesRecv, nic.BytesSent, speed}
			}
		}
	}
	debug.ReadGCStats(&now.gc)
	read := []metrics.Sample{{Name: schedLatencies}}
	metrics.Read(read)
	if read[0].Value.Kind() == metrics.KindFloat64Histogram {
		now.waits = read[0].Value.Float64Histogram()
	}
	return now
}

// sample returns the load since the last sample.
func (s *sampler) sample() latency.Health {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, now := s.last, read(s.cores)
	s.last = now
	h := latency.Health{Cores: float64(s.cores)}
	if now.cpus != nil {
		h.Cores = float64(len(now.cpus))
	}
	if seconds := now.at.Sub(before.at).Seconds(); seconds > 0 {
		h.OwnCPU = max(0, now.own-before.own) / seconds
	}
	idle, busy := max(0, now.idle-before.idle), max(0, now.busy-before.busy)
	if idle+busy >= enough && maps.Equal(before.cpus, now.cpus) {
		h.HostIdle = idle / (idle + busy)
	} else {
		h.Cores = 0
	}
	h.NetUse = netUse(before.nics, now.nics, now.at.Sub(before.at))
	h.NetRx, h.NetTx = grown(before.rx, now.rx), grown(before.tx, now.tx)
	h.GCPauses = int(now.gc.NumGC - before.gc.NumGC)
	h.GCPauseTotal = now.gc.PauseTotal - before.gc.PauseTotal
	for _, p := range now.gc.Pause[:min(h.GCPauses, len(now.gc.Pause))] { // newest first
		h.GCPauseMax = max(h.GCPauseMax, p)
	}
	h.SchedLagP99, h.SchedLagMax = waited(before.waits, now.waits)
	return h
}

// traffic is what an interface has carried, and its speed in bytes per second.
type traffic struct {
	rx, tx uint64
	speed  float64
}

// netUse returns the utilization of the busiest interface in its busier direction.
func netUse(before, now map[string]traffic, d time.Duration) float64 {
	use := 0.0
	for name, after := range now {
		if was, ok := before[name]; ok && d > 0 {
			most := max(grown(was.rx, after.rx), grown(was.tx, after.tx))
			use = max(use, float64(most)/(after.speed*d.Seconds()))
		}
	}
	return min(use, 1)
}

// grown returns the growth of a counter, which restarts when an interface is removed.
func grown(before, now uint64) uint64 {
	if now < before {
		return 0
	}
	return now - before
}

// waited returns the 99th percentile and the maximum of the waits between two readings, each as the upper bound of its
// bucket.
func waited(before, now *metrics.Float64Histogram) (p99, most time.Duration) {
	if before == nil || now == nil || len(before.Counts) != len(now.Counts) {
		return 0, 0
	}
	var total uint64
	for i := range now.Counts {
		total += now.Counts[i] - before.Counts[i]
	}
	rank := total - total/100
	var sum uint64
	for i := range now.Counts {
		n := now.Counts[i] - before.Counts[i]
		if n == 0 {
			continue
		}
		upper := now.Buckets[i+1]
		if math.IsInf(upper, 1) {
			upper = now.Buckets[i]
		}
		at := time.Duration(upper * 1e9)
		if sum < rank && sum+n >= rank {
			p99 = at
		}
		sum += n
		most = at
	}
	return p99, most
}
