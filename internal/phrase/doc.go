// Package phrase translates finished English texts of results and reports. It is pure.
//
//  1. A catalogue (zh/*.txt) has English lines with holes, each with its translation. A hole is {} for a text that stays as it is,
//     {w} for a word that stays, {n} for a number with its unit, {t} for a text that is translated itself, and {p} for such a
//     text without a colon, comma or semicolon in it, and {l} for a list of names. [a|b] are alternatives, [s] is optional. The translation refers to the holes as {1}, {2} and so on.
//  2. A text is matched with the lines that begin with its first word, and with those that begin with a hole. The translation
//     that leaves the fewest English words wins, among these the line with the most literal characters (matcher).
//  3. A text without a line of its own is split at the ends of sentences, at semicolons, labels, commas and parentheses, and its
//     parts are translated (splitter).
//  4. A text without any translation stays English: it may come from a newer or an older build, or from a user.
//
// Translation works on text and not on keys of messages, because the sentences of the JSON form are the contract, and other
// builds may have written them.
package phrase
