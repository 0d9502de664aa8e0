package observe

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/mem"
	"github.com/shirou/gopsutil/v4/net"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/result"
)

// Host watches the machine that this process runs on.
type Host struct {
	name   string
	speeds map[string]float64 // bytes per second, by interface; 0 if unknown
}

// NewHost makes a Source of this machine, under the name of its agent.
func NewHost(name string) *Host { return &Host{name: name, speeds: make(map[string]float64)} }

// Close does nothing.
func (*Host) Close() {}

// Look reads the operating system's counters. Figures that it does not provide are left out.
func (h *Host) Look(ctx context.Context) Look {
	now := host{busy: make(map[string]float64)}
	if times, err := cpu.TimesWithContext(ctx, false); err == nil && len(times) == 1 {
		t := times[0]
		now.hasCPU = true
		now.idle = t.Idle + t.Iowait
		now.cpu = now.idle + t.User + t.System + t.Nice + t.Irq + t.Softirq + t.Steal // guests are in User and Nice
	}
	if m, err := mem.VirtualMemoryWithContext(ctx); err == nil {
		now.hasMem, now.memory, now.available = true, float64(m.Total), float64(m.Available)
	}
	if disks, err := disk.IOCountersWithContext(ctx); err == nil {
		for name, d := range disks {
			if virtualDisk(name) || partition(name) {
				continue
			}
			now.hasDisk = true
			now.read += float64(d.ReadBytes)
			now.written += float64(d.WriteBytes)
			if len(now.busy) < maxDisks {
				now.busy[name] = float64(d.IoTime) / 1000
			}
		}
	}
	readings := h.network(ctx, &now)
	readings = append(figures(result.HostFigures, now), readings...)
	return Look{Groups: []Group{{Key: "host", Source: h.name, At: clock.Mono(), Live: true, Readings: readings}}}
}

// network adds up the traffic of the interfaces, and returns the utilization of each interface that reports a speed.
func (h *Host) network(ctx context.Context, now *host) []Reading {
	all, err := net.IOCountersWithContext(ctx, true)
	if err != nil {
		return nil
	}
	var out []Reading
	for _, n := range all {
		if virtualLink(n.Name) {
			continue
		}
		now.hasNet = true
		now.received += float64(n.BytesRecv)
		now.sent += float64(n.BytesSent)
		speed, known := h.speeds[n.Name]
		if !known {
			speed = LinkSpeed(n.Name)
			h.speeds[n.Name] = speed
		}
		if speed > 0 && len(out) < 2*maxDisks {
			out = append(out, linkReadings(n.Name, float64(n.BytesRecv), float64(n.BytesSent), speed)...)
		}
	}
	return out
}

// linkReadings returns the utilization of an interface of the given speed, in bytes per second.
func linkReadings(name string, received, sent, speed float64) []Reading {
	return []Reading{
		{Name: result.HostFigures + "net_received_percent", Unit: "percent", Kind: Counter, Value: 100 * received / speed, Suffix: "/" + name},
		{Name: result.HostFigures + "net_sent_percent", Unit: "percent", Kind: Counter, Value: 100 * sent / speed, Suffix: "/" + name},
	}
}

// LinkSpeed returns the speed of an interface in bytes per second, or 0 if Linux reports none, as for loopback and virtual
// interfaces.
func LinkSpeed(name string) float64 {
	text, err := os.ReadFile("/sys/class/net/" + filepath.Base(name) + "/speed")
	if err != nil {
		return 0
	}
	megabits, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil || megabits <= 0 {
		return 0
	}
	return megabits * 1e6 / 8
}

// partition reports whether a block device is part of another one: it has no directory of its own in /sys/block.
func partition(name string) bool {
	const base = "/sys/block"
	if _, err := os.Stat(base); err != nil {
		return false
	}
	_, err := os.Stat(filepath.Join(base, name))
	return err != nil
}
