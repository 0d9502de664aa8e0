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

// ActionsProperty lists what is done to the target while it is measured.
const ActionsProperty = "actions"

// mostActions is how many actions a run may have.
const mostActions = 1000

// hookAction is what every target can: a command that the operator of an agent allows by name.
func hookAction() descriptor.Action {
	return descriptor.Action{
		Name: plan.Hook, Takes: []string{plan.HookArg}, Needs: 1,
		Check: func(args map[string]string) error { return CheckHook(args[plan.HookArg]) },
	}
}

// actions are what can be done while a run is measured.
type actions []descriptor.Action

// actionsOf are what can be done to any of the targets.
func actionsOf(targets ...descriptor.Target) actions {
	return append(descriptor.List(targets).Actions(), hookAction())
}

// Actions lists what can be done to the targets while a run is measured, hooks included.
func (r *Reader) Actions() []descriptor.Action { return actionsOf(r.table.targets...) }

func (l actions) names() []string {
	names := make([]string, len(l))
	for i, a := range l {
		names[i] = a.Name
	}
	return names
}

// find returns the action with a name.
func (l actions) find(name string) (descriptor.Action, error) {
	if i := slices.IndexFunc(l, func(a descriptor.Action) bool { return a.Name == name }); i >= 0 {
		return l[i], nil
	}
	if near := suggest.Nearest(name, l.names()); near != "" {
		return descriptor.Action{}, fmt.Errorf("%s is nothing that can be done to a target; did you mean %s?", property.Quote(name), near)
	}
	return descriptor.Action{}, fmt.Errorf("%s is nothing that can be done to a target; there is %s", property.Quote(name), strings.Join(l.names(), ", "))
}

// CheckHook judges the name of a hook, which stands in command lines, configurations and properties.
func CheckHook(name string) error {
	const marks = "._-"
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	stray := func(r rune) bool { return !strings.ContainsRune(letters+marks, r) }
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, stray) || strings.ContainsRune(marks, rune(name[0])) {
		return fmt.Errorf("%s is no name for a hook; use up to 64 letters, digits, dots, dashes and underscores, such as restart", property.Quote(name))
	}
	return nil
}

// parse reads what is done while a run is measured: "60s major_compact; 90s split usertable user5; 2m hook
// restart" is a time from the begin of measuring on, then an action with its arguments, for each. An argument may stand
// with its name: region=…. They come out in the order of their times.
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
			return nil, fmt.Errorf("has more than %d actions; leave some out", mostActions)
		}
	}
	slices.SortStableFunc(list, func(a, b plan.Action) int { return int(min(max(a.At-b.At, -1), 1)) })
	return list, nil
}

func (l actions) parseOne(words []string) (plan.Action, error) {
	var a plan.Action
	at, err := time.ParseDuration(words[0])
	if err != nil || at < 0 {
		return a, fmt.Errorf("%s is no time from the begin of measuring on; write such as 60s major_compact", property.Quote(words[0]))
	}
	if len(words) < 2 {
		return a, fmt.Errorf("%s is a time without an action; there is %s", property.Quote(words[0]), strings.Join(l.names(), ", "))
	}
	a.At, a.Name = at, strings.ReplaceAll(words[1], "-", "_")
	kind, err := l.find(a.Name)
	if err != nil {
		return a, err
	}
	a.Implied = kind.Implied
	stands := 0
	for _, word := range words[2:] {
		name, value, named := strings.Cut(word, "=")
		switch {
		case named && (slices.Contains(kind.Takes, name) || slices.Contains(kind.Named, name)):
		case named:
			known := slices.Concat(kind.Takes, kind.Named)
			if near := suggest.Nearest(name, known); near != "" {
				return a, fmt.Errorf("%s takes no %s; did you mean %s?", a.Name, property.Quote(name), near)
			}
			return a, fmt.Errorf("%s takes no %s; it takes %s", a.Name, property.Quote(name), listOf(known))
		case stands == len(kind.Takes):
			return a, fmt.Errorf("%s takes no more than %s; %s is too much", a.Name, listOf(kind.Takes), property.Quote(word))
		default:
			name, value = kind.Takes[stands], word
			stands++
		}
		if a.Args == nil {
			a.Args = make(map[string]string)
		}
		if _, twice := a.Args[name]; twice {
			return a, fmt.Errorf("%s has its %s twice; leave one out", a.Name, name)
		}
		a.Args[name] = value
	}
	for _, name := range kind.Takes[:kind.Needs] {
		if a.Args[name] == "" {
			return a, fmt.Errorf("%s needs a %s; write such as %s %s", a.Name, name, a.Name, "NAME")
		}
	}
	if kind.Check != nil {
		err = kind.Check(a.Args)
	}
	return a, err
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
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// formatActions writes actions as they are read.
func formatActions(list []plan.Action) string {
	texts := make([]string, len(list))
	for i, a := range list {
		texts[i] = a.At.String() + " " + a.String()
	}
	return strings.Join(texts, "; ")
}

// check accepts actions, and returns them in the order of their times.
func (l actions) check(value string) (string, error) {
	if err := property.Printable(value); err != nil {
		return "", err
	}
	list, err := l.parse(value)
	return formatActions(list), err
}

// judgeActions judges actions by the target and by what there is to measure.
func (j *judge) judgeActions(s plan.Settings) {
	if !j.sound(ActionsProperty, plan.BeforeRunProperty, "phase", "db") {
		return
	}
	if e, ok := j.given[plan.BeforeRunProperty]; ok && !e.idle() {
		switch {
		case !s.Run:
			j.warn(e, "has no effect in a load: it comes before what is measured")
		case len(j.target().Between) == 0:
			able, _ := between(j.table.targets)
			j.fail(e, "target %s takes no actions; leave it out, or write db=%s", s.DB, strings.Join(able, " or db="))
		}
	}
	if e, ok := j.given[plan.AfterLoadProperty]; ok && !e.idle() && !s.Load && len(j.target().Between) > 0 {
		j.warn(e, "has no effect without a load: --phase load or load,run")
	}
	j.judgeBetween()
	e, ok := j.given[ActionsProperty]
	if !ok || e.idle() {
		return
	}
	if !s.Run {
		j.warn(e, "has no effect in a load: actions are done while it is measured")
	}
	known := actionsOf(j.target()).names()
	for _, a := range s.Actions {
		hook := a.Args[plan.HookArg]
		switch {
		case a.Name == plan.Hook && j.hooks != nil && !slices.Contains(j.hooks, hook):
			j.fail(e, "no agent that is connected allows hook %s (%s); start one with benchd agent --hook %s=COMMAND, or leave the action out", hook, allowing(j.hooks), hook)
		case !slices.Contains(known, a.Name):
			j.fail(e, "target %s cannot %s; it takes %s", s.DB, a.Name, strings.Join(known, ", "))
		case s.Run && s.Duration > 0 && a.At >= s.Duration && j.sound("duration"):
			j.fail(e, "%s at %s comes after the end of measuring, which is %s long; make duration longer or let it come earlier", a.Name, a.At, s.Duration)
		}
	}
}
