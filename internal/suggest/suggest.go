// Package suggest guesses what a mistyped word was meant to be:
//
//  1. count the letters to insert, drop, replace or swap with their neighbour on the way to each word that is known;
//  2. take the nearest one, unless even that is far.
package suggest

import "strings"

// Nearest returns the word of a list that a mistyped one most likely meant, or "" when none is near. Of several that
// are as near it takes the first.
func Nearest(word string, list []string) string {
	return within(len(word)/3+2, word, list)
}

// Close returns the word of a list that is at most two letters away, or "": for words that may be meant as they are.
func Close(word string, list []string) string {
	return within(3, word, list)
}

// within is the nearest word that is less than so many letters away.
func within(least int, word string, list []string) string {
	const longest = 80 // no name is: the table of distances stays small whatever is typed
	if len(word) > longest {
		return ""
	}
	best := ""
	for _, candidate := range list {
		if strings.EqualFold(word, candidate) {
			return candidate
		}
		if len(candidate) >= len(word)+least || len(word) >= len(candidate)+least {
			continue // as many letters at least are to be inserted or dropped
		}
		if d := distance(strings.ToLower(word), strings.ToLower(candidate)); d < least && d < len(candidate) {
			best, least = candidate, d
		}
	}
	return best
}

// distance counts the letters to insert, drop, replace or swap with their neighbour on the way from a to b.
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
