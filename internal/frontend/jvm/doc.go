// Package jvm makes programs of Java's class files. It runs javac for sources, reads class files (chapter 4 of the Java Virtual Machine Specification), and
// lowers the bytecode that main reaches (chapter 6) to package ir.
//
// # What Java's things become
//
//   - A reference is an address with the number of the object's class above it (bit 48 on), or 0. So virtual calls, casts and instanceof read no memory.
//   - An object begins with its monitor (package runtime has its code). The fields of its class follow, or the elements of an array. The length of an array is the size
//     of the allocation: to ask for it is no event.
//   - Plain accesses are not atomic. Volatile ones are sequentially consistent. Those of VarHandles have the mode that the method says; opaque is relaxed.
//     getAndAdd and the like are one read-modify-write. A long or double is not torn.
//   - A function returns the exception that ends it, or 0, and then its result. A call is followed by a look at it (emit.go, lower.go).
//   - A virtual call is a switch over the classes that the program instantiates (builder.go).
//   - A lambda is an object of a class of its own, with what it captures in its fields (lambda.go).
//   - A static initialiser runs before main if nobody can tell, else when the class is first used (init.go).
//   - A VarHandle must be known when the program is lowered (varhandle.go).
//
// # The JDK
//
// Classes come from the file lib/modules of the JDK (modules.go). ravel models some methods itself, runs the code of some classes as it is, and refuses the rest
// when it is reached (intrinsic.go). Pools, futures and some locks are classes of its own, in Java (standin.go). The text of a string that is no constant is not modelled, and output is dropped.
//
// # Limits
//
//   - The models have no rule for final fields: a thread that gets an object by a race may see their default values.
//   - A thread is not interrupted while it waits in a monitor, and no memory is collected.
//   - A daemon is refused.
package jvm
