package report

// An ErrorKind documents one kind of error: the text of `ravel`'s reports and SARIF rules.
type ErrorKind struct {
	Name    string // as in Error.Kind
	Title   string
	Text    string // what it means
	Help    string // what usually helps
	Label   string // under the caret, where the engine has no better words
	Warning bool   // not an error of the program's result
}

// Kinds lists the kinds of errors in the order of the manual.
var Kinds = []ErrorKind{
	{
		Name: "assertion", Title: "assertion failed",
		Text:  "An execution that the memory model allows makes an assertion false, or reaches a call that says it must not be reached.",
		Help:  "Follow the execution from top to bottom: a read marked stale is where threads saw memory differently.",
		Label: "fails here",
	},
	{
		Name: "race", Title: "data race",
		Text:  "Two threads access the same memory, at least one of them writes, at least one access is not atomic, and nothing orders the two.",
		Help:  "Make both accesses atomic, or order them: a release store that the other thread reads with an acquire load, or a lock.",
		Label: "one access",
	},
	{
		Name: "memory", Title: "invalid memory access",
		Text: "An access out of bounds, through a null or wild pointer, after free, or a wrong call of free.",
		Help: "Keep the object alive until no thread can reach it any more, and check the bounds.",
	},
	{
		Name: "uninitialised", Title: "use of an uninitialised value",
		Text:  "A branch, an address, a divisor or output depends on memory that nothing wrote before.",
		Help:  "Initialise the memory before its address is published.",
		Label: "uses memory that was never written",
	},
	{
		Name: "deadlock", Title: "deadlock",
		Text:  "Threads wait for each other in blocking calls, and none can go on.",
		Help:  "Take locks in the same order everywhere, and wake every waiter.",
		Label: "waits here for ever",
	},
	{
		Name: "liveness", Title: "endless waiting",
		Text:  "A thread spins, and no fair schedule ever releases it.",
		Help:  "Make sure that the write which ends the loop always happens, and happens after the last write that undoes it.",
		Label: "spins here for ever",
	},
	{
		Name: "leak", Title: "memory leak",
		Text:  "An object is still allocated when the program ends, and no pointer to it is left. Looked for with --check-leaks.",
		Help:  "Free the object before its last pointer goes.",
		Label: "allocated here",
	},
	{
		Name: "unfreed", Title: "memory not freed",
		Text:    "An object is still allocated at the end of the program.",
		Help:    "Free it, or ignore this if the program ends anyway.",
		Label:   "allocated here",
		Warning: true,
	},
	{
		Name: "call", Title: "wrong call",
		Text: "A function is called that does not exist, with arguments of the wrong type, or against its rules (an unlock of a mutex that is not held).",
		Help: "Define the function, or check the types and the state it needs.",
	},
	{
		Name: "arithmetic", Title: "undefined arithmetic",
		Text: "A division by zero, or another operation without a defined result.",
		Help: "Check the operand first.",
	},
	{
		Name: "unreachable", Title: "unreachable code was reached",
		Text:  "The program reaches code that the compiler was promised it never reaches: __builtin_unreachable, or the end of a function that must return a value.",
		Help:  "Return on every path, and promise only what holds in every execution.",
		Label: "reached here",
	},
}

// KindOf returns the documentation of an error kind; a kind not in Kinds documents only its name.
func KindOf(name string) ErrorKind {
	for _, k := range Kinds {
		if k.Name == name {
			return k
		}
	}
	return ErrorKind{Name: name, Title: name, Text: "An error of kind " + name + "."}
}
