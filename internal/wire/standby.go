package wire

import (
	"cmp"
	"errors"
	"net"
	"slices"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ErrStandby is the ErrUnreachable of a coordinator that waits to lead: its StandbyError has the address of the one that does.
var ErrStandby error = &kindError{kind: ErrUnreachable, text: "standby"}

// StandbyError is how a standby refuses all calls. Clients connect to the leader instead.
type StandbyError struct {
	Leader string // HOST:PORT; empty if no coordinator leads now
}

// Error names the leader.
func (e *StandbyError) Error() string {
	if e.Leader == "" {
		return "it is a standby, and no coordinator leads now"
	}
	return "it is a standby of " + e.Leader
}

// Unwrap returns the kind.
func (*StandbyError) Unwrap() error { return ErrStandby }

// LeaderOf returns the leader that a standby has named; empty if err is not that of a standby, or if it knows none.
func LeaderOf(err error) string {
	if standby, is := errors.AsType[*StandbyError](err); is {
		return standby.Leader
	}
	return ""
}

// A standby's status has the code of ErrUnreachable, so that a peer of an older build tries again. Its details mark it.
const (
	standbyReason = "STANDBY"
	leaderKey     = "leader"
	longestLeader = 260 // a host's name and a port
)

func standbyStatus(err error) error {
	s := status.New(codes.Unavailable, err.Error())
	info := &errdetails.ErrorInfo{Reason: standbyReason, Domain: "benchd", Metadata: map[string]string{leaderKey: LeaderOf(err)}}
	if detailed, failed := s.WithDetails(info); failed == nil {
		s = detailed
	}
	return s.Err()
}

// standbyOf makes an error of the status of a standby, and nil of others. An address that is not HOST:PORT is left out.
func standbyOf(s *status.Status) error {
	if !hasReason(s, codes.Unavailable, standbyReason) {
		return nil
	}
	details := s.Details()
	at := slices.IndexFunc(details, func(detail any) bool { _, is := detail.(*errdetails.ErrorInfo); return is })
	info, _ := details[at].(*errdetails.ErrorInfo) // hasReason has found it
	leader := info.GetMetadata()[leaderKey]
	if host, port, err := net.SplitHostPort(leader); err != nil || cmp.Or(host, port) == "" || len(leader) > longestLeader {
		leader = ""
	}
	return &StandbyError{Leader: leader}
}
