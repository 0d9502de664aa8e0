package jmx

import (
	"bytes"
	"encoding/json"
	"time"
)

// bean is one object of /jmx; its attributes are in the order in which they were set.
type bean struct {
	name  string
	attrs []attr
}

type attr struct {
	name  string
	value any
}

func newBean(name, modeler string) *bean {
	b := &bean{name: name}
	b.set("modelerType", modeler)
	return b
}

func (b *bean) set(name string, value any) { b.attrs = append(b.attrs, attr{name, value}) }

// counters sets integer attributes.
func (b *bean) counters(list ...counter) {
	for _, c := range list {
		b.set(c.name, c.value)
	}
}

type counter struct {
	name  string
	value int64
}

// times sets HBase's attributes of a time histogram, in milliseconds. Only the mean has a fraction.
func (b *bean) times(name string, h *Histogram, now time.Time) {
	t := h.Read(now)
	b.set(name+"_num_ops", t.Count)
	b.set(name+"_min", milliseconds(t.Percentile(0)))
	b.set(name+"_max", milliseconds(t.Percentile(1)))
	b.set(name+"_mean", float64(t.Mean)/float64(time.Millisecond))
	for _, p := range []struct {
		name  string
		share float64
	}{
		{"25th_percentile", 0.25},
		{"median", 0.5},
		{"75th_percentile", 0.75},
		{"90th_percentile", 0.9},
		{"95th_percentile", 0.95},
		{"98th_percentile", 0.98},
		{"99th_percentile", 0.99},
		{"99.9th_percentile", 0.999},
	} {
		b.set(name+"_"+p.name, milliseconds(t.Percentile(p.share)))
	}
}

func milliseconds(d time.Duration) int64 { return d.Milliseconds() }

// get returns an attribute, or false if the bean does not have it.
func (b *bean) get(name string) (any, bool) {
	for _, a := range b.attrs {
		if a.name == name {
			return a.value, true
		}
	}
	return nil, false
}

// MarshalJSON writes the bean as an object whose first member is its name.
func (b *bean) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, a := range append([]attr{{"name", b.name}}, b.attrs...) {
		value, err := json.Marshal(a.value)
		if err != nil {
			return nil, err
		}
		name, err := json.Marshal(a.name)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
