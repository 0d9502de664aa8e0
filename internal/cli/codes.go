package cli

import (
	"fmt"
	"strings"
)

// Codes returns all exit codes.
func Codes() []Code { return []Code{Good, Failed, Usage, Violated, Incomplete, Unavailable} }

// Meaning describes an exit code.
func (c Code) Meaning() string {
	switch c {
	case Good:
		return "success; of a run: the result is complete"
	case Failed:
		return "the run failed, or the command did"
	case Usage:
		return "bad usage, or a mistake in a suite, a property or a setting"
	case Violated:
		return "a limit was violated, such as `limit.errors`; the status of the run is *failed*"
	case Incomplete:
		return "the result is partial or cancelled, or the command did not wait for it"
	case Unavailable:
		return "the coordinator, the target or a port cannot be reached or used, too few agents, or not allowed"
	}
	return "unknown"
}

// Variable is a variable of the environment that is not one of a flag.
type Variable struct{ Name, Meaning string }

// Variables returns all of them.
func Variables() []Variable {
	return []Variable{
		{"NO_COLOR", "if set, results have no colours"},
		{"TERM", "if `dumb`, there are neither colours nor a live view"},
		{"STATE_DIRECTORY", "set by systemd: the folder in which an agent without `--spool` makes its spool"},
		{"XDG_STATE_HOME", "the folder in which such an agent makes `benchd/spool` otherwise; default is `~/.local/state`"},
		{"XDG_CONFIG_HOME", "the folder in which `benchctl login` makes `benchd/profiles`; default is `~/.config`, on macOS `~/Library/Application Support`"},
		{"CREDENTIALS_DIRECTORY", "set by systemd: the folder of the credentials of the unit, which properties of runs name as `credential:NAME`"},
		{"BENCHD_RUN", "set by an agent for the commands of `--hook`: the id of the run"},
		{"BENCHD_HOOK", "set by an agent for the commands of `--hook`: the name of the hook"},
	}
}

// writeCodes writes the parts of the reference that both programs share.
func writeCodes(b *strings.Builder) {
	b.WriteString("\n## Exit codes\n\n| Code | Meaning |\n| --- | --- |\n")
	for _, code := range Codes() {
		fmt.Fprintf(b, "| `%d` | %s |\n", code, code.Meaning())
	}
	b.WriteString("\n## Other variables\n\nEach flag has a variable, which the tables above name. These have no flag:\n\n| Variable | Meaning |\n| --- | --- |\n")
	for _, v := range Variables() {
		fmt.Fprintf(b, "| `%s` | %s |\n", v.Name, v.Meaning)
	}
}
