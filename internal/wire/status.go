package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/benchd/benchd/internal/property"
)

// Errors that both ends handle. They travel as statuses; errors.Is finds them on the other side.
var (
	ErrBadSpec      = errors.New("bad spec")       // the submission cannot be executed as it is
	ErrNotFound     = errors.New("not found")      // no such suite, run or agent
	ErrTooFewAgents = errors.New("too few agents") // for the submission, now
	ErrNameTaken    = errors.New("name taken")     // another agent of that name is connected
	ErrProtocol     = errors.New("other protocol") // the peer speaks another version
	ErrNotAllowed   = errors.New("not allowed")    // by the object's state or by policy
	// ErrUnauthenticated means that the peer has shown no valid identity: with one it might be allowed.
	ErrUnauthenticated = errors.New("not authenticated")
	ErrUnreachable     = errors.New("cannot reach")       // the coordinator does not answer
	ErrTarget          = errors.New("target not reached") // by the agent that acts on it
	ErrFull            = errors.New("no space left")      // the archive's disk is full
	ErrLimit           = errors.New("limit reached")      // of what the coordinator accepts at once: try again later
	ErrMalformed       = errMalformed                     // the peer broke the protocol

	// ErrDenied is the ErrNotAllowed of policy: the peer lacks a role or a privilege.
	ErrDenied error = &kindError{kind: ErrNotAllowed, text: "denied"}
)

// kind is an error and its status code.
type kind struct {
	err  error
	code codes.Code
}

func kinds() []kind {
	return []kind{
		{ErrBadSpec, codes.InvalidArgument},
		{ErrNotFound, codes.NotFound},
		{ErrTooFewAgents, codes.ResourceExhausted},
		{ErrNameTaken, codes.AlreadyExists},
		{ErrProtocol, codes.FailedPrecondition},
		{ErrNotAllowed, codes.PermissionDenied},
		{ErrUnauthenticated, codes.Unauthenticated},
		{ErrUnreachable, codes.Unavailable},
		{ErrTarget, codes.Aborted},
		{ErrFull, codes.DataLoss},
		{ErrMalformed, codes.OutOfRange},
		{context.Canceled, codes.Canceled},
		{context.DeadlineExceeded, codes.DeadlineExceeded},
	}
}

// Errorf returns an error of one of the kinds above; its text is only the formatted one.
func Errorf(kind error, format string, args ...any) error {
	return &kindError{kind: kind, text: fmt.Sprintf(format, args...)}
}

type kindError struct {
	kind error
	text string
}

func (e *kindError) Error() string { return e.text }
func (e *kindError) Unwrap() error { return e.kind }

// ToStatus converts err to a gRPC status.
func ToStatus(err error) error {
	if err == nil {
		return nil
	}
	if _, is := status.FromError(err); is {
		return err
	}
	switch {
	case errors.Is(err, ErrLimit):
		return reasoned(codes.ResourceExhausted, limitReason, err)
	case errors.As(err, new(property.Problems)):
		return problemsStatus(err)
	case errors.Is(err, ErrStandby):
		return standbyStatus(err)
	case errors.Is(err, ErrDenied):
		return reasoned(codes.PermissionDenied, deniedReason, err)
	}
	for _, k := range kinds() {
		if errors.Is(err, k.err) {
			return status.Error(k.code, err.Error())
		}
	}
	return status.Error(codes.Internal, err.Error())
}

// Reasons mark statuses whose code is also that of another kind: a peer of an older build, which does not know them, prints the text, and its
// agents try again.
const (
	limitReason  = "LIMIT_REACHED" // of ErrLimit, with the code of ErrTooFewAgents
	deniedReason = "DENIED"        // of ErrDenied, with the code of ErrNotAllowed
)

func reasoned(code codes.Code, reason string, err error) error {
	s := status.New(code, err.Error())
	if detailed, failed := s.WithDetails(&errdetails.ErrorInfo{Reason: reason, Domain: "benchd"}); failed == nil {
		s = detailed
	}
	return s.Err()
}

func hasReason(s *status.Status, code codes.Code, reason string) bool {
	return s.Code() == code && slices.ContainsFunc(s.Details(), func(detail any) bool {
		info, is := detail.(*errdetails.ErrorInfo)
		return is && info.GetReason() == reason
	})
}

// NotServed returns the status of a call that the peer does not serve, although its build knows it.
func NotServed(text string) error { return status.Error(codes.Unimplemented, text) }

// Unanswered reports whether err means that the peer's build does not know the request.
func Unanswered(err error) bool { return err != nil && status.Code(err) == codes.Unimplemented }

// notGRPC begins gRPC's text of an answer in plain HTTP. Its code would be that of the HTTP status, as if a coordinator refused the call.
const notGRPC = "unexpected HTTP status code received from server: "

// fromHTTP makes an error of an answer in plain HTTP, such as that of the listener of metrics, and nil of others.
func fromHTTP(s *status.Status) error {
	answer, found := strings.CutPrefix(s.Message(), notGRPC)
	if !found {
		return nil
	}
	answer, _, _ = strings.Cut(answer, ";")
	return Errorf(ErrUnreachable, "it answers HTTP %s, not gRPC: give --coordinator the address of gRPC "+
		"(--listen of `benchd coordinator`, port 7070 by default)", answer)
}

// FromStatus converts a gRPC error back to an error of the kinds above.
func FromStatus(err error) error {
	if err == nil {
		return nil
	}
	s, is := status.FromError(err)
	if !is {
		return err
	}
	if err := fromHTTP(s); err != nil {
		return err
	}
	if problems := problemsOf(s); problems != nil {
		return BadSpec(problems)
	}
	if err := standbyOf(s); err != nil {
		return err
	}
	switch {
	case hasReason(s, codes.ResourceExhausted, limitReason):
		return &kindError{kind: ErrLimit, text: s.Message()}
	case hasReason(s, codes.PermissionDenied, deniedReason):
		return &kindError{kind: ErrDenied, text: s.Message()}
	}
	for _, k := range kinds() {
		if s.Code() == k.code {
			return &kindError{kind: k.err, text: s.Message()}
		}
	}
	return errors.New(s.Message())
}
