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

// On a machine the playbook says in check mode what it would do and does nothing; it installs what then works; a second time it changes
// nothing. An address beyond the machine is refused until its network is called private. The machine is a namespace of this
// one: /etc, /opt and /usr/local are laid over, systemctl works on files alone.
func TestPlaybookInstallsWhatWorks(t *testing.T) {
	t.Parallel()
	playbook, err := filepath.Abs(filepath.Join(root, "deploy/ansible/benchd.yml"))
	require.NoError(t, err)
	t.Log(within(t, "machine.sh", []string{"HOME=" + t.TempDir()}, playbook, release(t), t.TempDir()))
}
