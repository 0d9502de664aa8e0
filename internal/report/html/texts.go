package html

import "slices"

// Texts are the texts that the page adds to those of a book, in English.
func Texts() []string {
	return slices.Concat(scriptTexts(), []string{
		"Answer", "Contents", "Dark theme", "Skip to the report",
		"Hatched columns are published figures of the authors' own cluster. None of them was measured here.",
		"The charts over time are drawn by a script, and scripts are switched off here.",
		helpText,
	})
}

const helpText = "Charts over time: drag to zoom in, double-click to see everything again; charts of one run move together. " +
	"With the keyboard, select a chart: the arrow keys move, + and - zoom, 0 or Esc resets, Shift with an arrow moves the pointer. " +
	"A click on a name below the title shows or hides it."

// scriptTexts are those of the script.
func scriptTexts() []string {
	return []string{
		"Reset zoom", "published", "from", "to", "no value", "operations", "few", "many",
		"action or fault", "event", "dip until recovery", "phase", "answer",
	}
}
