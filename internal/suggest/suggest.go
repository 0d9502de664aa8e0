// Package suggest finds the known word that a mistyped word was meant to be:
//
//  1. count the letters to insert, drop, replace or swap with their neighbour to get each known word;
//  2. return the nearest word, unless it is too far.
package suggest

import "strings"

// Nearest returns the word of a list that is nearest to a mistyped word, or "" if none is near. Of several with the same
// distance it returns the first.
func Nearest(word string, list []string) string {
	return within(len(word)/3+2, word, list)
}

// Close returns the word of a list that is at most two letters away, or "". It is for words that may be
// correct as they are.
func Close(word string, list []string) string {
	return within(3, word, list)
}

// within returns the nearest word that is less than least letters away.
func within(least int, word string, list []string) string {
	const longest = 80 // longer than any name; bounds the table of distances
	if len(word) > longest {
		return ""
	}
	best := ""
	for _, candidate := range list {
		if strings.EqualFold(word, candidate) {
			return candidate
		}
		if len(candidate) >= len(word)+least || len(word) >= len(candidate)+least {
			continue // the lengths differ too much
		}
		if d := distance(strings.ToLower(word), strings.ToLower(candidate)); d < least && d < len(candidate) {
			best, least = candidate, d
		}
	}
	return best
}

// distance counts the letters to insert, drop, replace or swap with their neighbour to get from a to b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(last[j]+1, row[j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
