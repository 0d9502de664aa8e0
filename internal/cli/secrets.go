package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/secret"
)

// SecretsFlag declares --secrets: the folders whose files the operator of this process releases to runs.
func SecretsFlag(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringArrayVar(to, "secrets", nil, "release the files in `DIR` to runs, whose properties name them as file:NAME, such as telemetry.bearer=file:token; without it no file is released; repeatable")
}

// Secrets returns what the operator of this process releases to runs: the folders of --secrets, the variables with the prefix of
// secrets, which it removes from the environment, and the credentials of the systemd unit.
func Secrets(folders []string) (secret.Resolver, error) {
	variables, err := config.TakeSecrets(secret.Prefix)
	if err != nil {
		return secret.Resolver{}, fmt.Errorf("take the secrets from the environment: %w", err)
	}
	r := secret.Resolver{Folders: folders, Credentials: config.Credentials(), Variables: make(map[string]secret.Value, len(variables))}
	for name, value := range variables {
		r.Variables[name] = secret.NewValue(value)
	}
	if err := r.Check(); err != nil {
		return secret.Resolver{}, &Error{Code: Usage, Err: fmt.Errorf("--secrets: %w", err)}
	}
	return r, nil
}
