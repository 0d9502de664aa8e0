package coordinator

import (
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/benchd/benchd/internal/archive"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/result"
)

// queryOf returns the query of a list.
func queryOf(req *benchdv1.ListRequest) archive.SuiteQuery {
	instant := func(t *timestamppb.Timestamp) time.Time {
		if t == nil {
			return time.Time{}
		}
		return t.AsTime()
	}
	q := archive.SuiteQuery{
		Limit: int(req.GetLimit()), After: req.GetAfter(), Name: req.GetName(), Tags: req.GetTags(), Since: instant(req.GetSince()), Until: instant(req.GetUntil()),
	}
	for _, status := range req.GetStatuses() {
		q.Statuses = append(q.Statuses, result.Status(status))
	}
	target, search := req.GetTarget(), strings.ToLower(req.GetSearch())
	if target != "" || search != "" {
		q.Match = func(s archive.Suite) bool { return isOn(s, target) && mentions(s, search) }
	}
	return q
}

// isOn reports whether a suite is on a target; "" is any.
func isOn(s archive.Suite, target string) bool {
	return target == "" || slices.Contains(strings.FieldsFunc(s.DB, func(r rune) bool { return r == ',' || r == ' ' }), target)
}

// mentions reports whether what people wrote about a suite contains a text in lower case.
func mentions(s archive.Suite, text string) bool {
	in := []string{s.ID, s.Name, s.Note, s.SubmittedBy}
	for key, value := range s.Tags {
		in = append(in, key+"="+value)
	}
	return slices.ContainsFunc(in, func(one string) bool { return strings.Contains(strings.ToLower(one), text) })
}
