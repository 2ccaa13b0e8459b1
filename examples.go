package ravel

import "embed"

// Examples has the programs of one file that the documents speak of, in the folder examples.
//
//go:embed examples/*.c examples/*.cpp examples/*.rs examples/*.java examples/*.litmus examples/*.cat
var Examples embed.FS
