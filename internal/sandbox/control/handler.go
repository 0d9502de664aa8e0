package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/sandbox/fault"
)

const (
	maxBody  = 1 << 20
	maxOwner = 200
	// within bounds the start or kill of a server.
	within = 30 * time.Second
)

// answer is the answer to every request; empty fields are left out.
type answer struct {
	Version string         `json:"version,omitempty"`
	Quorum  string         `json:"quorum,omitempty"`
	Servers []Server       `json:"servers,omitempty"`
	Faults  []fault.Status `json:"faults,omitempty"`
	Added   []int          `json:"added,omitempty"`
	Cleared int            `json:"cleared,omitempty"`
	Error   string         `json:"error,omitempty"`
}

// order is the body of a request that changes something.
type order struct {
	Server string         `json:"server"`
	Faults []*fault.Fault `json:"faults"`
	Owner  string         `json:"owner"`
}

// handler answers for a Sandbox.
type handler struct{ sandbox Sandbox }

// Handler serves the API below /sandbox:
//
//	GET    /sandbox                   version, quorum, servers and faults
//	POST   /sandbox/servers           starts one more region server
//	POST   /sandbox/servers/kill      {"server": "2"}
//	POST   /sandbox/servers/restart   {"server": "2"}
//	POST   /sandbox/servers/silence   {"server": "2"}
//	POST   /sandbox/servers/resume    {"server": "2"}
//	POST   /sandbox/faults            {"faults": [{"kind": "latency", "delay": "5ms"}]}: all of them, or none
//	                                  with "owner": "S.1" they are those of a run
//	DELETE /sandbox/faults            all, those of {"owner": "S.1"}, or /sandbox/faults/3
func Handler(s Sandbox) http.Handler {
	h := handler{s}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathSandbox, h.status)
	mux.HandleFunc("POST "+pathServers, h.change(h.add))
	mux.HandleFunc("POST "+pathServers+"/kill", h.change(h.kill))
	mux.HandleFunc("POST "+pathServers+"/restart", h.change(h.restart))
	mux.HandleFunc("POST "+pathServers+"/silence", h.change(h.silence))
	mux.HandleFunc("POST "+pathServers+"/resume", h.change(h.resume))
	mux.HandleFunc("POST "+pathFaults, h.change(h.fail))
	mux.HandleFunc("DELETE "+pathFaults, h.change(h.clearAll))
	mux.HandleFunc("DELETE "+pathFaults+"/{number}", h.change(h.clear))
	return mux
}

func (h handler) status(w http.ResponseWriter, r *http.Request) {
	if err := named(r.Host); err != nil {
		refuse(w, http.StatusForbidden, err)
		return
	}
	reply(w, http.StatusOK, answer{
		Version: h.sandbox.Version, Quorum: h.sandbox.Quorum,
		Servers: h.sandbox.Cluster.Servers(), Faults: h.sandbox.Faults.List(),
	})
}

// change reads an order and carries it out.
func (handler) change(do func(ctx context.Context, o order, r *http.Request) (answer, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := meant(r); err != nil {
			refuse(w, http.StatusForbidden, err)
			return
		}
		var o order
		data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err == nil && len(data) > 0 {
			err = decode(data, &o)
		}
		if err == nil && len(o.Owner) > maxOwner {
			err = fmt.Errorf("owner: %d bytes are too long; at most %d are allowed", len(o.Owner), maxOwner)
		}
		if err != nil {
			refuse(w, http.StatusBadRequest, err)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), within)
		defer cancel()
		a, err := do(ctx, o, r)
		if err != nil {
			refuse(w, http.StatusUnprocessableEntity, err)
			return
		}
		reply(w, http.StatusOK, a)
	}
}

func decode(data []byte, o *order) error {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	err := d.Decode(o)
	if err == nil {
		return nil
	}
	if p, ok := errors.AsType[*fault.Problem](err); ok {
		return p
	}
	return fmt.Errorf("read request: %w", err)
}

// meant refuses requests that a foreign page could make a browser send.
func meant(r *http.Request) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return errors.New("the request must have Content-Type: application/json")
	}
	return named(r.Host)
}

// named refuses a request whose Host is a foreign name for this machine.
func named(host string) error {
	if at := strings.LastIndexByte(host, ':'); at >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:at]
	}
	host = strings.Trim(host, "[]")
	if host == "localhost" {
		return nil
	}
	if _, err := netip.ParseAddr(host); err != nil {
		return fmt.Errorf("control the sandbox by its address, not by the name %q", host)
	}
	return nil
}

func (h handler) add(ctx context.Context, _ order, _ *http.Request) (answer, error) {
	s, err := h.sandbox.Cluster.AddServer(ctx)
	return answer{Servers: []Server{s}}, err
}

func (h handler) kill(ctx context.Context, o order, _ *http.Request) (answer, error) {
	if o.Server == "" {
		return answer{}, errors.New("server is missing: name the region server to kill")
	}
	return answer{}, h.sandbox.Cluster.KillServer(ctx, o.Server)
}

func (h handler) restart(ctx context.Context, o order, _ *http.Request) (answer, error) {
	if o.Server == "" {
		return answer{}, errors.New("server is missing: name the region server to restart")
	}
	s, err := h.sandbox.Cluster.RestartServer(ctx, o.Server)
	return answer{Servers: []Server{s}}, err
}

func (h handler) silence(ctx context.Context, o order, _ *http.Request) (answer, error) {
	if o.Server == "" {
		return answer{}, errors.New("server is missing: name the region server to silence")
	}
	return answer{}, h.sandbox.Cluster.SilenceServer(ctx, o.Server)
}

func (h handler) resume(ctx context.Context, o order, _ *http.Request) (answer, error) {
	if o.Server == "" {
		return answer{}, errors.New("server is missing: name the region server to resume")
	}
	s, err := h.sandbox.Cluster.ResumeServer(ctx, o.Server)
	return answer{Servers: []Server{s}}, err
}

func (h handler) fail(_ context.Context, o order, _ *http.Request) (answer, error) {
	if len(o.Faults) == 0 {
		return answer{}, errors.New("faults is missing: list the faults to add")
	}
	for _, f := range o.Faults {
		if f == nil {
			return answer{}, errors.New("a fault is null")
		}
	}
	var a answer
	for _, f := range o.Faults {
		number, err := h.sandbox.Faults.AddFor(o.Owner, *f)
		if err != nil {
			for _, added := range a.Added {
				h.sandbox.Faults.Clear(added)
			}
			return answer{}, err
		}
		a.Added = append(a.Added, number)
	}
	return a, nil
}

func (h handler) clearAll(_ context.Context, o order, _ *http.Request) (answer, error) {
	if o.Owner != "" {
		return answer{Cleared: h.sandbox.Faults.Disown(o.Owner)}, nil
	}
	return answer{Cleared: h.sandbox.Faults.ClearAll()}, nil
}

func (h handler) clear(_ context.Context, _ order, r *http.Request) (answer, error) {
	text := r.PathValue("number")
	number, err := strconv.Atoi(text)
	if err != nil || !h.sandbox.Faults.Clear(number) {
		return answer{}, fmt.Errorf("unknown fault %q; `benchctl sandbox fault list` lists all faults", text)
	}
	return answer{Cleared: 1}, nil
}

func refuse(w http.ResponseWriter, status int, err error) {
	reply(w, status, answer{Error: err.Error()})
}

func reply(w http.ResponseWriter, status int, a answer) {
	data, err := json.Marshal(a)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n'))
}
