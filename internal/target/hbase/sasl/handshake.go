package sasl

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/kerberos"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// The protections, as HBase's configuration names them.
const (
	Authentication = "authentication"
	Integrity      = "integrity"
	Privacy        = "privacy"
)

// Tickets begins security contexts, as *kerberos.Client does.
type Tickets interface {
	Initiate(ctx context.Context, service string) (*kerberos.Context, []byte, error)
}

// Config is what a client wants.
type Config struct {
	Tickets     Tickets
	Protections []string // in the order of preference
	AES         bool     // ask for the AES option with Privacy
	Fallback    bool     // go on without authentication if the server has none
}

// The begin of a connection with Kerberos: the protocol, its version and the method.
const preamble = "HBas\x00\x51"

// simpler is the length with which a server without Kerberos answers.
const simpler = -88

// longest is the longest token of a handshake that is accepted.
const longest = 1 << 20

// ErrSimple reports that the server has no authentication.
var ErrSimple = errors.New("the server has no Kerberos: set hbase.security.authentication=simple if it is the right one")

// RefusedError is a server's refusal of a ticket. The reason is in the server's log only.
type RefusedError struct{ Text string }

// Error names what to look for.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("the server refuses the ticket (%s): its principal in the settings is not its own, its keytab is old, or its clock differs by more than 5 min; its log has the reason", e.Text)
}

// Begin authenticates at a service, such as hbase/host, and returns the connection for all that follows, with its protection. Without
// authentication the protection is "".
func Begin(ctx context.Context, conn net.Conn, service string, c Config) (secured net.Conn, protection string, err error) {
	security, token, err := c.Tickets.Initiate(ctx, service)
	if err != nil {
		return nil, "", err //nolint:wrapcheck // it has the cure
	}
	if _, err := conn.Write(message([]byte(preamble), token)); err != nil {
		return nil, "", fmt.Errorf("send the ticket: %w", err)
	}
	answer, err := receive(conn)
	switch {
	case errors.Is(err, ErrSimple) && c.Fallback:
		return conn, "", nil
	case err != nil:
		return nil, "", err
	}
	if err := security.Accept(answer); err != nil {
		return nil, "", fmt.Errorf("verify the server: %w", err)
	}
	if _, err := conn.Write(message(nil, nil)); err != nil {
		return nil, "", fmt.Errorf("send the end of the handshake: %w", err)
	}
	offer, err := receive(conn)
	if err != nil {
		return nil, "", err
	}
	protection, err = agree(conn, security, offer, c.Protections)
	if err != nil || protection == Authentication {
		return conn, protection, err
	}
	sealed := &Conn{Conn: conn, cover: &gss{security: security, private: protection == Privacy}}
	if c.AES && protection == Privacy {
		sealed.transformation = transformation
	}
	return sealed, protection, nil
}

// bits are the protections in offers.
func bits(protection string) byte {
	switch protection {
	case Authentication:
		return 1
	case Integrity:
		return 2
	}
	return 4
}

// agree chooses the first wanted protection that the server offers.
func agree(conn net.Conn, security *kerberos.Context, offer []byte, wanted []string) (string, error) {
	open, _, err := security.In.Open(offer)
	if err != nil || len(open) != 4 {
		return "", fmt.Errorf("read the server's offer: %w", errors.Join(err, errAnswer))
	}
	i := slices.IndexFunc(wanted, func(p string) bool { return open[0]&bits(p) != 0 })
	if i < 0 {
		var offered []string
		for _, p := range []string{Authentication, Integrity, Privacy} {
			if open[0]&bits(p) != 0 {
				offered = append(offered, p)
			}
		}
		return "", rpc.Final(fmt.Errorf("the server offers the protection %s, and the settings want %s: correct hbase.rpc.protection", strings.Join(offered, ", "), strings.Join(wanted, ", ")))
	}
	choice := security.Out.Sign(nil, []byte{bits(wanted[i]), 1, 0, 0})
	if _, err := conn.Write(message(nil, choice)); err != nil {
		return "", fmt.Errorf("send the choice of a protection: %w", err)
	}
	return wanted[i], nil
}

// message appends a message of the handshake.
func message(dst, token []byte) []byte {
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(token))), token...)
}

var errAnswer = errors.New("malformed answer to the ticket; is the server an HBase?")

// receive reads a message of the server.
func receive(conn net.Conn) ([]byte, error) {
	status, err := number(conn)
	if err != nil {
		return nil, err
	}
	if status != 0 {
		return nil, refusal(conn)
	}
	size, err := number(conn)
	switch {
	case err != nil:
		return nil, err
	case size == simpler:
		return nil, rpc.Final(ErrSimple)
	case size < 0 || size > longest:
		return nil, errAnswer
	}
	token := make([]byte, size)
	if _, err := io.ReadFull(conn, token); err != nil {
		return nil, fmt.Errorf("wait for the answer to the ticket: %w", err)
	}
	return token, nil
}

// refusal reads the exception of a server.
func refusal(conn net.Conn) error {
	texts := make([]string, 2) // the class and the message
	for i := range texts {
		size, err := number(conn)
		if err != nil || size < 0 || size > longest {
			return &RefusedError{"no reason is given"}
		}
		b := make([]byte, size)
		if _, err := io.ReadFull(conn, b); err != nil {
			return &RefusedError{"no reason is given"}
		}
		texts[i] = strings.ToValidUTF8(string(b), "?")
	}
	return &RefusedError{texts[1]}
}

func number(conn net.Conn) (int32, error) {
	var b [4]byte
	if _, err := io.ReadFull(conn, b[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return 0, errors.New("the server has closed the connection after the ticket; is it an HBase with Kerberos?")
		}
		return 0, fmt.Errorf("wait for the answer to the ticket: %w", err)
	}
	return int32(binary.BigEndian.Uint32(b[:])), nil
}
