package cli

import (
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/webhook"
)

// WebhooksFlag adds the flag of the file of webhooks.
func WebhooksFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "webhooks", "", "`FILE` of the receivers that are notified of ended suites, violated limits and found changes (docs/webhooks.md); default is that none are")
}

// Webhooks opens the file of webhooks; nil without a path. Its references name variables with the prefix of secrets, which are removed
// from the environment, and credentials of the systemd unit.
func Webhooks(path string, log *slog.Logger) (*webhook.File, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // none is wanted
	}
	secrets, err := Secrets(nil)
	if err != nil {
		return nil, err
	}
	return OpenWebhooks(path, secrets, log)
}

// OpenWebhooks is Webhooks with the secrets of the process.
func OpenWebhooks(path string, secrets secret.Resolver, log *slog.Logger) (*webhook.File, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // none is wanted
	}
	file, err := webhook.OpenFile(path, secrets, log)
	if err == nil {
		return file, nil
	}
	if _, coded := errors.AsType[interface {
		error
		ExitCode() int
	}](err); coded {
		return nil, err
	}
	return nil, &Error{Code: Usage, Err: err}
}
