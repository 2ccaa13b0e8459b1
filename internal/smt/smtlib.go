package smt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ravel/internal/litmus"

	"ravel/internal/lazy"
)

// External returns a solver that runs z3 or cvc5, by its name or path, once for each problem.
func External(program string) (Solver, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, fmt.Errorf("cannot find the solver %q; install it, or leave --solver out to use the embedded one", program)
	}
	var args []string
	switch name := filepath.Base(path); {
	case strings.HasPrefix(name, "z3"):
		args = []string{"-in", "-smt2"}
	case strings.HasPrefix(name, "cvc5"):
		args = []string{"--lang=smt2", "--produce-models", "-"}
	default:
		return nil, fmt.Errorf("solver %q is neither z3 nor cvc5", program)
	}
	return &external{path, args}, nil
}

type external struct {
	path string
	args []string
}

func (e *external) Solve(p *Problem) (Model, error) {
	var in bytes.Buffer
	regs, err := WriteSMTLIB(&in, p)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(e.path, e.args...)
	cmd.Stdin = &in
	out, err := cmd.Output()
	answer, rest, _ := strings.Cut(string(out), "\n")
	switch strings.TrimSpace(answer) {
	case "unsat":
		return nil, nil
	case "sat":
	default:
		if err == nil {
			err = errors.New("it says " + strconv.Quote(strings.TrimSpace(answer)))
		}
		return nil, fmt.Errorf("%s does not decide a problem: %w", filepath.Base(e.path), err)
	}
	m, err := parseModel(rest, regs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(e.path), err)
	}
	if err := p.Check(m); err != nil {
		return nil, fmt.Errorf("%s: wrong model: %w", filepath.Base(e.path), err)
	}
	return m, nil
}

var valueForm = lazy.Regexp(`\(r(\d+) #(x[0-9a-fA-F]+|b[01]+)\)`)

// parseModel reads the answer to get-value: ((r0 #x…) (r1 #b…) …).
func parseModel(text string, regs []litmus.Reg) (Model, error) {
	m := Model{}
	for _, v := range valueForm().FindAllStringSubmatch(text, -1) {
		i, err := strconv.Atoi(v[1])
		if err != nil || i >= len(regs) {
			return nil, fmt.Errorf("no register r%s", v[1])
		}
		base := map[byte]int{'x': 16, 'b': 2}[v[2][0]]
		n, err := strconv.ParseUint(v[2][1:], base, 64)
		if err != nil {
			return nil, err
		}
		m[regs[i]] = n
	}
	if len(m) != len(regs) {
		return nil, fmt.Errorf("a model with %d of %d values", len(m), len(regs))
	}
	return m, nil
}

// WriteSMTLIB writes p with the commands to solve it and print the values of the registers r0, r1, …
func WriteSMTLIB(w io.Writer, p *Problem) (regs []litmus.Reg, err error) {
	for _, c := range p.Conds {
		for _, r := range litmus.Uses(c) {
			if !slices.Contains(regs, r) {
				regs = append(regs, r)
			}
		}
	}
	s := &writer{p: p, regs: map[litmus.Reg]string{}, names: map[litmus.Expr]string{}}
	s.printf("(set-option :produce-models true)\n(set-logic QF_BV)\n")
	for i, r := range regs {
		bits := p.bits(r)
		s.printf("(declare-const r%d (_ BitVec %d))\n", i, bits)
		s.regs[r] = extendText(fmt.Sprintf("r%d", i), bits)
	}
	for _, c := range p.Conds {
		x := s.expr(c)
		s.printf("(assert (not (= %s %s)))\n", x, hex(0))
	}
	s.printf("(check-sat)\n")
	if len(regs) > 0 {
		s.printf("(get-value (")
		for i := range regs {
			s.printf(" r%d", i)
		}
		s.printf("))\n")
	}
	if s.err != nil {
		return nil, s.err
	}
	_, err = w.Write(s.out.Bytes())
	return regs, err
}

// A writer writes each shared expression once, as a function without arguments. All are of 64 bits.
type writer struct {
	p     *Problem
	out   bytes.Buffer
	regs  map[litmus.Reg]string
	names map[litmus.Expr]string
	err   error
}

func (s *writer) printf(format string, args ...any) { fmt.Fprintf(&s.out, format, args...) }

func hex(n uint64) string { return fmt.Sprintf("#x%016x", n) }

func low(x string, bits int) string {
	if bits == 64 {
		return x
	}
	return fmt.Sprintf("((_ extract %d 0) %s)", bits-1, x)
}

func extendText(x string, bits int) string {
	if bits == 64 {
		return x
	}
	return fmt.Sprintf("((_ zero_extend %d) %s)", 64-bits, x)
}

func ifText(cond string) string { return fmt.Sprintf("(ite %s %s %s)", cond, hex(1), hex(0)) }

func (s *writer) expr(e litmus.Expr) string {
	switch e := e.(type) {
	case litmus.Value:
		if e.Kind != litmus.Int {
			s.err = unsupported{e}
		}
		return hex(e.Int)
	case litmus.Reg:
		return s.regs[e]
	}
	if name, ok := s.names[e]; ok {
		return name
	}
	var text string
	switch e := e.(type) {
	case *litmus.Unary:
		text = s.unary(e.Op, int(e.Width), s.expr(e.X))
	case *litmus.Binary:
		text = s.binary(e.Op, int(e.Width), s.expr(e.X), s.expr(e.Y))
	case *litmus.Select:
		text = fmt.Sprintf("(ite (= %s %s) %s %s)", s.expr(e.If), hex(0), s.expr(e.Y), s.expr(e.X))
	}
	name := fmt.Sprintf("e%d", len(s.names))
	s.names[e] = name
	s.printf("(define-fun %s () (_ BitVec 64) %s)\n", name, text)
	return name
}

func (s *writer) unary(op litmus.UnaryOp, bits int, x string) string {
	x = low(x, bits)
	switch op {
	case litmus.Neg:
		return extendText("(bvneg "+x+")", bits)
	case litmus.Not:
		return extendText("(bvnot "+x+")", bits)
	case litmus.LNot:
		return ifText(fmt.Sprintf("(= %s (_ bv0 %d))", x, bits))
	case litmus.SExt:
		return fmt.Sprintf("((_ sign_extend %d) %s)", 64-bits, x)
	}
	return extendText(x, bits)
}

var binaryText = map[litmus.BinaryOp]string{
	litmus.Add: "bvadd", litmus.Sub: "bvsub", litmus.Mul: "bvmul", litmus.UDiv: "bvudiv", litmus.SDiv: "bvsdiv", litmus.URem: "bvurem",
	litmus.SRem: "bvsrem", litmus.And: "bvand", litmus.Or: "bvor", litmus.Xor: "bvxor", litmus.Shl: "bvshl", litmus.LShr: "bvlshr", litmus.AShr: "bvashr",
	litmus.Eq: "=", litmus.Ne: "distinct", litmus.ULt: "bvult", litmus.ULe: "bvule", litmus.SLt: "bvslt", litmus.SLe: "bvsle",
}

func (s *writer) binary(op litmus.BinaryOp, bits int, x, y string) string {
	x, y = low(x, bits), low(y, bits)
	zero := fmt.Sprintf("(_ bv0 %d)", bits)
	switch op {
	case litmus.Shl, litmus.LShr, litmus.AShr, litmus.Ror:
		y = fmt.Sprintf("(bvurem %s (_ bv%d %d))", y, bits, bits)
	}
	if op == litmus.Ror {
		back := fmt.Sprintf("(bvsub (_ bv%d %d) %s)", bits, bits, y)
		return extendText(fmt.Sprintf("(bvor (bvlshr %s %s) (bvshl %s %s))", x, y, x, back), bits)
	}
	text := fmt.Sprintf("(%s %s %s)", binaryText[op], x, y)
	switch op {
	case litmus.Eq, litmus.Ne, litmus.ULt, litmus.ULe, litmus.SLt, litmus.SLe:
		return ifText(text)
	case litmus.UDiv, litmus.SDiv:
		text = fmt.Sprintf("(ite (= %s %s) %s %s)", y, zero, zero, text)
	case litmus.URem, litmus.SRem:
		text = fmt.Sprintf("(ite (= %s %s) %s %s)", y, zero, x, text)
	}
	return extendText(text, bits)
}
