package api

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/access"
	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/trend"
	"github.com/benchd/benchd/internal/websession"
	"github.com/benchd/benchd/internal/wire"
)

// About describes the coordinator.
type About struct {
	Version      string     `json:"version"`
	Protocol     uint32     `json:"protocol"`
	Time         time.Time  `json:"time"` // now, by the coordinator's clock
	Peer         AboutPeer  `json:"peer"`
	Can          AboutCan   `json:"can"`
	Console      bool       `json:"console"`      // the coordinator serves the console
	SessionEnds  *time.Time `json:"session_ends"` // when the session of the browser ends at the latest; null without one
	ArchiveBytes uint64     `json:"archive_bytes"`
	DiskFree     uint64     `json:"disk_free_bytes"`
	DiskTotal    uint64     `json:"disk_total_bytes"` // 0 if unknown
	ArchiveStuck bool       `json:"archive_stuck"`    // the archive accepts no windows
	Listeners    []string   `json:"listeners"`        // how each is secured
	Expires      *time.Time `json:"certificate_expires"`
}

// AboutPeer is the client, as the coordinator knows it; empty where clients are not asked for an identity.
type AboutPeer struct {
	Name string `json:"name"`
	Role string `json:"role"`
}

// AboutCan is what the role of the client allows. A request can need more, such as a privilege for a table.
type AboutCan struct {
	Submit bool `json:"submit"`
	Cancel bool `json:"cancel"` // or change otherwise what there is: tags, agents, schedules
	Admin  bool `json:"admin"`  // read the audit log
}

// canOf returns what a role allows, by the rules of the calls. A peer without a role is trusted.
func canOf(role string) AboutCan {
	who := identity.Identity{Name: "the client", Role: identity.Role(cmp.Or(role, string(identity.Trusted)))}
	may := func(call string) bool { return access.Call(who, access.Runs+call) == nil }
	return AboutCan{Submit: may("Submit"), Cancel: may("Cancel"), Admin: may("Audit")}
}

func (s *Server) about(q *request) error {
	a, err := s.client.State(q.ctx)
	if err != nil {
		return err
	}
	d := About{
		Version: a.Version, Protocol: a.Protocol, Time: a.Time.UTC(), Peer: AboutPeer(a.Peer), ArchiveBytes: a.Archive, DiskFree: a.DiskFree, DiskTotal: a.DiskSize,
		ArchiveStuck: a.Stuck, Listeners: a.Listeners, Can: canOf(a.Peer.Role), Console: s.config.Console,
	}
	if of, is := websession.From(q.r.Context()); is {
		d.SessionEnds = new(of.Ends.UTC())
	}
	if !a.Expires.IsZero() {
		d.Expires = new(a.Expires.UTC())
	}
	return q.document(d)
}

func (s *Server) agents(q *request) error {
	agents, err := s.client.Agents(q.ctx)
	if err != nil {
		return err
	}
	return q.document(agents)
}

func (s *Server) queue(q *request) error {
	active := slices.DeleteFunc(statuses(), func(one string) bool { return result.Status(one).Ended() })
	suites, err := s.client.Select(q.ctx, remote.Query{Statuses: active})
	if err != nil {
		return err
	}
	slices.Reverse(suites)
	return q.document(suites)
}

func (s *Server) suites(q *request) error {
	tags, err := pairs("tag", q.texts("tag"))
	if err != nil {
		return err
	}
	limit := min(q.number("limit", 100), math.MaxInt32-1)
	page, err := s.client.Select(q.ctx, remote.Query{
		Limit: limit + 1, After: q.text("after"), Name: q.text("name"), Target: q.text("target"), Search: q.text("search"), Statuses: q.texts("status"), Tags: tags,
		Since: q.time("since"), Until: q.time("until"),
	})
	if err != nil {
		return err
	}
	if len(page) > limit { // there is another page
		page = page[:limit]
		next := q.r.URL.Query()
		next.Set("after", page[limit-1].ID)
		q.Header().Set("Link", fmt.Sprintf("<%s>; rel=\"next\"", (&url.URL{Path: q.r.URL.Path, RawQuery: next.Encode()}).String()))
	}
	return q.document(page)
}

func (s *Server) result(q *request) error {
	text, err := s.client.Result(q.ctx, q.id())
	if err != nil {
		return err
	}
	if !q.is("series") {
		text = result.WithoutSeries(text)
	}
	translate, err := s.translator(q)
	if err != nil {
		return err
	}
	if text, err = translated(text, translate); err != nil {
		return err
	}
	return q.result(text)
}

func (s *Server) schema(q *request) error {
	text := s.config.Targets.Reader().Schema()
	q.sealed(digest(text), text)
	return nil
}

func (s *Server) describe(q *request) error {
	q.sealed(digest(s.openAPI), s.openAPI)
	return nil
}

// share reads a parameter that is a share.
func (q *request) share(name, byDefault string) (float64, error) {
	share, err := property.ParseShare(cmp.Or(q.text(name), byDefault))
	if err != nil {
		return 0, parametersError{{Place: name, Message: err.Error()}}
	}
	return share, nil
}

// figures reads the parameter for figures.
func (s *Server) figures(q *request) ([]string, error) {
	if err := remote.CheckFigures(q.texts("figure"), s.config.Targets.Descriptors()); err != nil {
		return nil, parametersError{{Place: "figure", Message: err.Error()}}
	}
	return q.texts("figure"), nil
}

func (s *Server) compare(q *request) error {
	smallest, err := q.share("smallest", "5%")
	if err != nil {
		return err
	}
	figures, err := s.figures(q)
	if err != nil {
		return err
	}
	sides := remote.Sides{Targets: s.config.Targets.Descriptors(), Series: len(figures) > 0}
	a, err := s.side(q, &sides, q.text("a"))
	if err != nil {
		return err
	}
	var all []compare.Comparison
	for _, reference := range q.texts("b") {
		b, err := s.side(q, &sides, reference)
		if err != nil {
			return err
		}
		all = append(all, compare.New(a, b, compare.Settings{Smallest: smallest, Figures: figures}))
	}
	if len(all) == 1 {
		return s.inLanguage(q, all[0])
	}
	return s.inLanguage(q, all)
}

// side reads the side of a comparison that a reference names.
func (s *Server) side(q *request, sides *remote.Sides, reference string) (compare.Side, error) {
	var texts [][]byte
	selected := ""
	for i, part := range strings.Split(reference, ",") {
		id, of := part, ""
		if at := strings.IndexAny(part, ":@"); at >= 0 {
			id, of = part[:at], part[at:]
		}
		if i > 0 && of != selected {
			return compare.Side{}, wire.Errorf(wire.ErrBadSpec, "%s: results that are put together need the same selection: write :CASE or @TARGET behind each of them or none", reference)
		}
		selected = of
		text, err := s.client.Result(q.ctx, id)
		if err != nil {
			return compare.Side{}, err
		}
		texts = append(texts, text)
	}
	only, err := compare.ParseSelection(selected)
	if err != nil {
		return compare.Side{}, wire.Errorf(wire.ErrBadSpec, "%s: %v", reference, err)
	}
	return sides.Side(reference, texts, only)
}

func (s *Server) trend(q *request) error {
	smallest, err := q.share("smallest", "3%")
	if err != nil {
		return err
	}
	figures, err := s.figures(q)
	if err != nil {
		return err
	}
	tags, err := pairs("tag", q.texts("tag"))
	if err != nil {
		return err
	}
	of := remote.Recurring{Name: q.text("name"), Tags: tags, Last: q.number("last", 400)}
	quiet := q.number("false_alarms", trend.Quiet)
	switch {
	case of.Name == "" && len(tags) == 0:
		return parametersError{{Place: "name", Message: "is missing: give the name of the suites, or a tag"}}
	case quiet < trend.Quiet:
		return parametersError{{Place: "false_alarms", Message: "invalid number " + strconv.Itoa(quiet) + ": want " + strconv.Itoa(trend.Quiet) + " suites or more"}}
	}
	found, err := s.client.Trend(q.ctx, of, trend.Settings{Figures: figures, Case: q.text("case"), Quiet: float64(quiet), Smallest: smallest}, s.config.Targets.Descriptors())
	if err != nil {
		return err
	}
	return s.inLanguage(q, found)
}
