// Package advice says before a suite runs what earlier runs of its cases show. It is pure.
//
//  1. A Case and an Earlier run each have an Identity: their resolved settings without those that do not change what is
//     measured (identity).
//  2. Earlier runs of a case give the time that its runs take (duration), and the deviation of its figures between repeats,
//     from which follows how many repeats show an effect (repeats).
//  3. The rates that agents have reached on earlier runs show whether they can offer the rate of a case (rate).
//  4. New puts these together. What no earlier run shows is absent from the Advice.
package advice
