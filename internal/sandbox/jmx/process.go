package jmx

import (
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

const megabyte = 1 << 20

// processBeans describes the Go process with the names of a Java process. All servers of the sandbox share it.
func processBeans(host string, started, now time.Time) []*bean {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	limit := heapLimit()
	pause := time.Duration(mem.PauseTotalNs).Milliseconds()

	hadoop := newBean(hbase+"JvmMetrics", "JvmMetrics")
	hadoop.set("tag.Context", "jvm")
	hadoop.set("tag.ProcessName", "sandbox")
	hadoop.set("tag.Hostname", host)
	hadoop.set("MemHeapUsedM", float64(mem.HeapAlloc)/megabyte)
	hadoop.set("MemHeapCommittedM", float64(mem.HeapSys-mem.HeapReleased)/megabyte)
	hadoop.set("MemMaxM", float64(limit)/megabyte)
	hadoop.set("GcCount", int64(mem.NumGC))
	hadoop.set("GcTimeMillis", pause)
	hadoop.set("ThreadsRunnable", runtime.NumGoroutine())

	memory := newBean("java.lang:type=Memory", "sun.management.MemoryImpl")
	memory.set("HeapMemoryUsage", map[string]int64{
		"committed": int64(mem.HeapSys - mem.HeapReleased), "init": 0, "max": limit, "used": int64(mem.HeapAlloc),
	})
	memory.set("NonHeapMemoryUsage", map[string]int64{
		"committed": int64(mem.Sys - mem.HeapSys), "init": 0, "max": -1, "used": int64(mem.Sys - mem.HeapSys),
	})

	collector := newBean("java.lang:type=GarbageCollector,name=Go", "sun.management.GarbageCollectorImpl")
	collector.set("Name", "Go")
	collector.set("Valid", true)
	collector.set("CollectionCount", int64(mem.NumGC))
	collector.set("CollectionTime", pause)

	virtual := newBean("java.lang:type=Runtime", "sun.management.RuntimeImpl")
	virtual.set("VmName", "Go")
	virtual.set("VmVendor", "benchd sandbox")
	virtual.set("VmVersion", runtime.Version())
	virtual.set("StartTime", started.UnixMilli())
	virtual.set("Uptime", now.Sub(started).Milliseconds())

	system := newBean("java.lang:type=OperatingSystem", "sun.management.OperatingSystemImpl")
	system.set("Name", runtime.GOOS)
	system.set("Arch", runtime.GOARCH)
	system.set("AvailableProcessors", runtime.GOMAXPROCS(0))
	if used, ok := processorTime(); ok {
		system.set("ProcessCpuTime", used.Nanoseconds())
	}
	return []*bean{hadoop, memory, collector, virtual, system}
}

// processorTime is the time for which the process has used processors.
func processorTime() (time.Duration, bool) {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0, false
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), true
}

// heapLimit is the process's memory limit, or −1 if it has none.
func heapLimit() int64 {
	const none = 1<<63 - 1
	if limit := debug.SetMemoryLimit(-1); limit < none {
		return limit
	}
	return -1
}
