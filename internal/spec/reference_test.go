package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/property"
)

// propertiesDocument is the document with a table for each topic, and one for each target.
const propertiesDocument = "docs/properties.md"

// topics are the properties by the names of their tables.
func topics() map[string][]property.Key {
	targets := reader().table.targets
	all := map[string][]property.Key{
		"workload": workloadKeys(), "distributions": distributionKeys(), "series": seriesKeys(), "replay": traceKeys(), "run": runKeys(targets), "groups": groupKeys(), "search": searchKeys(), "between": betweenKeys(targets),
		"telemetry": telemetryKeys(targets), "output": reportingKeys(),
	}
	for _, k := range targets.Keys() {
		topic := strings.Join(k.Targets, " and ")
		all[topic] = append(all[topic], k)
	}
	return all
}

// propertyTable has a row for each property.
func propertyTable(keys []property.Key) doctable.Table {
	table := doctable.Table{Head: []string{"Property", "Type", "Default", "Meaning"}}
	quoted := func(text string) string {
		if text == "" {
			return ""
		}
		return "`" + text + "`"
	}
	for _, k := range keys {
		k, _ = reader().table.find(k.Name) // with what an alias inherits
		kind, meaning := string(k.Kind), k.Doc
		number := func(n float64) string { return strconv.FormatFloat(n, 'f', 0, 64) }
		switch {
		case k.Name == "db":
			kind = "name of a [target](README.md)" // each has a page
		case len(k.Values) > 0:
			kind = "`" + strings.Join(k.Values, "`, `") + "`"
		case k.Kind == property.Int && k.Max != 0:
			kind = fmt.Sprintf("int, %s to %s", number(k.Min), number(k.Max))
		}
		switch k.Status {
		case property.Alias:
			other := "another name of " + k.Of
			meaning = strings.TrimSuffix(other+": "+strings.TrimPrefix(meaning, other), ": ")
		case property.Idle:
			meaning = "ignored with a warning: " + k.Reason
		case property.Refused:
			meaning = "refused: " + k.Reason
		case property.Honoured, property.Reporting:
		}
		table.Rows = append(table.Rows, []string{quoted(k.Name), kind, quoted(k.Default), meaning})
	}
	return table
}

// The reference has every property that the schema has, and those that are refused; see doctable for what is found.
func TestTheReferenceHasThePropertiesOfTheSchema(t *testing.T) {
	var names, documented []string
	for topic, keys := range topics() {
		doctable.Generated(t, propertiesDocument, topic, propertyTable(keys), *update)
	}
	for _, k := range reader().Keys() {
		names = append(names, k.Name)
	}
	for _, table := range doctable.Tables(doctable.Read(t, propertiesDocument)) {
		documented = append(documented, table.Names(0)...)
	}
	slices.Sort(names)
	slices.Sort(documented)
	require.Equal(t, names, documented)
}

// The pages of targets whose tables are written by hand have each property, too.
func TestThePagesOfTargetsHaveTheirProperties(t *testing.T) {
	page := doctable.Tables(doctable.Read(t, "docs/null.md"))[0]
	var names []string
	for _, k := range topics()["null"] {
		names = append(names, k.Name)
	}
	require.ElementsMatch(t, names, page.Names(0))
}
