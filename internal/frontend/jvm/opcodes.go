package jvm

// Opcodes that the code names (JVMS 6.5).
const (
	opNop           = 0
	opAconstNull    = 1
	opIconst0       = 3
	opLconst0       = 9
	opFconst0       = 11
	opDconst0       = 14
	opBipush        = 16
	opSipush        = 17
	opLdc           = 18
	opLdcW          = 19
	opLdc2W         = 20
	opIload         = 21
	opAload         = 25
	opIload0        = 26
	opAload3        = 45
	opIaload        = 46
	opSaload        = 53
	opIstore        = 54
	opAstore        = 58
	opIstore0       = 59
	opAstore3       = 78
	opIastore       = 79
	opSastore       = 86
	opPop           = 87
	opPop2          = 88
	opDup           = 89
	opDupX1         = 90
	opDupX2         = 91
	opDup2          = 92
	opDup2X1        = 93
	opDup2X2        = 94
	opSwap          = 95
	opIadd          = 96
	opDrem          = 115
	opIneg          = 116
	opDneg          = 119
	opIshl          = 120
	opLushr         = 125
	opIand          = 126
	opLxor          = 131
	opIinc          = 132
	opI2l           = 133
	opI2s           = 147
	opLcmp          = 148
	opDcmpg         = 152
	opIfeq          = 153
	opIfle          = 158
	opIfIcmpeq      = 159
	opIfIcmple      = 164
	opIfAcmpeq      = 165
	opIfAcmpne      = 166
	opGoto          = 167
	opJsr           = 168
	opRet           = 169
	opTableswitch   = 170
	opLookupswitch  = 171
	opIreturn       = 172
	opReturn        = 177
	opGetstatic     = 178
	opPutstatic     = 179
	opGetfield      = 180
	opPutfield      = 181
	opInvokevirtual = 182
	opInvokespecial = 183
	opInvokestatic  = 184
	opInvokeiface   = 185
	opInvokedynamic = 186
	opNew           = 187
	opNewarray      = 188
	opAnewarray     = 189
	opArraylength   = 190
	opAthrow        = 191
	opCheckcast     = 192
	opInstanceof    = 193
	opMonitorenter  = 194
	opMonitorexit   = 195
	opWide          = 196
	opMultianewarr  = 197
	opIfnull        = 198
	opIfnonnull     = 199
	opGotoW         = 200
	opJsrW          = 201
)

// lengths has how many bytes instructions have, by opcode; switches and wide are decoded by hand.
var lengths = func() (n [202]uint8) {
	for i := range n {
		n[i] = 1
	}
	for _, op := range []int{opBipush, opLdc, opNewarray, opRet} {
		n[op] = 2
	}
	for op := opIload; op <= opAload; op++ {
		n[op] = 2
	}
	for op := opIstore; op <= opAstore; op++ {
		n[op] = 2
	}
	for _, op := range []int{
		opSipush, opLdcW, opLdc2W, opIinc, opJsr, opGetstatic, opPutstatic, opGetfield, opPutfield, opInvokevirtual, opInvokespecial, opInvokestatic,
		opNew, opAnewarray, opCheckcast, opInstanceof,
	} {
		n[op] = 3
	}
	n[opMultianewarr] = 4
	for _, op := range []int{opInvokeiface, opInvokedynamic, opJsrW} {
		n[op] = 5
	}
	return n
}()
