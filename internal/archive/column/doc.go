// Package column has what archives in SQL databases have in common: how windows, measurements and observations become columns, how their
// schemas grow, and the course of a roll-up. It accesses no database.
//
//  1. Check refuses an inconsistent window before anything of it is stored.
//  2. Figures are a histogram's exact figures as columns, and Measurement is a row with its histograms: Series decodes it, and compares
//     the histograms with their figures.
//  3. NewBatch numbers the figures of observations and packs them into a blob, and DecodePoints unpacks it;
//     Observations collects them from all rows of a run, and sorts what several agents observed.
//  4. Migrations reads the steps of a schema.
//  5. RollUp has the course of a roll-up: a Stretch groups windows into rolls, each of which is rolled up into one window.
package column
