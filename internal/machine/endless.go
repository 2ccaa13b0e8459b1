package machine

import (
	"fmt"
	"slices"
)

// A thread that does not come to its next action either computes for long or goes round for ever. Between two actions it is a function of its own
// frames, so it goes round for ever iff it comes back to the same instruction with the same frames. That is looked for as Brent does ("An
// improved Monte Carlo factorization algorithm", 1980): the frames are remembered after some jumps, and again after twice as many, and compared with
// those that come next. A loop such as while (1); is found at once, and a long computation pays nothing until it is long.

const (
	firstLook = 1 << 10       // jumps before the frames are remembered
	maxJumps  = 200_000_000   // backward jumps and calls between two actions, after which the thread is given up
	askEvery  = maxJumps / 50 // jumps between two looks whether to stop
)

// A roundCheck is what a thread was like when it was last looked at.
type roundCheck struct {
	words    []uint64
	base, pc int
	at       int // jumps
}

// goesRound is called at a jump of instruction in, the number of which between two actions is jumps. It returns the number of jumps after which to call it
// again. 0 is to stop: the thread goes round for ever, or has to be given up.
func (p *Program) goesRound(a *Arena, base, mark, pc, jumps int, in *insn, act *Action) int {
	c := &a.round
	if jumps == firstLook+1 {
		c.pc, c.at = -1, 0
	}
	words := a.words[mark : base+int(in.frame)]
	switch {
	case c.pc == pc && c.base == base && slices.Equal(c.words, words):
		*act = Action{Kind: Block, Block: Spin, Pos: in.pos}
		return 0
	case jumps >= maxJumps || a.Stop != nil && jumps%askEvery == 0 && a.Stop():
		p.endless(act, in, fmt.Sprintf("a loop without visible actions did not end after %d rounds", jumps), "bound it with --unroll")
		return 0
	case jumps < c.at+max(64, c.at/16):
		return jumps
	case jumps < 2*c.at:
		return min(2*c.at, jumps-jumps%askEvery+askEvery-1)
	}
	c.words = append(c.words[:0], words...)
	c.base, c.pc, c.at = base, pc, jumps
	return jumps
}
