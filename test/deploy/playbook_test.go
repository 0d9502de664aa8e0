package deploy

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The playbook is read as it is, with the inventory that users begin with.
func TestPlaybookHasItsSyntaxRight(t *testing.T) {
	t.Parallel()
	succeed(t, filepath.Join(root, "deploy/ansible"), nil, "ansible-playbook", "--syntax-check", "-i", "inventory.example.yml", "benchd.yml")
}

// In check mode the playbook prints its changes and makes none. It installs working services, with certificates of an authority that it
// makes; a second time it changes nothing. The machine is a namespace of this one with overlays on /etc, /opt, /usr/local and /var/lib:
// there systemctl works on files only, until a systemd of that namespace starts the units.
func TestPlaybookInstallsWhatWorks(t *testing.T) {
	t.Parallel()
	playbook, err := filepath.Abs(filepath.Join(root, "deploy/ansible/benchd.yml"))
	require.NoError(t, err)
	t.Log(within(t, "machine.sh", []string{"HOME=" + t.TempDir()}, playbook, release(t), t.TempDir()))
}
