package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/wire"
)

// ErrorDocument is the answer to a request that was not served.
type ErrorDocument struct {
	Error Mistake `json:"error"`
}

// Mistake is what is wrong with a request, and the cure.
type Mistake struct {
	Message string `json:"message"`
	// Problems are all mistakes of a submission, or of the parameters.
	Problems []Problem `json:"problems,omitempty"`
}

// Problem is one mistake, with its place.
type Problem struct {
	Place   string `json:"place,omitempty"` // such as suite.yaml:12:3, or the name of a parameter
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Key     string `json:"key,omitempty"`
	Message string `json:"message"`
}

// parametersError has all mistakes in the parameters of a request.
type parametersError []Problem

func (e parametersError) Error() string {
	texts := make([]string, len(e))
	for i, p := range e {
		texts[i] = p.Place + ": " + p.Message
	}
	return strings.Join(texts, "\n")
}

// statusError is an error with a status of its own.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string { return e.text }

// statusOf returns the status for an error.
func statusOf(err error) int {
	if own, is := errors.AsType[*statusError](err); is {
		return own.status
	}
	if tooLarge, is := errors.AsType[*http.MaxBytesError](err); is && tooLarge != nil {
		return http.StatusRequestEntityTooLarge
	}
	if errors.As(err, new(parametersError)) || errors.As(err, new(property.Problems)) {
		return http.StatusBadRequest
	}
	for _, k := range []struct {
		err    error
		status int
	}{
		{wire.ErrBadSpec, http.StatusBadRequest},
		{wire.ErrMalformed, http.StatusBadRequest},
		{wire.ErrUnauthenticated, http.StatusUnauthorized},
		{wire.ErrDenied, http.StatusForbidden},
		{wire.ErrNotFound, http.StatusNotFound},
		{wire.ErrNotAllowed, http.StatusConflict}, // by the state of the object
		{wire.ErrTooFewAgents, http.StatusConflict},
		{wire.ErrLimit, http.StatusTooManyRequests},
		{wire.ErrTarget, http.StatusBadGateway},
		{wire.ErrUnreachable, http.StatusServiceUnavailable},
		{context.DeadlineExceeded, http.StatusGatewayTimeout},
		{wire.ErrFull, http.StatusInsufficientStorage},
	} {
		if errors.Is(err, k.err) {
			return k.status
		}
	}
	return http.StatusInternalServerError
}

// fail answers with an error.
func fail(w http.ResponseWriter, err error) {
	status := statusOf(err)
	document := ErrorDocument{Error: Mistake{Message: err.Error(), Problems: problemsOf(err)}}
	text, failed := json.Marshal(document)
	if failed != nil {
		text = []byte(`{"error":{"message":"the error cannot be written"}}`)
	}
	h := w.Header()
	h.Del("ETag")
	h.Set(policyHeader, noPage)
	h.Set("Content-Type", jsonMedia)
	h.Set("Cache-Control", "no-store")
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "5")
	}
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n'))
}

// problemsOf returns the problems in an error; nil if it has none.
func problemsOf(err error) (problems []Problem) {
	if those, is := errors.AsType[parametersError](err); is {
		return those
	}
	if those, is := errors.AsType[property.Problems](err); is {
		for _, p := range those {
			problems = append(problems, placed(p))
		}
	}
	return problems
}

// placed splits the place of a problem into a file, a line and a column.
func placed(p property.Problem) Problem {
	out := Problem{Place: p.Place, Key: p.Key, Message: p.Text}
	if m := regexp.MustCompile(`^(.+?):(\d+)(?::(\d+))?$`).FindStringSubmatch(p.Place); m != nil {
		out.File = m[1]
		out.Line, _ = strconv.Atoi(m[2])
		out.Column, _ = strconv.Atoi(m[3])
	}
	return out
}
