package hbasespec

import (
	"strings"

	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/randdur"
)

// SandboxSettings are the properties sandbox.* of the sandbox that a run starts.
type SandboxSettings struct {
	RegionServers int
	Memory        int              // MiB that its tables may take
	Service       randdur.Duration // of each request; zero adds no delay
	Handlers      int              // of each region server, with Service
	Seed          uint64           // of service times
	Faults        string           // a file of faults, on the machine where the run was started; empty for none
}

func sandboxKeys() []property.Key {
	return []property.Key{
		{Name: "sandbox.region-servers", Kind: property.Int, Default: "3", Min: 1, Max: 100, Doc: "region servers of the sandbox that a run starts"},
		{Name: "sandbox.max-memory", Kind: property.Int, Default: "1024", Min: 16, Max: 1 << 20, Doc: "MiB that tables of the sandbox may take; writes beyond it are refused"},
		{Name: "sandbox.service", Kind: property.Text, Default: "0s", Check: checkDrawn, Doc: "service time of each request: " + randdur.Forms},
		{Name: "sandbox.service.handlers", Kind: property.Int, Default: "30", Min: 1, Max: 10_000, Doc: "requests that a region server serves at once with sandbox.service"},
		{Name: "sandbox.service.seed", Kind: property.Int, Default: "0", Check: property.CheckSeed, Doc: "seed of the times of sandbox.service"},
		{Name: "sandbox.faults", Kind: property.Text, File: true, Doc: "a file of faults of the sandbox (docs/sandbox.md)"},
	}
}

func checkDrawn(value string) (string, error) {
	if strings.TrimSpace(value) == "0" {
		return randdur.Duration{}.String(), nil
	}
	d, err := randdur.Parse(value)
	return d.String(), err
}

// ReadSandbox returns the settings of the sandbox that a run starts, from resolved properties. The error is of type
// property.Problems.
func ReadSandbox(properties map[string]string) (SandboxSettings, error) {
	v, err := property.Read(properties, sandboxKeys())
	if err != nil {
		return SandboxSettings{}, err
	}
	s := SandboxSettings{
		RegionServers: v.Int("sandbox.region-servers"),
		Memory:        v.Int("sandbox.max-memory"),
		Handlers:      v.Int("sandbox.service.handlers"),
		Seed:          v.Uint64("sandbox.service.seed"),
		Faults:        v.Text("sandbox.faults"),
	}
	if s.Service, err = randdur.Parse(v.Text("sandbox.service")); err != nil {
		return SandboxSettings{}, property.Problems{{Key: "sandbox.service", Text: err.Error()}}
	}
	return s, nil
}
