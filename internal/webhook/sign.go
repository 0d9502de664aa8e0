package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"
)

// The headers of a delivery.
const (
	HeaderEvent     = "Benchd-Event"
	HeaderDelivery  = "Benchd-Delivery"  // the notice's id
	HeaderTimestamp = "Benchd-Timestamp" // of this attempt, in Unix seconds
	HeaderSignature = "Benchd-Signature"
)

// SignaturePrefix begins the signature and names its algorithm.
const SignaturePrefix = "sha256="

// Sign returns the signature of a delivery: HMAC-SHA256, in hexadecimal digits, of the timestamp, a dot and the body.
func Sign(secret string, at time.Time, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(strconv.FormatInt(at.Unix(), 10) + "."))
	_, _ = mac.Write(body)
	return SignaturePrefix + hex.EncodeToString(mac.Sum(nil))
}
