package main

import (
	"fmt"
	"path/filepath"
)

// Types of documents that in-toto and SLSA define.
const (
	statementType = "https://in-toto.io/Statement/v1"
	predicateType = "https://slsa.dev/provenance/v1"
)

// buildType is the page that explains the parameters of the build, and how to repeat it.
const buildType = repository + "/blob/main/docs/deploy.md#release"

// statement is in-toto's Statement v1 with SLSA's provenance v1.
type statement struct {
	Type          string       `json:"_type"`
	Subject       []descriptor `json:"subject"`
	PredicateType string       `json:"predicateType"`
	Predicate     predicate    `json:"predicate"`
}

// descriptor is in-toto's ResourceDescriptor.
type descriptor struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest,omitempty"`
}

type predicate struct {
	BuildDefinition buildDefinition `json:"buildDefinition"`
	RunDetails      runDetails      `json:"runDetails"`
}

type buildDefinition struct {
	BuildType            string            `json:"buildType"`
	ExternalParameters   map[string]string `json:"externalParameters"`
	InternalParameters   map[string]string `json:"internalParameters"`
	ResolvedDependencies []descriptor      `json:"resolvedDependencies"`
}

type runDetails struct {
	Builder struct {
		ID string `json:"id"`
	} `json:"builder"`
}

// provenance states how the subjects were made. The builder is the script of the commit, on whatever machine: the bytes do not
// depend on it.
func (r *release) provenance(subjects []descriptor) (*statement, error) {
	resolved := []descriptor{
		{URI: "git+" + repository, Digest: map[string]string{"gitCommit": r.commit}},
		{URI: "pkg:golang/std@" + r.golang[len("go"):]},
	}
	for _, file := range []string{"go.mod", "go.sum", "scripts/release"} {
		sum, err := digest(filepath.Join(r.source, file))
		if err != nil {
			return nil, fmt.Errorf("read source: %w", err)
		}
		resolved = append(resolved, descriptor{Name: file, URI: repository + "/blob/" + r.commit + "/" + file, Digest: map[string]string{"sha256": sum}})
	}
	s := &statement{Type: statementType, Subject: subjects, PredicateType: predicateType}
	s.Predicate.BuildDefinition = buildDefinition{
		BuildType:            buildType,
		ExternalParameters:   map[string]string{"repository": repository, "commit": r.commit, "version": r.version},
		InternalParameters:   map[string]string{"go": r.golang},
		ResolvedDependencies: resolved,
	}
	s.Predicate.RunDetails.Builder.ID = repository + "/blob/" + r.commit + "/scripts/release"
	return s, nil
}

// subject is a file of the release.
func subject(name, sum string) descriptor {
	return descriptor{Name: name, Digest: map[string]string{"sha256": sum}}
}
