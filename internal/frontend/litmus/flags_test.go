package litmus_test

import "flag"

var all = flag.Bool("all", false, "compare all tests of the corpora, not a third of them")
