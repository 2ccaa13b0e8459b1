package machine

// A Pending is a register that waits for the value of a load.
type Pending struct {
	Depth uint16 // of the frame: 0 is the thread's first function
	Reg   uint16
	Load  uint8 // which load
}
