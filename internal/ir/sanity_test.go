package ir

import (
	"strings"
	"testing"
)

// TestCheck gives Check broken functions.
func TestCheck(t *testing.T) {
	ret := Instr{Op: Ret, Dst: NoReg, Dst2: NoReg}
	add := func(width uint8, a, b Operand) Instr {
		return Instr{Op: Add, Width: width, Dst: 0, Dst2: NoReg, A: a, B: b}
	}
	callee := &Func{Name: "g", Params: []Reg{0}, Regs: 1, Blocks: []*Block{{Instrs: []Instr{ret}}}}
	tests := []struct {
		name string
		ins  []Instr
		want string // part of the error; "" for none
	}{
		{"good", []Instr{add(32, Imm(1), R(1)), ret}, ""},
		{"register", []Instr{add(32, Imm(1), R(2)), ret}, "register r2 of 2"},
		{"pair", []Instr{add(128, R(0), R(1)), ret}, "register r1 of 2"},
		{"wide constant", []Instr{add(128, Imm(1), R(0)), ret}, "constant operand of 128 bits"},
		{"large constant", []Instr{add(8, Imm(256), R(0)), ret}, "constant 0x100 of 8 bits"},
		{"width", []Instr{add(0, Imm(0), R(0)), ret}, "width 0"},
		{"no end", []Instr{add(8, Imm(0), R(0))}, "terminator"},
		{"two ends", []Instr{ret, ret}, "terminator"},
		{"empty", nil, "is empty"},
		{"target", []Instr{{Op: Br, Dst: NoReg, Dst2: NoReg, Targets: []int{1}}}, "target 1 of 1"},
		{"results", []Instr{{Op: Ret, Dst: NoReg, Dst2: NoReg, Args: []Operand{Imm(1)}}}, "1 results returned, 0 expected"},
		{"arguments", []Instr{{Op: Call, Dst: NoReg, Dst2: NoReg, Callee: callee}, ret}, "0 arguments for 1 parameters of g"},
		{"size", []Instr{{Op: Load, Dst: 0, Dst2: NoReg, A: Imm(8), Size: 3}, ret}, "access of 3 bytes"},
	}
	for _, tt := range tests {
		p := &Program{Funcs: []*Func{{Name: "f", Regs: 2, Blocks: []*Block{{Instrs: tt.ins}}}}}
		err := p.Check()
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}
