package api

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/suggest"
)

// check returns the mistake in a value; empty if there is none.
func (p Parameter) check(value string) string {
	switch p.Kind {
	case Integer:
		if _, err := number(value); err != nil {
			return fmt.Sprintf("invalid number %q: want 1 or more", value)
		}
	case Boolean:
		if value != "true" && value != "false" {
			return fmt.Sprintf("invalid value %q: want true or false", value)
		}
	case Time:
		if _, err := instant(value); err != nil {
			return fmt.Sprintf("invalid time %q: want such as 2026-03-01 or 2026-03-01T12:00:00Z", value)
		}
	case Seconds:
		if _, is := seconds(value); !is {
			return fmt.Sprintf("invalid number %q: want seconds, such as 90 or 0.5", value)
		}
	case Text:
		if len(p.Choices) > 0 && !slices.Contains(p.Choices, value) {
			return fmt.Sprintf("unknown value %q: want %s%s", value, strings.Join(p.Choices, ", "), meant(value, p.Choices))
		}
	}
	return ""
}

// unknown returns the mistakes of parameters that a request does not have.
func unknown(given url.Values, known map[string]Parameter) (problems []Problem) {
	names := slices.Sorted(maps.Keys(known))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, is := known[name]; is {
			continue
		}
		message := "unknown parameter"
		if near := meant(name, names); near != "" {
			message += near
		} else if len(names) > 0 {
			message += ": want " + strings.Join(names, ", ")
		}
		problems = append(problems, Problem{Place: name, Message: message})
	}
	return problems
}

// meant names the nearest of some words.
func meant(word string, known []string) string {
	if near := suggest.Nearest(word, known); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// meantPath names the path of a request whose words are nearest to those of a path that is not served.
func meantPath(path string) string {
	given := strings.Split(strings.TrimSuffix(strings.TrimPrefix(path, Prefix), "/"), "/")
	best, most := "", -1
	for _, r := range Routes() {
		parts, same := strings.Split(r.Path, "/"), 0
		if len(parts) != len(given) {
			continue
		}
		near := true
		for i, part := range parts {
			switch {
			case strings.HasPrefix(part, "{"):
				parts[i] = given[i]
			case part == given[i]:
				same++
			default:
				near = near && suggest.Nearest(given[i], parts[i:i+1]) != ""
			}
		}
		if near && same > most {
			best, most = strings.Join(parts, "/"), same
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", Prefix+best)
}

func number(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err == nil && n < 1 {
		err = errors.New("not positive")
	}
	return n, err
}

// instant reads a time or a date, which is in UTC.
func instant(text string) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return at, fmt.Errorf("read a time: %w", err)
	}
	return at, nil
}

// pairs reads values of the form KEY=VALUE.
func pairs(name string, texts []string) (map[string]string, error) {
	out := make(map[string]string)
	var problems parametersError
	for _, text := range texts {
		key, value, found := strings.Cut(text, "=")
		if !found || key == "" {
			problems = append(problems, Problem{Place: name, Message: fmt.Sprintf("invalid value %q: want KEY=VALUE", text)})
		}
		out[key] = value
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return out, nil
}
