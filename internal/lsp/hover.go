package lsp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ravel"
	"ravel/internal/orders"
)

func (s *server) hover(_ context.Context, p positionParams) (any, error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, nil
	}
	off := s.encoding.offset(d.text, p.Position)
	switch {
	case d.language == langCat:
		return s.catHover(&d, off), nil
	case d.language == langLitmus:
		if h := s.instructionHover(&d, off); h != nil {
			return h, nil
		}
		return s.accessHover(&d, off), nil
	case d.language.isProgram():
		return s.accessHover(&d, off), nil
	}
	return nil, nil
}

// accessHover says what the atomic access at an offset orders, and what --suggest found out about it.
func (s *server) accessHover(d *document, off int) any {
	call, a, ok := accessAt(d, off)
	if !ok {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n%s\n", a.title(), a.explain())
	for _, line := range s.suggested(d, &call) {
		fmt.Fprintf(&b, "\n%s\n", line)
	}
	r := s.encoding.textRange(d.text, call.Start, call.End)
	return hoverResult{markup{"markdown", b.String()}, &r}
}

// suggested returns what checks with --suggest say about a call.
func (s *server) suggested(d *document, call *orders.Call) (lines []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(s.found)) {
		f := s.found[key]
		if f.suggestion == nil || !f.origins[d.uri] {
			continue
		}
		text, ok := f.checked[d.path]
		if ok && text != d.text {
			lines = append(lines, fmt.Sprintf("`--suggest` (%s): the text has changed since it was checked.", f.by))
			continue
		}
		about := func(c ravel.Change) bool {
			return f.files[c.Location.File] == d.path && isCall(d.text, c.Location, call)
		}
		for _, c := range f.suggestion.Changes {
			if about(c) {
				lines = append(lines, fmt.Sprintf("`--suggest` (%s): **%s**. %s.", f.by, c, upper(f.suggestion.Message)))
			}
		}
		for _, c := range f.suggestion.Kept {
			switch {
			case !about(c):
			case f.wrong:
				lines = append(lines, fmt.Sprintf("`--suggest` (%s): %s is enough for the %s.", f.by, c.From, c.Access))
			case !f.suggestion.Tried:
				lines = append(lines, fmt.Sprintf("`--suggest` (%s): not all orders could be tried.", f.by))
			case c.From != "relaxed":
				lines = append(lines, fmt.Sprintf("`--suggest` (%s): the %s needs %s: with a weaker order, an execution goes wrong.", f.by, c.Access, c.From))
			}
		}
	}
	return lines
}

// isCall reports whether the call at a place, whose name may be qualified, is this one.
func isCall(text string, at ravel.Location, call *orders.Call) bool {
	off, _ := place(text, at.Line, at.Column)
	c, ok := orders.CallAt(text, off)
	return ok && c.Start == call.Start
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// An access is what a call does to memory, as far as its name and arguments tell.
type access struct {
	kind           kind
	order, failure string // as event.Mode.Order; failure only of a compare-and-swap
	java           bool
	note           string
}

type kind uint8

const (
	load kind = iota
	store
	update
	swap // compare-and-swap
	fence
)

// accessAt returns the innermost call of an atomic access around an offset.
func accessAt(d *document, off int) (call orders.Call, a access, ok bool) {
	for _, c := range orders.Calls(d.text) {
		if off < c.Start || off > c.End {
			continue
		}
		if found, is := accessOf(&c, d.language); is {
			call, a, ok = c, found, true
		}
	}
	return call, a, ok
}

// accessOf tells what a call does by its name and arguments.
func accessOf(c *orders.Call, l language) (access, bool) {
	if l == langJava {
		a, ok := javaAccess[c.Name]
		a.java = true
		return a, ok
	}
	if a, ok := kernelAccess[c.Name]; ok && l != langRust {
		return a, true
	}
	list := c.Orders()
	name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(c.Name, "__"), "atomic_"), "_explicit")
	c11 := strings.HasPrefix(c.Name, "atomic_") || strings.HasPrefix(c.Name, "__atomic_")
	a := access{order: "seq_cst"}
	switch {
	case strings.HasSuffix(name, "fence"):
		a.kind = fence
	case strings.HasPrefix(name, "compare_exchange"), strings.HasPrefix(name, "compare_and_swap"), name == "fetch_update":
		a.kind = swap
	case strings.HasPrefix(name, "load"), name == "test", name == "wait":
		a.kind = load
	case strings.HasPrefix(name, "store"), name == "clear", name == "flag_clear":
		a.kind = store
	default:
		a.kind = update
	}
	switch {
	case len(list) > 0:
		a.order = list[0].Order
		a.failure = failureOf(a.order)
		if len(list) > 1 {
			a.failure = list[1].Order
		}
	case c11 && c.Name != "atomic_init":
		a.failure = a.order
	default:
		return a, false
	}
	return a, true
}

// failureOf returns the order of a compare-and-swap that fails, if only one is given: that of the load.
func failureOf(order string) string {
	switch order {
	case "acq_rel":
		return "acquire"
	case "release":
		return "relaxed"
	}
	return order
}

func (a *access) title() string {
	what := [...]string{load: "load", store: "store", update: "read-modify-write", swap: "compare-and-swap", fence: "fence"}[a.kind]
	return a.order + " " + what
}

// explain says what the access orders.
func (a *access) explain() string {
	var lines []string
	add := func(s string) { lines = append(lines, "- "+s) }
	acquires := a.order == "acquire" || a.order == "acq_rel" || a.order == "seq_cst" || a.order == "volatile"
	releases := a.order == "release" || a.order == "acq_rel" || a.order == "seq_cst" || a.order == "volatile"
	switch {
	case a.note != "":
		add(a.note)
	case a.kind == fence:
		if acquires {
			add("If an atomic load before this fence reads a value that was released, what came before that release happens before what comes after this fence.")
		}
		if releases {
			add("An atomic store after this fence releases what came before the fence: a thread that acquires the stored value sees it.")
		}
		if a.order == "relaxed" {
			add("It does nothing.")
		}
	default:
		if acquires && a.kind != store {
			add("If it reads a value that was released, what came before that release happens before what comes after this access.")
		}
		if releases && a.kind != load {
			add("It releases what came before it in this thread: a thread that acquires the value, or that of a read-modify-write based on it, sees it.")
		}
		if a.order == "relaxed" || a.order == "opaque" {
			add("It orders nothing but the accesses of its own location: a thread that has read a value never reads an older one.")
		}
		if a.order == "plain" {
			add("It orders nothing, and another access of the location at the same time is a data race, if one of them writes.")
		}
	}
	switch a.order {
	case "seq_cst":
		add("All seq_cst accesses and fences are in one order that all threads agree on.")
	case "volatile":
		add("All volatile accesses are in one order that all threads agree on.")
	}
	if a.kind == swap && !a.java && a.failure != a.order && a.note == "" {
		add("If it fails, it is a load with the order " + a.failure + ".")
	}
	return strings.Join(lines, "\n")
}

// javaAccess are the methods of VarHandle and of the classes in java.util.concurrent.atomic whose names tell.
var javaAccess = func() map[string]access {
	m := map[string]access{
		"getOpaque": {kind: load, order: "opaque"}, "getAcquire": {kind: load, order: "acquire"}, "getVolatile": {kind: load, order: "volatile"}, "getPlain": {kind: load, order: "plain"},
		"setOpaque": {kind: store, order: "opaque"}, "setRelease": {kind: store, order: "release"}, "setVolatile": {kind: store, order: "volatile"}, "setPlain": {kind: store, order: "plain"},
		"lazySet": {kind: store, order: "release"},

		"compareAndSet": {kind: swap, order: "volatile"}, "compareAndExchange": {kind: swap, order: "volatile"},
		"compareAndExchangeAcquire": {kind: swap, order: "acquire"}, "compareAndExchangeRelease": {kind: swap, order: "release"},
		"weakCompareAndSet": {kind: swap, order: "volatile"}, "weakCompareAndSetVolatile": {kind: swap, order: "volatile"}, "weakCompareAndSetPlain": {kind: swap, order: "opaque"},
		"weakCompareAndSetAcquire": {kind: swap, order: "acquire"}, "weakCompareAndSetRelease": {kind: swap, order: "release"},

		"incrementAndGet": {kind: update, order: "volatile"}, "getAndIncrement": {kind: update, order: "volatile"},
		"decrementAndGet": {kind: update, order: "volatile"}, "getAndDecrement": {kind: update, order: "volatile"}, "addAndGet": {kind: update, order: "volatile"},

		"fullFence":       {kind: fence, order: "volatile", note: "What comes before it is performed before what comes after it."},
		"acquireFence":    {kind: fence, order: "acquire", note: "Loads before it are performed before accesses after it."},
		"releaseFence":    {kind: fence, order: "release", note: "Accesses before it are performed before stores after it."},
		"loadLoadFence":   {kind: fence, order: "load-load", note: "Loads before it are performed before loads after it."},
		"storeStoreFence": {kind: fence, order: "store-store", note: "Stores before it are performed before stores after it."},
	}
	for _, op := range []string{"Set", "Add", "BitwiseOr", "BitwiseAnd", "BitwiseXor"} {
		m["getAnd"+op] = access{kind: update, order: "volatile"}
		m["getAnd"+op+"Acquire"] = access{kind: update, order: "acquire"}
		m["getAnd"+op+"Release"] = access{kind: update, order: "release"}
	}
	return m
}()

// kernelAccess are macros of the Linux kernel.
var kernelAccess = map[string]access{
	"READ_ONCE":         {kind: load, order: "relaxed", note: "A marked load: it orders later accesses that depend on the value, by address, data or, for stores, control."},
	"WRITE_ONCE":        {kind: store, order: "relaxed", note: "A marked store: it orders nothing but the accesses of its own location."},
	"smp_load_acquire":  {kind: load, order: "acquire"},
	"smp_store_release": {kind: store, order: "release"},
	"smp_mb":            {kind: fence, order: "full", note: "What comes before it is performed before what comes after it, for all threads."},
	"smp_rmb":           {kind: fence, order: "read", note: "Loads before it are performed before loads after it."},
	"smp_wmb":           {kind: fence, order: "write", note: "Stores before it are performed before stores after it."},
	"synchronize_rcu":   {kind: fence, order: "grace period", note: "It waits for all read-side critical sections that began before it."},
	"rcu_dereference":   {kind: load, order: "relaxed", note: "A marked load: accesses through the pointer come after it."},

	"rcu_assign_pointer": {kind: store, order: "release"},
}
