package agent

import (
	"context"
	"log/slog"
	"os"
	"runtime"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/mem"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
)

// hostFacts describes the machine. Unreadable facts are left out.
func hostFacts(ctx context.Context, rawIO string, log *slog.Logger) *benchdv1.HostFacts {
	facts := &benchdv1.HostFacts{
		Os: runtime.GOOS + "/" + runtime.GOARCH, Cores: uint32(runtime.NumCPU()), GoVersion: runtime.Version(), RawIo: rawIO,
	}
	missing := func(what string, err error) bool {
		if err != nil {
			log.Debug("cannot read a fact of the host", "what", what, "error", err)
		}
		return err != nil
	}
	if cores, err := cpu.CountsWithContext(ctx, true); !missing("cores", err) {
		facts.Cpus = allowed(cores).text()
	}
	name, err := os.Hostname()
	if !missing("name", err) {
		facts.Hostname = name
	}
	models, err := cpu.InfoWithContext(ctx)
	if !missing("cpu", err) && len(models) > 0 {
		facts.CpuModel = models[0].ModelName
	}
	memory, err := mem.VirtualMemoryWithContext(ctx)
	if !missing("memory", err) {
		facts.MemoryBytes = memory.Total
	}
	info, err := host.InfoWithContext(ctx)
	if !missing("system", err) {
		facts.Kernel = info.KernelVersion
		if info.Platform != "" {
			facts.Os += " " + info.Platform + " " + info.PlatformVersion
		}
	}
	return facts
}
