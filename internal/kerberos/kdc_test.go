package kerberos

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jcmturner/gofork/encoding/asn1"
	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/iana/errorcode"
	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
	"github.com/jcmturner/gokrb5/v8/iana/flags"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/iana/patype"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
	"github.com/stretchr/testify/require"
)

// kdc serves the realm of the tests: the user anna and a service.
type kdc struct {
	t       *testing.T
	address string
	keys    *keytab.Keytab
	offset  time.Duration // of its clock
	life    time.Duration // of tickets

	logins, issued, renewed atomic.Int32
}

const testKind = etypeID.AES256_CTS_HMAC_SHA1_96

func startKDC(t *testing.T) *kdc {
	t.Helper()
	k := &kdc{t: t, keys: keytab.New(), life: time.Hour}
	for _, name := range []string{"anna", testService, "krbtgt/" + testRealm} {
		require.NoError(t, k.keys.AddEntry(name, testRealm, "password", time.Now(), 1, testKind))
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	k.address = l.Addr().String()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			k.serve(conn)
		}
	}()
	t.Cleanup(func() { require.NoError(t, l.Close()); <-done })
	return k
}

func (k *kdc) now() time.Time { return time.Now().UTC().Add(k.offset) }

func (k *kdc) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	var size [4]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return
	}
	request := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(conn, request); err != nil {
		return
	}
	answer := k.answer(request)
	_, _ = conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(answer))), answer...))
}

func (k *kdc) answer(request []byte) []byte {
	var login messages.ASReq
	if err := login.Unmarshal(request); err == nil {
		return k.logIn(login)
	}
	var ticket messages.TGSReq
	if err := ticket.Unmarshal(request); err != nil {
		k.t.Errorf("unexpected request: %v", err)
		return nil
	}
	return k.issue(ticket)
}

func (k *kdc) refuse(code int32, data []byte) []byte {
	refusal := messages.NewKRBError(ticketService(testRealm), testRealm, code, "")
	refusal.STime, refusal.EData = k.now(), data
	return k.bytes(refusal.Marshal())
}

func (k *kdc) bytes(b []byte, err error) []byte {
	if err != nil {
		k.t.Error(err)
	}
	return b
}

func (k *kdc) key(name types.PrincipalName) (types.EncryptionKey, bool) {
	key, _, err := k.keys.GetEncryptionKey(name, testRealm, 0, testKind)
	return key, err == nil
}

func (k *kdc) logIn(r messages.ASReq) []byte {
	key, ok := k.key(r.ReqBody.CName)
	if !ok {
		return k.refuse(errorcode.KDC_ERR_C_PRINCIPAL_UNKNOWN, nil)
	}
	for _, proof := range r.PAData {
		if proof.PADataType != patype.PA_ENC_TIMESTAMP {
			continue
		}
		var sealed types.PAEncTimestamp
		var stamp types.PAEncTSEnc
		if err := sealed.Unmarshal(proof.PADataValue); err != nil {
			k.t.Error(err)
		}
		plain, err := crypto.DecryptEncPart(types.EncryptedData(sealed), key, keyusage.AS_REQ_PA_ENC_TIMESTAMP)
		if err != nil || stamp.Unmarshal(plain) != nil {
			return k.refuse(errorcode.KDC_ERR_PREAUTH_FAILED, k.kinds())
		}
		if k.now().Sub(stamp.PATimestamp).Abs() > 5*time.Minute {
			return k.refuse(errorcode.KRB_AP_ERR_SKEW, nil)
		}
		k.logins.Add(1)
		reply := messages.ASRep{KDCRepFields: k.reply(r.ReqBody, 11, key, keyusage.AS_REP_ENCPART)}
		return k.bytes(reply.Marshal())
	}
	return k.refuse(errorcode.KDC_ERR_PREAUTH_REQUIRED, k.kinds())
}

// kinds is the list of kinds of keys in a refusal.
func (k *kdc) kinds() []byte {
	info := k.bytes(asn1.Marshal(types.ETypeInfo2{{EType: testKind}}))
	return k.bytes(asn1.Marshal(types.PADataSequence{{PADataType: patype.PA_ETYPE_INFO2, PADataValue: info}}))
}

func (k *kdc) issue(r messages.TGSReq) []byte {
	var proof messages.APReq
	require.NoError(k.t, proof.Unmarshal(r.PAData[0].PADataValue))
	name := ticketService(testRealm)
	require.NoError(k.t, proof.Ticket.DecryptEncPart(k.keys, &name))
	session := proof.Ticket.DecryptedEncPart.Key
	require.NoError(k.t, proof.DecryptAuthenticator(session))
	if proof.Ticket.DecryptedEncPart.EndTime.Before(k.now()) {
		return k.refuse(errorcode.KRB_AP_ERR_TKT_EXPIRED, nil)
	}
	if _, ok := k.key(r.ReqBody.SName); !ok {
		return k.refuse(errorcode.KDC_ERR_S_PRINCIPAL_UNKNOWN, nil)
	}
	if types.IsFlagSet(&r.ReqBody.KDCOptions, flags.Renew) {
		k.renewed.Add(1)
	} else {
		k.issued.Add(1)
	}
	reply := messages.TGSRep{KDCRepFields: k.reply(r.ReqBody, 13, session, keyusage.TGS_REP_ENCPART_SESSION_KEY)}
	return k.bytes(reply.Marshal())
}

func (k *kdc) reply(r messages.KDCReqBody, kind int, key types.EncryptionKey, usage uint32) messages.KDCRepFields {
	now := k.now().Truncate(time.Second)
	until, renewable := now.Add(k.life), now.Add(24*k.life)
	ticket, session, err := messages.NewTicket(r.CName, testRealm, r.SName, testRealm, types.NewKrbFlags(), k.keys, testKind, 1, now, now, until, renewable)
	require.NoError(k.t, err)
	part := messages.EncKDCRepPart{
		Key: session, LastReqs: []messages.LastReq{{LRValue: now}}, Nonce: r.Nonce, Flags: types.NewKrbFlags(), AuthTime: now, StartTime: now, EndTime: until,
		RenewTill: renewable, SRealm: testRealm, SName: r.SName,
	}
	sealed, err := crypto.GetEncryptedData(k.bytes(part.Marshal()), key, usage, 1)
	require.NoError(k.t, err)
	return messages.KDCRepFields{PVNO: 5, MsgType: kind, CRealm: testRealm, CName: r.CName, Ticket: ticket, EncPart: sealed}
}

// writeCache writes a credential cache of anna, as kinit does. Its ticket begins now.
func (k *kdc) writeCache(path string, begins time.Time, life, renewable time.Duration) {
	k.t.Helper()
	anna := types.NewPrincipalName(nametype.KRB_NT_PRINCIPAL, "anna")
	service := ticketService(testRealm)
	ends := begins.Add(life)
	ticket, session, err := messages.NewTicket(anna, testRealm, service, testRealm, types.NewKrbFlags(), k.keys, testKind, 1, begins, begins, ends, begins.Add(renewable))
	require.NoError(k.t, err)
	body, err := ticket.Marshal()
	require.NoError(k.t, err)

	var b bytes.Buffer
	number := func(n int) { b.Write(binary.BigEndian.AppendUint32(nil, uint32(n))) }
	data := func(d []byte) { number(len(d)); b.Write(d) }
	principal := func(p types.PrincipalName) {
		number(int(p.NameType))
		number(len(p.NameString))
		data([]byte(testRealm))
		for _, part := range p.NameString {
			data([]byte(part))
		}
	}
	b.Write([]byte{5, 4, 0, 0}) // version 4, no header
	principal(anna)
	principal(anna)
	principal(service)
	b.Write(binary.BigEndian.AppendUint16(nil, uint16(session.KeyType)))
	data(session.KeyValue)
	for _, at := range []time.Time{begins, begins, ends, begins.Add(renewable)} {
		number(int(at.Unix()))
	}
	b.WriteByte(0)
	number(0) // flags
	number(0) // addresses
	number(0) // authorization data
	data(body)
	data(nil)
	require.NoError(k.t, os.WriteFile(path, b.Bytes(), 0o600))
}
