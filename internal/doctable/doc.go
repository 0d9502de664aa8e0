// Package doctable compares tables of the documentation with the lists in the code that they document. Only tests import it.
//
//  1. Read returns a document of the repository, from any folder of a test;
//  2. Section returns the text below a heading, Tables parses the tables of a text, and Names returns the names that a cell
//     quotes: a test compares these with a list;
//  3. Blocks returns the fenced blocks of a text, and Commands the command lines in one: tests run them;
//  4. Generated is for a table whose cells all come from the code: it compares the whole table, or writes it.
package doctable
