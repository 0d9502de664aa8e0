package wire

import (
	"errors"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/benchd/benchd/internal/property"
)

// BadSpec returns the ErrBadSpec of a submission. Its property.Problems, if it has some, travel with their places.
func BadSpec(err error) error {
	if problems, is := errors.AsType[property.Problems](err); is {
		return &specError{problems}
	}
	return Errorf(ErrBadSpec, "%v", err)
}

type specError struct{ problems property.Problems }

func (e *specError) Error() string   { return e.problems.Error() }
func (e *specError) Unwrap() []error { return []error{ErrBadSpec, e.problems} }

// mostProblemBytes bounds the problems in a status, which travels in headers: longer ones are only in its text.
const mostProblemBytes = 16 << 10

// problemsStatus is the status of an error with problems.
func problemsStatus(err error) error {
	problems, _ := errors.AsType[property.Problems](err)
	s, details, size := status.New(codes.InvalidArgument, err.Error()), &errdetails.BadRequest{}, 0
	for _, p := range problems {
		size += len(p.Place) + len(p.Key) + len(p.Text)
		details.FieldViolations = append(details.FieldViolations, &errdetails.BadRequest_FieldViolation{Field: p.Place, Reason: p.Key, Description: p.Text})
	}
	if size > mostProblemBytes {
		return s.Err()
	}
	if detailed, failed := s.WithDetails(details); failed == nil {
		s = detailed
	}
	return s.Err()
}

// problemsOf returns the problems in a status; nil if it has none.
func problemsOf(s *status.Status) (problems property.Problems) {
	if s.Code() != codes.InvalidArgument {
		return nil
	}
	for _, detail := range s.Details() {
		if bad, is := detail.(*errdetails.BadRequest); is {
			for _, v := range bad.GetFieldViolations() {
				problems = append(problems, property.Problem{Place: v.GetField(), Key: v.GetReason(), Text: v.GetDescription()})
			}
		}
	}
	return problems
}
