package store

// Nearby sets how many entries a walk steps over before it seeks, so that a test with few cells covers both.
func (s *Store) Nearby(n int) { s.nearby.Store(int64(n)) }
