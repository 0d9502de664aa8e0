// Package svg draws the charts of a report as pictures in SVG.
//
//  1. Write prepares the chart: values that cannot be drawn become gaps, and a chart with more series, categories or marks
//     than a reader can distinguish is limited, with a note in the picture.
//  2. The layout follows from estimated widths of texts: legend, labels of marks, axes with round ticks in a suitable unit.
//  3. Lines over time are reduced to the lowest and highest value of each column of pixels.
//  4. Colours are those that colour-blind readers can distinguish, and series also differ by marker, dash or hatch.
//     Published figures are hollow or dashed, and named so.
//
// The same chart always has the same bytes. The package is pure.
package svg
