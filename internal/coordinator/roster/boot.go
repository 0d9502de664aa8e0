package roster

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"
)

// printed marks a fingerprint in the archive, where an older build wrote boot ids.
const printed = "sha256:"

// Fingerprint returns what a coordinator keeps of a boot id. The boot id itself is the secret by which an agent's process
// shows that it is the same one, or the heir of one: it is neither archived nor published.
func Fingerprint(bootID string) string {
	sum := sha256.Sum256([]byte(bootID))
	return printed + hex.EncodeToString(sum[:])
}

// Archived returns the fingerprint of a process as the archive has it; an older build archived the boot id.
func Archived(kept string) string {
	if kept == "" || strings.HasPrefix(kept, printed) {
		return kept
	}
	return Fingerprint(kept)
}

// Same reports whether two fingerprints are of the same process. An empty one is of none.
func Same(a, b string) bool {
	return a != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}
