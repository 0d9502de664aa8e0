package results

import (
	"context"
	"fmt"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/capacity"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
)

// Decide returns what a search does after these runs of its case, which have ended.
func (s *Store) Decide(ctx context.Context, suite archive.Suite, of search.Space, runs []archive.RunRecord) (search.Step, error) {
	docs, err := s.ofRuns(ctx, suite, runs)
	return capacity.Decide(of, docs), err
}

// Capacity returns what these runs of a search have shown.
func (s *Store) Capacity(ctx context.Context, suite archive.Suite, of search.Space, runs []archive.RunRecord) (result.Capacity, error) {
	docs, err := s.ofRuns(ctx, suite, runs)
	return capacity.Of(of, docs), err
}

func (s *Store) ofRuns(ctx context.Context, suite archive.Suite, runs []archive.RunRecord) ([]result.Run, error) {
	docs := make([]result.Run, 0, len(runs))
	key := newSuiteKey(suite)
	for _, archived := range runs {
		doc, err := s.document(ctx, suite, key, archived)
		if err != nil {
			return nil, fmt.Errorf("make result of run %s: %w", archived.ID, err)
		}
		docs = append(docs, doc)
	}
	return docs, nil
}
