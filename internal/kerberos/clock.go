package kerberos

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
)

// clockWithin bounds the question for the time of a KDC.
const clockWithin = 2 * time.Second

// clocks describes the clocks of this machine and of a KDC, for an error. It is empty if no KDC answers.
func (c *Client) clocks() string {
	_, kdcs, err := c.conf.GetKDCs(c.realm, true)
	if err != nil {
		return ""
	}
	for _, address := range kdcs {
		if theirs, err := c.clockOf(address); err == nil {
			ours, word := time.Now().UTC().Truncate(time.Second), "ahead"
			difference := ours.Sub(theirs)
			if difference < 0 {
				difference, word = -difference, "behind"
			}
			return fmt.Sprintf("; this machine's clock is %s, %s %s of the KDC's, %s", ours.Format(time.RFC3339), difference, word, theirs.Format(time.RFC3339))
		}
	}
	return ""
}

// clockOf returns the time of a KDC. It is in the refusal of a request that does not prove who asks.
func (c *Client) clockOf(address string) (time.Time, error) {
	request, err := messages.NewASReqForTGT(c.realm, c.conf, types.NewPrincipalName(nametype.KRB_NT_PRINCIPAL, c.name))
	if err != nil {
		return time.Time{}, fmt.Errorf("ask for the time: %w", err)
	}
	body, err := request.Marshal()
	if err != nil {
		return time.Time{}, fmt.Errorf("ask for the time: %w", err)
	}
	conn, err := net.DialTimeout("tcp", address, clockWithin) //nolint:noctx // bounded; as the library does
	if err != nil {
		return time.Time{}, err //nolint:wrapcheck // nobody reads it
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(clockWithin))
	if _, err := conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)); err != nil {
		return time.Time{}, err //nolint:wrapcheck // nobody reads it
	}
	const longest = 1 << 16
	var size [4]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil || binary.BigEndian.Uint32(size[:]) > longest {
		return time.Time{}, errors.Join(err, errToken)
	}
	answer := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(conn, answer); err != nil {
		return time.Time{}, err //nolint:wrapcheck // nobody reads it
	}
	var refusal messages.KRBError
	if err := refusal.Unmarshal(answer); err != nil {
		return time.Time{}, err //nolint:wrapcheck // nobody reads it
	}
	return refusal.STime.UTC(), nil
}
