package spec

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/suggest"
)

// ActionsProperty is the property that lists the actions on the target during measuring.
const ActionsProperty = "actions"

// mostActions bounds the actions of a run.
const mostActions = 1000

// hookAction is the action of every target: a command that the operator of an agent allows by name.
func hookAction() descriptor.Action {
	return descriptor.Action{
		Name: plan.Hook, Takes: []string{plan.HookArg}, Needs: 1,
		Check: func(args map[string]string) error { return CheckHook(args[plan.HookArg]) },
	}
}

// actions are the actions that a run can have.
type actions []descriptor.Action

// actionsOf returns the actions of all targets.
func actionsOf(targets ...descriptor.Target) actions {
	return append(descriptor.List(targets).Actions(), hookAction())
}

// Actions lists the actions that a run can have on the targets, including hooks.
func (r *Reader) Actions() []descriptor.Action { return actionsOf(r.table.targets...) }

// names lists the actions that are possible during measuring.
func (l actions) names() []string {
	names := make([]string, 0, len(l))
	for _, a := range l {
		if !a.Idle {
			names = append(names, a.Name)
		}
	}
	return names
}

// find returns the action with a name.
func (l actions) find(name string) (descriptor.Action, error) {
	if i := slices.IndexFunc(l, func(a descriptor.Action) bool { return a.Name == name }); i >= 0 {
		return l[i], nil
	}
	if near := suggest.Nearest(name, l.names()); near != "" {
		return descriptor.Action{}, fmt.Errorf("unknown action %s; did you mean %s?", property.Quote(name), near)
	}
	return descriptor.Action{}, fmt.Errorf("unknown action %s (one of %s)", property.Quote(name), strings.Join(l.names(), ", "))
}

// CheckHook validates the name of a hook, which appears in command lines, configurations and properties.
func CheckHook(name string) error {
	const marks = "._-"
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	stray := func(r rune) bool { return !strings.ContainsRune(letters+marks, r) }
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, stray) || strings.ContainsRune(marks, rune(name[0])) {
		return fmt.Errorf("invalid hook name %s: want up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit, such as restart", property.Quote(name))
	}
	return nil
}

// parse reads actions such as "60s major_compact; 90s split usertable user5; 2m hook restart": each is a time since the
// start of measuring, a name and arguments. An argument may have its name before it: region=…. The result is sorted by
// time.
func (l actions) parse(text string) ([]plan.Action, error) {
	var list []plan.Action
	for one := range strings.SplitSeq(text, ";") {
		words := strings.Fields(one)
		if len(words) == 0 {
			continue
		}
		a, err := l.parseOne(words)
		if err != nil {
			return nil, err
		}
		if list = append(list, a); len(list) > mostActions {
			return nil, fmt.Errorf("has more than %d actions; remove some", mostActions)
		}
	}
	slices.SortStableFunc(list, func(a, b plan.Action) int { return int(min(max(a.At-b.At, -1), 1)) })
	return list, nil
}

func (l actions) parseOne(words []string) (plan.Action, error) {
	var a plan.Action
	at, err := time.ParseDuration(words[0])
	if err != nil || at < 0 {
		return a, fmt.Errorf("invalid time %s: want a duration since the start of measuring, as in 60s major_compact", property.Quote(words[0]))
	}
	if len(words) < 2 {
		return a, fmt.Errorf("missing action after the time %s (one of %s)", property.Quote(words[0]), strings.Join(l.names(), ", "))
	}
	kind, err := l.find(strings.ReplaceAll(words[1], "-", "_"))
	if err != nil {
		return a, err
	}
	if kind.Idle {
		return a, fmt.Errorf("%s is not available during measuring; write it in %s", kind.Name, plan.BeforeRunProperty)
	}
	a, err = parseAction(kind, words[2:])
	a.At, a.Implied = at, kind.Implied
	return a, err
}

// parseAction reads the arguments of an action: words in the order of its arguments, or with their names.
func parseAction(kind descriptor.Action, words []string) (plan.Action, error) {
	a := plan.Action{Name: kind.Name}
	position := 0
	for _, word := range words {
		name, value, named := strings.Cut(word, "=")
		switch {
		case named && (slices.Contains(kind.Takes, name) || slices.Contains(kind.Named, name)):
		case named:
			known := slices.Concat(kind.Takes, kind.Named)
			if near := suggest.Nearest(name, known); near != "" {
				return a, fmt.Errorf("unknown argument %[2]s of %[1]s; did you mean %[3]s?", a.Name, property.Quote(name), near)
			}
			return a, fmt.Errorf("unknown argument %[2]s of %[1]s; it takes %[3]s", a.Name, property.Quote(name), listOf(known))
		case position == len(kind.Takes):
			return a, fmt.Errorf("unexpected argument %s of %s; it takes %s", property.Quote(word), a.Name, listOf(kind.Takes))
		default:
			name, value = kind.Takes[position], word
			position++
		}
		if a.Args == nil {
			a.Args = make(map[string]string)
		}
		if _, twice := a.Args[name]; twice {
			return a, fmt.Errorf("duplicate argument %s of %s; remove one", name, a.Name)
		}
		a.Args[name] = value
	}
	for _, name := range kind.Takes[:kind.Needs] {
		if a.Args[name] == "" {
			return a, fmt.Errorf("missing argument %s of %s; write %s %s", name, a.Name, a.Name, strings.ToUpper(name))
		}
	}
	if kind.Check != nil {
		return a, kind.Check(a.Args)
	}
	return a, nil
}

func allowing(hooks []string) string {
	if len(hooks) == 0 {
		return "they allow none"
	}
	hooks = slices.Compact(slices.Sorted(slices.Values(hooks)))
	return "they allow " + strings.Join(hooks, ", ")
}

func listOf(names []string) string {
	if len(names) == 0 {
		return "no arguments"
	}
	return strings.Join(names, ", ")
}

// formatActions writes actions as parse reads them.
func formatActions(list []plan.Action) string {
	texts := make([]string, len(list))
	for i, a := range list {
		texts[i] = a.At.String() + " " + a.String()
	}
	return strings.Join(texts, "; ")
}

// check accepts actions, and returns them sorted by time.
func (l actions) check(value string) (string, error) {
	if err := property.Printable(value); err != nil {
		return "", err
	}
	list, err := l.parse(value)
	return formatActions(list), err
}

// validateActions validates actions against the target and the phases.
func (r *resolver) validateActions(s plan.Settings) {
	if !r.sound(ActionsProperty, plan.BeforeRunProperty, "phase", "db") {
		return
	}
	if e, ok := r.given[plan.BeforeRunProperty]; ok && !e.idle() {
		switch {
		case !s.Run:
			r.warn(e, "has no effect in a load: its actions run before measuring")
		case len(r.target().Between) == 0:
			able, _ := between(r.table.targets)
			r.fail(e, "target %s supports no actions between phases; remove it, or write db=%s", s.DB, strings.Join(able, " or db="))
		}
	}
	if e, ok := r.given[plan.AfterLoadProperty]; ok && !e.idle() && !s.Load && len(r.target().Between) > 0 {
		r.warn(e, "has no effect without a load; set --phase load or load,run")
	}
	r.validateBetween()
	e, ok := r.given[ActionsProperty]
	if !ok || e.idle() {
		return
	}
	if !s.Run {
		r.warn(e, "has no effect in a load: actions run during measuring")
	}
	known := actionsOf(r.target()).names()
	for _, a := range s.Actions {
		hook := a.Args[plan.HookArg]
		switch {
		case a.Name == plan.Hook && r.hooks != nil && !slices.Contains(r.hooks, hook):
			r.fail(e, "no connected agent allows hook %s (%s); start one with benchd agent --hook %s=COMMAND, or remove the action", hook, allowing(r.hooks), hook)
		case !slices.Contains(known, a.Name):
			r.fail(e, "target %s does not support %s; it supports %s", s.DB, a.Name, strings.Join(known, ", "))
		case s.Run && s.Duration > 0 && a.At >= s.Duration && r.sound("duration"):
			r.fail(e, "%s at %s is after the end of measuring, at %s; raise duration, or run the action earlier", a.Name, a.At, s.Duration)
		}
	}
}
