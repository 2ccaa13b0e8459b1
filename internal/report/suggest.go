package report

import (
	"fmt"

	"ravel/internal/event"
)

// A Suggestion says which memory orders to change.
type Suggestion struct {
	Message string   `json:"message"`
	Changes []Change `json:"changes"`

	// Kept are the orders that stay, with From and To the same. If the program is right, a weaker one, together with the changes, makes an execution go wrong; Tried is
	// false if there was no time to try.
	Kept  []Change `json:"-"`
	Tried bool     `json:"-"`
}

// A Change is one of a memory order.
type Change struct {
	Location Location `json:"location"`
	Access   Access   `json:"access"`
	Argument int      `json:"argument,omitempty"` // of the call there, from 1: the order is passed to the function that has the access
	From     string   `json:"from"`               // as event.Mode.Order says it, or VariousOrders or NoFence
	To       string   `json:"to"`
}

// VariousOrders is the order of an access whose order is decided at run time.
const VariousOrders = "various"

// NoFence is the order of a fence that the program does not have. It belongs before the access at the Location.
const NoFence = "none"

// An Access is what has a memory order.
type Access string

const (
	LoadAccess    Access = "load"
	StoreAccess   Access = "store"
	UpdateAccess  Access = "read-modify-write"
	FailureAccess Access = "failed compare-exchange"
	FenceAccess   Access = "fence"
)

// String is "release instead of relaxed".
func (c Change) String() string {
	if c.From == NoFence {
		return "a fence before this: " + c.To
	}
	if c.Access == FenceAccess {
		switch event.Rlx.Order() { // does nothing
		case c.To:
			return "no fence is needed"
		case c.From:
			return c.To + ": as it is, the fence does nothing"
		}
	}
	text := fmt.Sprintf("%s instead of %s", c.To, c.From)
	switch {
	case c.From == VariousOrders:
		text = c.To + ", whatever order comes here"
	case c.Argument > 0:
		text += fmt.Sprintf(" for the %s, as argument %d", c.Access, c.Argument)
	}
	if c.Access == FailureAccess {
		text += " where it fails"
	}
	return text
}

// suggestion prints a suggestion with the source that it is about.
func (p *printer) suggestion(s *Suggestion) {
	p.line(p.paint(cyan, "help"), p.paint(bold, ": "+clean(s.Message)))
	var ls []label
	for _, c := range s.Changes {
		ls = append(ls, label{c.Location, -1, c.String(), true})
	}
	p.excerpts(ls, cyan)
	p.line("")
}
