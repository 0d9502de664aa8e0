package observe

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

// maxDisks is how many disks of a node have figures of their own.
const maxDisks = 16

// node adds up the metrics of a node_exporter: CPU, memory, disks, network.
type node struct {
	idle, cpu                       float64
	memory, available               float64
	read, written, received, sent   float64
	load                            float64
	hasCPU, hasDisk, hasNet, hasMem bool
	busy                            map[string]float64 // seconds, by disk
}

func newNode() *node { return &node{busy: make(map[string]float64)} }

// take adds a metric, if it is one of these.
func (n *node) take(name, labels []byte, value float64) {
	if !bytes.HasPrefix(name, []byte("node_")) {
		return
	}
	switch string(name) {
	case "node_cpu_seconds_total":
		n.hasCPU = true
		n.cpu += value
		if mode := string(label(labels, "mode")); mode == "idle" || mode == "iowait" {
			n.idle += value
		}
	case "node_load1":
		n.load = value
	case "node_memory_MemTotal_bytes":
		n.memory = value
	case "node_memory_MemAvailable_bytes":
		n.available, n.hasMem = value, true
	case "node_disk_read_bytes_total", "node_disk_written_bytes_total", "node_disk_io_time_seconds_total":
		n.disk(string(name), string(label(labels, "device")), value)
	case "node_network_receive_bytes_total", "node_network_transmit_bytes_total":
		if virtualLink(string(label(labels, "device"))) {
			return
		}
		n.hasNet = true
		if string(name) == "node_network_receive_bytes_total" {
			n.received += value
		} else {
			n.sent += value
		}
	}
}

func (n *node) disk(name, device string, value float64) {
	if virtualDisk(device) {
		return // the devices below it count the same bytes
	}
	n.hasDisk = true
	switch name {
	case "node_disk_read_bytes_total":
		n.read += value
	case "node_disk_written_bytes_total":
		n.written += value
	default:
		if len(n.busy) < maxDisks {
			n.busy[device] = value
		}
	}
}

// virtualDisk reports whether a block device is backed by other devices or by memory.
func virtualDisk(device string) bool {
	return slices.ContainsFunc([]string{"dm-", "md", "loop", "ram", "zram", "sr"}, func(p string) bool {
		return strings.HasPrefix(device, p)
	})
}

// virtualLink reports whether an interface's traffic stays on the machine or also passes through another interface.
func virtualLink(name string) bool {
	return name == "lo" || slices.ContainsFunc([]string{"lo0", "veth", "docker", "br-", "virbr", "cni", "flannel", "cali", "tun", "tap", "wg"}, func(p string) bool {
		return strings.HasPrefix(name, p)
	})
}

// readings returns the figures of the node.
func (n *node) readings() []Reading {
	return figures(result.NodeFigures, host(*n))
}

// host has the figures of a machine, whatever their source.
type host node

func figures(prefix string, h host) []Reading {
	var out []Reading
	if h.hasCPU {
		out = append(out, Reading{Name: prefix + "cpu_busy_percent", Unit: "percent", Kind: Share, Value: h.cpu - h.idle, Of: h.cpu})
	}
	if h.load > 0 {
		out = append(out, Reading{Name: prefix + "load1", Unit: "1", Value: h.load})
	}
	if h.hasMem {
		out = append(out, Reading{Name: prefix + "memory_available", Unit: "bytes", Value: h.available})
		if h.memory > 0 {
			out = append(out, Reading{Name: prefix + "memory_used_percent", Unit: "percent", Value: 100 * (1 - h.available/h.memory)})
		}
	}
	if h.hasDisk {
		out = append(out,
			Reading{Name: prefix + "disk_read", Unit: "bytes/s", Kind: Counter, Value: h.read},
			Reading{Name: prefix + "disk_written", Unit: "bytes/s", Kind: Counter, Value: h.written})
		for _, device := range slices.Sorted(maps.Keys(h.busy)) {
			out = append(out, Reading{Name: prefix + "disk_busy_percent", Unit: "percent", Kind: Counter, Value: 100 * h.busy[device], Suffix: "/" + device})
		}
	}
	if h.hasNet {
		out = append(out,
			Reading{Name: prefix + "net_received", Unit: "bytes/s", Kind: Counter, Value: h.received},
			Reading{Name: prefix + "net_sent", Unit: "bytes/s", Kind: Counter, Value: h.sent})
	}
	return out
}
