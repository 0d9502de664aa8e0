package cli

// usage returns the template of the text that --help prints below a command's description.
func usage(prefix string) string {
	return `Usage:
{{- if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND [flags]
{{- end}}
{{- if and .Runnable .HasParent (not (index .Annotations "group"))}}
  {{.UseLine}}
{{- end}}
{{- if .HasExample}}

Examples:
{{.Example}}
{{- end}}
{{- if .HasAvailableSubCommands}}

Commands:
{{- range .Commands}}{{if or .IsAvailableCommand (eq .Name "help")}}
  {{rpad .Name .NamePadding}} {{.Short}}
{{- end}}{{end}}
{{- end}}
{{- if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}
{{- end}}
{{- if .HasAvailableInheritedFlags}}

Flags of all commands:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}
{{- end}}

A flag is also a key in the file of --config and an environment variable: --log-level is log-level and
` + prefix + `_LOG_LEVEL. The command line overrides the environment, and the environment overrides the file.
`
}
