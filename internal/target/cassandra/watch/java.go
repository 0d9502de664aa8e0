package watch

import (
	"context"
	"encoding/json"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/cassandra/cluster"
	"github.com/benchd/benchd/internal/target/cassandra/jolokia"
)

// beans are the beans of the Java virtual machine that are read.
func beans() []jolokia.Request {
	return []jolokia.Request{
		jolokia.Read("java.lang:type=Memory", "HeapMemoryUsage"),
		jolokia.Read("java.lang:type=GarbageCollector,name=*", "CollectionTime", "CollectionCount"),
		jolokia.Read("java.lang:type=OperatingSystem", "ProcessCpuLoad"),
		jolokia.Read("java.lang:type=Runtime", "StartTime"),
	}
}

// java reads the JMX of a node.
func (s *source) java(ctx context.Context, look *observe.Look, n cluster.Node) {
	if s.jmx == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	at := clock.Mono()
	answers, err := s.jmx.Call(ctx, n.Address, beans()...)
	if err != nil {
		s.warn(look, "jolokia", "heap and GC of the nodes are not observed: "+err.Error())
		return
	}
	g := observe.Group{Key: "java", Source: n.Address, At: at, Live: true}
	g.Readings, g.Epoch = readJava(answers)
	if len(g.Readings) > 0 {
		look.Groups = append(look.Groups, g)
	}
}

// readJava reads the answers to beans.
func readJava(answers []jolokia.Answer) (readings []observe.Reading, epoch string) {
	level := func(figure, unit string, value float64) {
		if known(value) {
			readings = append(readings, observe.Reading{Name: prefix + figure, Unit: unit, Value: value})
		}
	}
	var memory struct {
		HeapMemoryUsage struct {
			Used float64 `json:"used"`
			Max  float64 `json:"max"`
		}
	}
	if decode(answers[0], &memory) {
		level("heap_used", "bytes", memory.HeapMemoryUsage.Used)
		level("heap_max", "bytes", memory.HeapMemoryUsage.Max)
	}
	var collectors map[string]struct{ CollectionTime, CollectionCount float64 }
	if decode(answers[1], &collectors) {
		var took, count float64
		for _, c := range collectors {
			took, count = took+max(c.CollectionTime, 0), count+max(c.CollectionCount, 0)
		}
		readings = append(readings,
			observe.Reading{Name: prefix + "gc_time", Unit: "ms/s", Kind: observe.Counter, Value: took},
			observe.Reading{Name: prefix + "gcs", Unit: "1/s", Kind: observe.Counter, Value: count})
	}
	var system struct{ ProcessCpuLoad *float64 } //nolint:revive // the name in JMX
	if decode(answers[2], &system) && system.ProcessCpuLoad != nil {
		level("cpu_percent", percent, 100**system.ProcessCpuLoad)
	}
	var runtime struct{ StartTime json.Number }
	if decode(answers[3], &runtime) {
		epoch = runtime.StartTime.String()
	}
	return readings, epoch
}

func decode(a jolokia.Answer, into any) bool {
	return a.Err() == nil && json.Unmarshal(a.Value, into) == nil
}
