package report

import (
	"fmt"
	"io"
	"os"
	"slices"

	"golang.org/x/term"

	"ravel/internal/event"
)

// A Result is the outcome of `ravel check` for one program.
type Result struct {
	Verdict    Verdict    `json:"verdict"`
	Model      string     `json:"model"`
	Engine     string     `json:"engine"`
	File       string     `json:"file"`
	Executions Executions `json:"executions"`
	States     States     `json:"states"`
	Errors     []Error    `json:"errors"`
	Warnings   []string   `json:"warnings"`
	Seconds    float64    `json:"seconds"`
	PeakMemory int64      `json:"peak_memory_bytes"`
	Version    string     `json:"version"`

	// Compiler is what compilers said about the files. In JSON it is at the end of the warnings.
	Compiler []string `json:"-"`

	Suggestion *Suggestion `json:"suggestion,omitempty"` // about memory orders, if asked for

	// Reason says why the verdict is Bounded or Unknown, as a clause that follows a colon:
	// "loops were cut after 3 iterations", "stopped after 10 s (--timeout)".
	// In JSON it is the first warning.
	Reason string `json:"-"`
}

// A Verdict is the answer to "is the program correct under the model?".
type Verdict string

const (
	// Verified: every execution was explored, and none is wrong.
	Verified Verdict = "verified"
	// Wrong: an error was found.
	Wrong Verdict = "error"
	// Bounded: no error up to a bound that cut something off.
	Bounded Verdict = "bounded"
	// Unknown: the run was given up.
	Unknown Verdict = "unknown"
)

// ExitStatus is the exit status of a command with this verdict.
func (v Verdict) ExitStatus() int {
	switch v {
	case Verified:
		return 0
	case Wrong:
		return 1
	default:
		return 3
	}
}

// Executions counts what the graph engine explored.
type Executions struct {
	Complete  int64 `json:"complete"`
	Blocked   int64 `json:"blocked"`
	Duplicate int64 `json:"duplicate"`
	Moot      int64 `json:"moot"`

	// Of xmm: executions with cycles in po ∪ rf (complete ones), and load-buffering races.
	Cyclic  int64 `json:"cyclic"`
	LBRaces int64 `json:"lb_races"`

	UpTo []string `json:"up_to,omitempty"` // what executions that count as one may differ in
}

// States counts what the state engine explored.
type States struct {
	Stored      int64 `json:"stored"`
	Transitions int64 `json:"transitions"`
}

// An Error is one thing wrong with the program.
type Error struct {
	Kind           string    `json:"kind"` // a key of Kinds
	Message        string    `json:"message"`
	Location       Location  `json:"location"`
	Thread         int       `json:"thread"`
	Related        []Related `json:"related"`
	StrongestModel string    `json:"strongest_model"`   // the strongest model that has the error; "" if not known
	Steps          []Step    `json:"steps,omitempty"`   // of the state engine: the moves that lead to the error
	Repeats        int       `json:"repeats,omitempty"` // how many of the last steps go on for ever; 0 if the error is not an endless execution

	// Trace is Execution step by step, and Omitted how many steps come before it. WriteJSON fills them in.
	Trace   []TraceStep `json:"trace"`
	Omitted int         `json:"trace_omitted,omitempty"`

	Label     string     `json:"-"` // what happens at Location, under the caret; "" for the usual words
	Notes     []string   `json:"-"` // facts that help to understand it
	Help      []string   `json:"-"` // what to do about it
	Execution *Execution `json:"-"` // that shows the error; may be nil. In JSON it is the field trace
	ShowSteps bool       `json:"-"` // print Steps in any case
}

// A Step is one move of a trace of the state engine, and what the threads' buffers hold after it.
type Step struct {
	Thread   int      `json:"thread"`
	Text     string   `json:"text"`
	Location Location `json:"location"`
	Buffers  []string `json:"buffers,omitempty"` // by thread, oldest entry first: "x=1, y=2, reads z"; nil if all are empty

	// Instruction is the move in the words of LLVM IR: "store atomic i32 1, ptr @x release".
	Instruction string `json:"instruction,omitempty"`
}

func (s Step) String() string {
	text := fmt.Sprintf("T%d %s", s.Thread, s.Text)
	if s.Location.Line > 0 {
		text += fmt.Sprintf(" (%v)", s.Location)
	}
	for t, b := range s.Buffers {
		if b != "" {
			text += fmt.Sprintf("  [T%d: %s]", t, b)
		}
	}
	return text
}

// Marked returns the execution of e with the events that e is about pointed out: as the engine
// marked them, or else those at the places that e names.
func (e *Error) Marked() *Execution {
	if e.Execution == nil {
		return nil
	}
	x := &Execution{Relations: e.Execution.Relations, Cycle: e.Execution.Cycle}
	for _, th := range e.Execution.Threads {
		for _, ev := range th.Events {
			if ev.Mark != "" {
				return e.Execution
			}
		}
		th.Events = slices.Clone(th.Events)
		x.Threads = append(x.Threads, th)
	}
	for _, l := range labels(e) {
		if ev := x.last(l.thread, l.Location); ev != nil && ev.Kind != Failure {
			ev.Mark = l.text
			if ev.Mark == "" {
				ev.Mark = KindOf(e.Kind).Title
			}
		}
	}
	return x
}

// last returns the last event of a thread at a place, or nil.
func (x *Execution) last(thread int, at Location) *Event {
	for _, th := range x.Threads {
		if th.ID != thread || at.Line == 0 {
			continue
		}
		for i := len(th.Events) - 1; i >= 0; i-- {
			l := th.Events[i].Location
			if l.File == at.File && l.Line == at.Line && l.Column == at.Column {
				return &th.Events[i]
			}
		}
	}
	return nil
}

// A Related is another place that has to do with an error, such as the other access of a race.
type Related struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Thread   int    `json:"thread"`
	Message  string `json:"message"`
	Function string `json:"-"`

	Declaration bool `json:"-"` // of a variable: no thread is there
}

// Location returns where r is.
func (r Related) Location() Location { return Location{r.File, r.Line, r.Column, r.Function} }

// A Location is a place in the source. Line 0 is unknown, column 0 the whole line;
// a column counts bytes from 1, as compilers do.
type Location struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Function string `json:"function"`
}

// String returns file:line:column, as far as it is known.
func (l Location) String() string {
	switch {
	case l.File == "":
		return "an unknown place"
	case l.Line == 0:
		return l.File
	case l.Column == 0:
		return fmt.Sprintf("%s:%d", l.File, l.Line)
	}
	return fmt.Sprintf("%s:%d:%d", l.File, l.Line, l.Column)
}

// An Execution is what happened in one run of the program, thread by thread.
type Execution struct {
	Threads   []Thread
	Relations []Relation // of the model, beside po, rf, co and fr: hb, dependencies
	Cycle     *Cycle     // why a model forbids the execution; nil if it does not
}

// A Relation is one of a memory model. Pairs that follow from po and other pairs are left out.
type Relation struct {
	Name, Long string // "hb", "happens before"
	Pairs      []Pair
}

// A Pair is two events that are related, and why.
type Pair struct {
	From, To Ref
	Why      string
}

// A Cycle is what a check of a model forbids: each event is related to the next, and the last to the first if there is an edge for it.
type Cycle struct {
	Check  string
	Events []*Ref // nil: not an event of a thread
	Edges  []string
}

// A Thread is one thread of an execution, its events in program order. The first thread of an
// execution is the one that created the others.
type Thread struct {
	ID     int
	Name   string // of its function: "main", "push"
	Events []Event
}

// A Ref names an event: the thread's ID and the event's place in Thread.Events.
type Ref struct{ Thread, Index int }

// A Kind says what an event does, and so which fields of it mean something.
type Kind uint8

const (
	Read   Kind = iota // Mode Loc Value From (RMW)
	Write              // Mode Loc Value CoIndex (RMW)
	Fence              // Mode
	Create             // Other
	Join               // Other
	Start
	End     // Value: the result, or ""
	Alloc   // Loc, Value: the size
	Free    // Loc
	Choice  // Value: a nondeterministic value
	Failure // Value: what is wrong; the thread's last event
	Blocked // Value: why the thread can't go on; its last event
)

var kindNames = [...]string{
	"read", "write", "fence", "create", "join", "start", "end", "alloc", "free", "choice", "error", "blocked",
}

func (k Kind) String() string { return kindNames[k] }

// An Event is one step of a thread. A read-modify-write is two of them: a Read and, when it
// wrote, a Write right after it, both with RMW set; they are shown as one.
type Event struct {
	Kind  Kind
	Mode  event.Mode
	RMW   string // event.RMWOp.String() for both halves of a read-modify-write, else ""
	Loc   string // "x", "q.head", "buf[3]", "node#1.next"
	Value string // "1", "&node"
	Other int    // the ID of the thread that is created or joined

	OnStack bool // Free: of a variable

	// From is the write that is read; nil is the initial value.
	From *Ref
	// CoIndex is the place of a write in co, from 1; 0 where co is not known.
	CoIndex int
	// Order is the place of the event in the order in which the engine added it; it decides between
	// rows that could go either way.
	Order int

	Location Location
	Via      string // the function of a library that the source calls at Location and that does this; "" if the source itself does
	Text     string // if set, the words for the event: "lock m" for the CAS that takes it
	Mark     string // if set, the event is pointed out with these words: "the race"
}

// Options say how to print.
type Options struct {
	Color bool
	Width int  // columns of the terminal; 0 is 120
	Full  bool // show every event, fold nothing
	// Verbose: print what compilers said also if there is no error.
	Verbose bool

	// Source returns the text of a source file; nil is os.ReadFile.
	Source func(file string) ([]byte, error)
}

// OptionsFor returns the options that suit w: colour and the real width where it is a terminal.
func OptionsFor(w io.Writer) Options {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return Options{}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	color := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return Options{Color: color, Width: width}
}

func (o Options) width() int {
	if o.Width <= 0 {
		return 120
	}
	return o.Width
}

// A Wait is a place where a thread stays for ever in some execution.
type Wait struct {
	Location Location
	Thread   int
	Why      string // it can't go on, as a clause that follows "here: "
}

func (w Wait) String() string {
	return fmt.Sprintf("%s: thread %d stays here: %s", w.Location, w.Thread, w.Why)
}

// The words for why threads stay where they are, the same for both engines.
const (
	WhyAssume = "the assumption does not hold"
	WhyLock   = "it waits for others"
	WhyJoin   = "it waits for a thread that does not end"
	WhyLoop   = "it waits in a loop for others"
	WhySpin   = "it spins for ever, as no other thread will change what it reads (an error with --liveness)"
	WhyEmpty  = "it spins for ever in a loop that does nothing (an error with --liveness)"
)

// NoneCompletes is why a run in which no execution comes to its end is not decided.
const NoneCompletes = "no execution comes to its end, so nothing after the places where threads stay was checked"

// NoExecution is why a run without any execution is not decided.
const NoExecution = "the model allows no execution of this program, so nothing was checked"

// A Place is one that an error is about, with what happens there. The first one is where the error is.
type Place struct {
	Location Location
	Thread   int // -1 for a declaration
	Text     string
}

// Places returns the places that e is about.
func (e *Error) Places() (list []Place) {
	for _, l := range labels(e) {
		list = append(list, Place{l.Location, l.thread, l.text})
	}
	return list
}
