// Package schema holds what the columns of a table are taken as: the roles and codings a
// user asks for (Spec, Transforms), and those that an encoder was fitted with (Input,
// Coding, Target, Factor, Function). Plain data, in JSON as saved models have it, with what
// can be said of it without a row: names of levels, which of them has no column, what is
// wrong with one that was read.
//
// It imports table alone; package data gives its types under the same names. Start reading
// at spec.go for what is asked, at input.go for what is fitted.
//
// Stability: this package is a part of package data and may change with any version before 1.0;
// prefer package data.
package schema
