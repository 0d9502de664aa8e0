package observe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/secret"
)

const (
	// endpointsProperty names endpoints.
	endpointsProperty = "telemetry.endpoints"
	// scrapeWithin is the time limit of one scrape.
	scrapeWithin = 2 * time.Second
	// An endpoint that does not answer is skipped for a while. After this many failures in a row it gives a warning.
	firstRest, lastRest = 5 * time.Second, time.Minute
	tolerated           = 3
	// maxSeries is how many figures an endpoint may have.
	maxSeries = 512
)

// Prometheus watches an endpoint that serves metrics in Prometheus's text format.
type Prometheus struct {
	endpoint plan.Endpoint
	wanted   []string
	web      *http.Client
	login    *login // nil without authentication
	page     bytes.Buffer

	failures int
	rest     clock.Instant
	full     bool
}

// NewPrometheus makes a Source of an endpoint. It takes CPU, memory, disks and network from a node_exporter, and the given
// metrics from any endpoint.
func NewPrometheus(endpoint plan.Endpoint, metrics []string, dial *outbound.Dialer) *Prometheus {
	return &Prometheus{endpoint: endpoint, wanted: metrics, web: outbound.Client(dial.Named(endpointsProperty), 0)}
}

// Authenticate makes the Prometheus authenticate with secrets, as the settings require.
func (p *Prometheus) Authenticate(settings plan.Login, secrets secret.Resolver) {
	if settings != (plan.Login{}) {
		p.login = &login{settings: settings, secrets: secrets, next: p.web.Transport}
		p.web.Transport = p.login
	}
}

// Close closes idle connections.
func (p *Prometheus) Close() { p.web.CloseIdleConnections() }

// Look reads the endpoint.
func (p *Prometheus) Look(ctx context.Context) Look {
	now := clock.Mono()
	if now.Before(p.rest) {
		return Look{}
	}
	ctx, cancel := context.WithTimeout(ctx, scrapeWithin)
	defer cancel()
	err := ReadPage(ctx, p.web, p.endpoint.URL, &p.page)
	if err == nil {
		err = p.login.checkPage(p.page.Bytes())
	}
	var out Look
	if err == nil {
		at := clock.Mono()
		s := scrape{node: newNode(), wanted: p.wanted}
		if err = s.read(p.page.Bytes()); err == nil {
			p.failures = 0
			s.readings = append(s.readings, s.node.readings()...)
			if len(s.readings) > maxSeries {
				s.readings = s.readings[:maxSeries]
				if !p.full {
					p.full = true
					out.Warnings = append(out.Warnings, fmt.Sprintf("endpoint %s has more than %d series that match telemetry.metrics: the others are dropped", p.endpoint.Name, maxSeries))
				}
			}
			out.Groups = []Group{{Key: "prometheus", Source: p.endpoint.Name, At: at, Epoch: s.epoch, Live: true, Readings: s.readings}}
			return out
		}
	}
	if p.failures++; p.failures >= tolerated {
		p.rest = now.Add(min(time.Duration(p.failures)*firstRest, lastRest))
	}
	if p.failures == tolerated {
		out.Warnings = append(out.Warnings, fmt.Sprintf("endpoint %s cannot be read: %s", p.endpoint.Name, p.login.conceal(FirstLine(err))))
	}
	return out
}

// scrape is one reading of an endpoint.
type scrape struct {
	node     *node
	wanted   []string
	readings []Reading
	epoch    string
	counter  string // the metric that was last declared a counter
}

// read parses all lines. It allocates nothing for metrics that are not wanted.
func (s *scrape) read(text []byte) error {
	lines := 0
	for len(text) > 0 {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if line[0] == '#' {
			s.declared(line)
			continue
		}
		name, labels, value, ok := series(line)
		if !ok {
			return fmt.Errorf("not in Prometheus's text format: %s", Printable(string(line)))
		}
		lines++
		s.take(name, labels, value)
	}
	if lines == 0 {
		return errors.New("the page has no metrics")
	}
	return nil
}

// declared reads a TYPE comment and remembers whether the metric is a counter.
func (s *scrape) declared(line []byte) {
	if rest, ok := bytes.CutPrefix(line, []byte("# TYPE ")); ok {
		if name, kind, ok := bytes.Cut(rest, []byte(" ")); ok && string(bytes.TrimSpace(kind)) == "counter" {
			s.counter = string(name)
		}
	}
}

func (s *scrape) take(name, labels []byte, value float64) {
	if string(name) == "process_start_time_seconds" {
		s.epoch = strconv.FormatFloat(value, 'g', -1, 64)
	}
	s.node.take(name, labels, value)
	for _, want := range s.wanted {
		prefix, open := strings.CutSuffix(want, "*")
		if string(name) != prefix && (!open || !strings.HasPrefix(string(name), prefix)) {
			continue
		}
		r := Reading{Name: string(name), Unit: "1", Value: value}
		if len(labels) > 0 {
			r.Suffix = "{" + Printable(string(labels)) + "}"
		}
		if string(name) == s.counter || bytes.HasSuffix(name, []byte("_total")) {
			r.Kind, r.Unit = Counter, "1/s"
		}
		if len(s.readings) <= maxSeries {
			s.readings = append(s.readings, r)
		}
		return
	}
}

// series parses a line: name{labels} value and an optional timestamp. For NaN and infinities it returns value 0 and ok true.
func series(line []byte) (name, labels []byte, value float64, ok bool) {
	end := bytes.IndexAny(line, "{ \t")
	if end <= 0 {
		return nil, nil, 0, false
	}
	name, rest := line[:end], line[end:]
	if rest[0] == '{' {
		quoted := false
		closing := -1
		for i := 1; i < len(rest) && closing < 0; i++ {
			switch c := rest[i]; {
			case quoted && c == '\\':
				i++
			case c == '"':
				quoted = !quoted
			case c == '}' && !quoted:
				closing = i
			}
		}
		if closing < 0 {
			return nil, nil, 0, false
		}
		labels, rest = rest[1:closing], rest[closing+1:]
	}
	rest = bytes.TrimSpace(rest)
	if i := bytes.IndexAny(rest, " \t"); i >= 0 {
		rest = rest[:i]
	}
	value, finite := number(rest)
	if !finite {
		_, err := strconv.ParseFloat(string(rest), 64)
		return name, labels, 0, err == nil
	}
	return name, labels, value, true
}

// label returns the value of a label, or nil.
func label(labels []byte, name string) []byte {
	for len(labels) > 0 {
		key, rest, ok := bytes.Cut(labels, []byte(`="`))
		if !ok {
			return nil
		}
		end := 0
		for end < len(rest) && rest[end] != '"' {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end, len(rest))
		if string(bytes.Trim(key, ", ")) == name {
			return rest[:end]
		}
		labels = rest[min(end+1, len(rest)):]
	}
	return nil
}
