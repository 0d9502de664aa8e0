// Package xlsx writes a book as an Excel workbook, for readers who calculate further.
//
//  1. The book is divided into sheets: a summary, a sheet for each scenario, the other chapters, heat maps, the figures of every
//     interval, the figures that charts refer to, and the submitted files. Names of sheets are made valid and distinct.
//  2. Figures are numbers, with their units in the heads of columns. Everything else is text: nothing in a book becomes a formula.
//  3. Charts are native and refer to cells. A series that is a column of a table of intervals refers to that table; the figures
//     of the others are written once, to the sheet of chart data. The package writes the XML of charts itself: excelize knows no
//     logarithmic x axes and no error bars.
//  4. Sheets are streamed, so that a run of hours needs little memory.
package xlsx
