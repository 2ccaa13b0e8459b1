package jvm

import (
	"encoding/binary"
	"strings"
	"sync"
	"unicode/utf16"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// Methods of the JDK that ravel models itself. An intrinsic emits the body of the method: its parameters are those of the function.
type intrinsic func(e *emitter)

// trusted has the classes of the JDK whose code is run as it is, with the classes inside them, except for the methods below.
var trusted = map[string]bool{}

func init() {
	for _, name := range strings.Fields(`
java/lang/Object java/lang/Enum java/lang/Record java/lang/Number java/lang/Boolean java/lang/Byte java/lang/Character java/lang/Short java/lang/Integer java/lang/Long
java/lang/Float java/lang/Double java/lang/Math java/lang/Runnable java/lang/Iterable java/lang/Comparable java/lang/AutoCloseable java/lang/CharSequence
java/util/Objects java/util/Optional java/util/OptionalInt java/util/OptionalLong java/util/Iterator java/util/Collection java/util/List java/util/Queue java/util/Deque
java/util/concurrent/atomic/AtomicInteger java/util/concurrent/atomic/AtomicLong java/util/concurrent/atomic/AtomicBoolean java/util/concurrent/atomic/AtomicReference
java/util/concurrent/atomic/AtomicIntegerArray java/util/concurrent/atomic/AtomicLongArray java/util/concurrent/atomic/AtomicReferenceArray
java/util/concurrent/atomic/AtomicMarkableReference java/util/concurrent/atomic/AtomicStampedReference
java/util/AbstractCollection java/util/AbstractList java/util/AbstractQueue java/util/ArrayList java/util/ArrayDeque java/util/LinkedList java/util/AbstractSequentialList
java/util/Arrays java/util/concurrent/ConcurrentLinkedQueue java/util/concurrent/Callable
java/util/Map java/util/AbstractMap java/util/HashMap java/util/LinkedHashMap java/util/TreeMap java/util/SortedMap java/util/NavigableMap java/util/IdentityHashMap
java/util/Set java/util/AbstractSet java/util/HashSet java/util/LinkedHashSet java/util/TreeSet java/util/SortedSet java/util/NavigableSet java/util/Collections
java/util/SequencedCollection java/util/SequencedSet java/util/SequencedMap java/util/ReverseOrderListView
java/util/ImmutableCollections java/util/KeyValueHolder java/util/PriorityQueue java/util/Comparator java/util/Comparators java/util/ListIterator java/util/Enumeration
java/util/Spliterator java/util/Spliterators java/util/PrimitiveIterator java/util/Vector java/util/Stack java/util/BitSet java/util/EnumMap java/util/EnumSet java/util/RegularEnumSet
java/util/concurrent/ArrayBlockingQueue java/util/concurrent/LinkedBlockingQueue java/util/concurrent/LinkedBlockingDeque java/util/concurrent/PriorityBlockingQueue
java/util/concurrent/BlockingQueue java/util/concurrent/BlockingDeque java/util/concurrent/ConcurrentLinkedDeque java/util/concurrent/CyclicBarrier
java/util/concurrent/CopyOnWriteArrayList java/util/concurrent/CopyOnWriteArraySet java/util/concurrent/ConcurrentHashMap java/util/concurrent/ConcurrentMap
java/util/concurrent/ConcurrentNavigableMap
java/util/concurrent/AbstractExecutorService java/util/concurrent/ExecutorService java/util/concurrent/Executor java/util/concurrent/ExecutorCompletionService
java/util/concurrent/Future java/util/concurrent/RunnableFuture java/util/concurrent/CompletableFuture java/util/concurrent/CompletionStage java/util/concurrent/TimeUnit
java/util/concurrent/locks/Lock java/util/concurrent/locks/Condition java/util/concurrent/locks/ReadWriteLock java/util/concurrent/locks/StampedLock
java/lang/Thread$UncaughtExceptionHandler java/util/Random java/util/random/RandomGenerator jdk/internal/util/random/RandomSupport java/util/concurrent/RecursiveTask java/util/concurrent/RecursiveAction java/util/StringJoiner java/util/TimSort java/util/ComparableTimSort java/util/DualPivotQuicksort sun/security/action/GetBooleanAction java/util/concurrent/Phaser`) {
		trusted[name] = true
	}
}

// trustedMethods has single methods of other classes.
var trustedMethods = map[string]bool{"jdk/internal/util/ArraysSupport.newLength": true, "jdk/internal/util/ArraysSupport.hugeLength": true}

// uninitialised has classes of the JDK whose static initialisers are not run: everything that uses their results is intrinsic.
var uninitialised = map[string]bool{}

func init() {
	for _, name := range strings.Fields(`
java/lang/Object java/lang/String java/lang/Boolean java/lang/Byte java/lang/Character java/lang/Short java/lang/Integer java/lang/Long java/lang/Float java/lang/Double
java/lang/Math java/lang/Thread java/lang/Throwable java/lang/Class java/lang/System java/lang/Error java/lang/Exception java/lang/RuntimeException
java/util/concurrent/atomic/AtomicInteger java/util/concurrent/atomic/AtomicLong java/io/PrintStream java/lang/StringBuilder
java/lang/invoke/VarHandle java/lang/invoke/MethodHandles java/util/concurrent/locks/ReentrantLock java/util/Random java/util/stream/Tripwire`) {
		uninitialised[name] = true
	}
}

// trustedStatics reports whether static fields of a class of the JDK have the values that its code gives them.
func trustedStatics(c *class) bool {
	if c.standin {
		return true
	}
	outer, _, _ := strings.Cut(c.name, "$")
	return (trusted[outer] || strings.HasPrefix(c.name, "java/util/stream/")) && !uninitialised[c.name]
}

// intrinsicOf returns the intrinsic of a method, nil if it has none.
func intrinsicOf(m *method) intrinsic {
	if !m.class.jdk {
		return nil
	}
	key := m.class.name + "." + m.name
	if in := intrinsics()[key+m.desc]; in != nil {
		return in
	}
	if in := intrinsics()[key]; in != nil {
		return in
	}
	if m.class.name == unsafeClass {
		return unsafeMethod(m)
	}
	return atomicMethod(m)
}

// arg returns parameter i.
func (e *emitter) arg(i int) ir.Operand { return ir.R(e.f.Params[i]) }

// intrinsics returns the methods, by class, name and descriptor, or by class and name for all of that name.
var intrinsics = sync.OnceValue(func() map[string]intrinsic {
	all := map[string]intrinsic{}
	add := func(class, names string, in intrinsic) {
		for _, n := range strings.Fields(names) {
			all[class+"."+n] = in
		}
	}
	nothing := func(e *emitter) { e.ret(ir.Imm(0)) }
	self := func(e *emitter) { e.ret(e.arg(0)) }
	str := func(e *emitter) { e.ret(e.object(e.b.w.class(stringClass))) }

	add(objectClass, "<init>", nothing)
	add(objectClass, "hashCode", func(e *emitter) { e.ret(e.identity(e.arg(0))) })
	add(objectClass, "toString", str)
	add(objectClass, "getClass", func(e *emitter) {
		e.b.instantiate(e.b.w.class(classClass))
		e.ret(e.lateCall("class of", e.arg(0)))
	})
	add(objectClass, "wait()V", func(e *emitter) { e.await(e.arg(0), e.arg(0)); e.ret(ir.Imm(0)) })
	add(objectClass, "wait(J)V", func(e *emitter) {
		timed := e.block()
		e.when(e.cmp(ir.NE, 64, e.arg(1), ir.Imm(0)), timed)
		e.await(e.arg(0), e.arg(0))
		e.ret(ir.Imm(0))
		e.at = timed
		e.uninterrupted()
		ok := e.intrinsic("__ravel_java_timed_wait", true, e.address(e.arg(0), 0), e.address(e.arg(0), 0))
		e.unless(e.cmp(ir.NE, 32, ok, ir.Imm(0)), e.throw(illegalMonitor))
		e.ret(ir.Imm(0))
	})
	add(objectClass, "notify notifyAll", func(e *emitter) {
		e.wake(e.arg(0), e.arg(0), e.method.name == "notifyAll")
		e.ret(ir.Imm(0))
	})

	add("java/lang/System", "identityHashCode", func(e *emitter) { e.ret(e.identity(e.arg(0))) })
	add("java/lang/System", "exit", func(e *emitter) {
		e.intrinsic("exit", false, e.arg(0))
		e.ret(ir.Imm(0))
	})
	add("java/lang/System", "nanoTime", func(e *emitter) { e.ret(e.intrinsic("__ravel_now", true)) })
	add("java/lang/System", "currentTimeMillis", func(e *emitter) { e.ret(e.new(ir.SDiv, 64, e.intrinsic("__ravel_now", true), ir.Imm(1_000_000))) })
	add("java/lang/Runtime", "getRuntime", func(e *emitter) { e.ret(ir.Imm(e.b.single("Runtime", "java/lang/Runtime", headerSize))) })
	add("java/lang/Runtime", "availableProcessors", func(e *emitter) { e.ret(ir.Imm(2)) })
	add("java/lang/Runtime", "gc", nothing)
	add("java/lang/System", "gc", nothing)
	add("java/lang/System", "arraycopy", (*emitter).arrayCopy)
	add("java/io/PrintStream", "print println", func(e *emitter) {
		if params, _ := signature(e.method.desc); len(params) == 1 && kindOf(params[0]) == 'A' && params[0] != "[C" {
			e.asText(e.arg(1))
		}
		e.ret(ir.Imm(0))
	})
	add("java/io/PrintStream", "flush", nothing)
	add("java/io/PrintStream", "printf(Ljava/lang/String;[Ljava/lang/Object;)Ljava/io/PrintStream;", func(e *emitter) {
		i, head, done := e.reg(), e.block(), e.block()
		e.notNull(e.arg(2))
		n := e.length(e.arg(2), descOf(objectClass))
		e.copy(i, ir.Imm(0))
		e.jump(head)
		e.at = head
		e.unless(e.cmp(ir.SLT, 32, ir.R(i), n), done)
		e.asText(e.load(e.elementAt(e.arg(2), ir.R(i), descOf(objectClass)), descOf(objectClass), event.NA))
		e.op(ir.Add, 32, i, ir.R(i), ir.Imm(1))
		e.jump(head)
		e.at = done
		e.ret(e.arg(0))
	})

	for _, c := range []string{"java/lang/StringBuilder", "java/lang/StringBuffer"} {
		add(c, "<init>", nothing)
		add(c, "toString", str)
		add(c, "append", func(e *emitter) {
			if params, _ := signature(e.method.desc); len(params) == 1 && kindOf(params[0]) == 'A' {
				e.asText(e.arg(1))
			}
			e.ret(e.arg(0))
		})
	}
	add(stringClass, "valueOf(Ljava/lang/Object;)Ljava/lang/String;", func(e *emitter) {
		e.asText(e.arg(0))
		e.ret(e.object(e.b.w.class(stringClass)))
	})
	add(stringClass, "valueOf format concat", str)
	add(stringClass, "toString intern", self)
	add(stringClass, "hashCode", func(e *emitter) { e.ret(e.lateCall("text hash", e.arg(0))) })
	add(stringClass, "length", func(e *emitter) { e.ret(e.lateCall("text length", e.arg(0))) })
	add(stringClass, "isEmpty", func(e *emitter) { e.ret(e.cmp(ir.EQ, 32, e.lateCall("text length", e.arg(0)), ir.Imm(0))) })
	add(stringClass, "charAt", func(e *emitter) {
		n := e.lateCall("text length", e.arg(0))
		e.unless(e.cmp(ir.ULT, 32, e.arg(1), n), e.throw("java/lang/StringIndexOutOfBoundsException"))
		at := e.elementAt(e.arg(0), e.arg(1), "C")
		low, high := e.intrinsic("__ravel_constant", true, at), e.intrinsic("__ravel_constant", true, e.plus(at, 1))
		e.ret(e.new(ir.Or, 32, low, e.new(ir.Shl, 32, high, ir.Imm(8))))
	})
	add(stringClass, "equals", (*emitter).textEquals)
	for _, c := range []string{"Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double"} {
		add("java/lang/"+c, "toString", str)
		add("java/lang/"+c, "valueOf(Ljava/lang/String;)Ljava/lang/"+c+";", func(e *emitter) { e.unsupported(unknownText) })
	}
	for prim, box := range boxes {
		if prim != 'F' && prim != 'D' {
			add(box.class, "valueOf("+string(prim)+")L"+box.class+";", func(e *emitter) { e.box(string(prim), box.class) })
		}
	}
	add("java/lang/Enum", "toString name", func(e *emitter) {
		e.ret(e.load(e.address(e.arg(0), e.b.instanceField("java/lang/Enum", "name").offset), descOf(stringClass), event.NA))
	})
	add(classClass, "desiredAssertionStatus", func(e *emitter) { e.ret(ir.Imm(1)) })
	add(classClass, "getSuperclass", func(e *emitter) { e.ret(e.lateCall("superclass", e.arg(0))) })
	add(classClass, "getName getSimpleName toString", str)
	add("java/lang/Float", "floatToRawIntBits intBitsToFloat", self)
	add("java/lang/Double", "doubleToRawLongBits longBitsToDouble", self)
	for _, c := range []string{"java/lang/Math", "java/lang/StrictMath"} {
		for name, fn := range map[string]string{"sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "rint": "rint"} {
			add(c, name, func(e *emitter) { e.ret(e.intrinsic(fn, true, e.arg(0))) })
		}
		for _, name := range strings.Fields("sin cos tan asin acos atan exp log log10 cbrt pow atan2 sinh cosh tanh hypot expm1 log1p") {
			add(c, name, func(e *emitter) {
				e.unsupported("java.lang.Math." + e.method.name + " is not supported: Java and ravel may round differently")
			})
		}
	}

	add("jdk/internal/util/Preconditions", "checkIndex(IILjava/util/function/BiFunction;)I", func(e *emitter) {
		e.when(e.cmp(ir.SLT, 32, e.arg(1), ir.Imm(0)), e.throw("java/lang/IndexOutOfBoundsException"))
		e.unless(e.cmp(ir.ULT, 32, e.arg(0), e.arg(1)), e.throw("java/lang/IndexOutOfBoundsException"))
		e.ret(e.arg(0))
	})

	// Throwable has a message and a cause. The trace of the stack is the place where it was made.
	for _, d := range []string{
		"()V", "(Ljava/lang/String;)V", "(Ljava/lang/Throwable;)V", "(Ljava/lang/String;Ljava/lang/Throwable;)V", "(Ljava/lang/String;Ljava/lang/Throwable;ZZ)V",
	} {
		construct := func(e *emitter) {
			for i, p := range strings.Split(strings.Trim(strings.TrimSuffix(d, "ZZ)V"), "()V"), ";") {
				switch p {
				case "Ljava/lang/String":
					e.store(e.address(e.arg(0), e.b.instanceField(throwableClass, "message").offset), e.arg(i+1), descOf(stringClass), event.NA)
				case "Ljava/lang/Throwable":
					e.store(e.address(e.arg(0), e.b.instanceField(throwableClass, "cause").offset), e.arg(i+1), descOf(stringClass), event.NA)
				}
			}
			e.ret(ir.Imm(0))
		}
		add(throwableClass, "<init>"+d, construct)
		add("java/lang/Error", "<init>"+d, construct) // in newer JDKs it tells the flight recorder
	}
	get := func(class, name string) intrinsic {
		return func(e *emitter) {
			f := e.b.instanceField(class, name)
			e.ret(e.load(e.address(e.arg(0), f.offset), f.desc, event.NA))
		}
	}
	add(throwableClass, "getMessage getLocalizedMessage", get(throwableClass, "message"))
	add(throwableClass, "getCause", get(throwableClass, "cause"))
	add(throwableClass, "initCause", func(e *emitter) {
		e.store(e.address(e.arg(0), e.b.instanceField(throwableClass, "cause").offset), e.arg(1), descOf(stringClass), event.NA)
		e.ret(e.arg(0))
	})
	add(throwableClass, "toString", str)
	add(throwableClass, "fillInStackTrace", self)
	add(throwableClass, "printStackTrace addSuppressed", nothing)

	add(threadClass, "<init>()V", nothing)
	add(threadClass, "<init>(Ljava/lang/String;)V setName", func(e *emitter) {
		e.store(e.threadField(e.arg(0), "name"), e.arg(1), descOf(stringClass), event.NA)
		e.ret(ir.Imm(0))
	})
	add(threadClass, "<init>(Ljava/lang/Runnable;)V <init>(Ljava/lang/Runnable;Ljava/lang/String;)V", func(e *emitter) {
		e.store(e.threadField(e.arg(0), "target"), e.arg(1), "Ljava/lang/Runnable;", event.NA)
		if len(e.f.Params) > 2 {
			e.store(e.threadField(e.arg(0), "name"), e.arg(2), descOf(stringClass), event.NA)
		}
		e.ret(ir.Imm(0))
	})
	add(threadClass, "getName", func(e *emitter) {
		name, unnamed := e.load(e.threadField(e.arg(0), "name"), descOf(stringClass), event.NA), e.block()
		e.when(e.cmp(ir.EQ, 64, name, ir.Imm(0)), unnamed)
		e.ret(name)
		e.at = unnamed
		e.ret(e.object(e.b.w.class(stringClass)))
	})
	add(threadClass, "getId threadId", func(e *emitter) { e.ret(e.load(e.threadField(e.arg(0), "number"), "J", event.NA)) })
	add(threadClass, "setDaemon", func(e *emitter) {
		daemon := e.block()
		e.when(e.cmp(ir.NE, 32, e.arg(1), ir.Imm(0)), daemon)
		e.ret(ir.Imm(0))
		e.at = daemon
		e.unsupported("a daemon thread is not supported: let it end, and join it")
	})
	add(threadClass, "run", (*emitter).runTarget)
	add(threadClass, "start", (*emitter).startThread)
	add(threadClass, "join()V", func(e *emitter) { e.interruptible(); e.joinThread(); e.ret(ir.Imm(0)) })
	add(threadClass, "join(J)V", func(e *emitter) {
		join := e.block()
		e.interruptible()
		e.when(e.cmp(ir.EQ, 64, e.arg(1), ir.Imm(0)), join)
		late := e.block()
		e.branch(e.cmp(ir.EQ, 32, e.intrinsic("__ravel_choose", true, ir.Imm(2)), ir.Imm(0)), join, late)
		e.at = late
		e.ret(ir.Imm(0))
		e.at = join
		e.joinThread()
		e.ret(ir.Imm(0))
	})
	add(threadClass, "yield onSpinWait setPriority", nothing)
	add(threadClass, "sleep", func(e *emitter) { e.interruptible(); e.ret(ir.Imm(0)) })
	add(threadClass, "currentThread", func(e *emitter) {
		e.ret(e.self())
	})
	machineMethods(add)
	add("java/io/ObjectStreamField", "<init>", nothing)
	add("java/util/Random", "<init>()V", func(e *emitter) {
		e.unsupported("new Random() is not supported: give it a seed, so that all runs agree")
	})
	add("java/security/AccessController", "doPrivileged(Ljava/security/PrivilegedAction;)Ljava/lang/Object;", func(e *emitter) {
		e.ret(e.call(e.b.virtual(e.b.w.class("java/security/PrivilegedAction"), "run", "()Ljava/lang/Object;"), 'A', e.arg(0)))
	})
	for names, mode := range map[string]event.Mode{"fullFence": event.SC, "loadFence loadLoadFence": event.Acq, "storeFence storeStoreFence": event.Rel} {
		add(unsafeClass, names, func(e *emitter) { e.fence(mode); e.ret(ir.Imm(0)) })
	}
	add("jdk/internal/access/SharedSecrets", "getJavaUtilCollectionAccess", func(e *emitter) {
		e.ret(e.object(e.b.w.class("java/util/ImmutableCollections$Access$1")))
	})
	add("jdk/internal/misc/CDS", "initializeFromArchive getRandomSeedForDumping", nothing)
	add("java/lang/Boolean", "getBoolean", func(e *emitter) { e.ret(ir.Imm(0)) }) // no property is set
	add("java/lang/Enum", "valueOf", (*emitter).enumValueOf)
	add("java/util/concurrent/ConcurrentHashMap", "addCount", (*emitter).addCount)
	add("java/util/concurrent/CompletableFuture", "waitingGet", (*emitter).waitForFuture)
	for _, in := range []string{"java/util/EnumMap.getKeyUniverse", "java/util/EnumSet.getUniverse"} {
		all[in] = func(e *emitter) {
			e.ret(e.load(e.lateCall("enum values", e.arg(0)), "["+descOf(objectClass), event.NA))
		}
	}
	add(threadClass, "isAlive", func(e *emitter) {
		e.b.asksAlive = true
		e.ret(e.load(e.threadField(e.arg(0), "alive"), "I", event.SC))
	})
	add(threadClass, "interrupt", (*emitter).interruptThread)
	add(threadClass, "interrupted", func(e *emitter) {
		if !e.b.interrupts() {
			e.ret(ir.Imm(0))
			return
		}
		e.ret(e.rmw(event.Xchg, e.threadField(e.self(), "interrupted"), ir.Imm(0), "I", event.SC))
	})
	add(threadClass, "isInterrupted", func(e *emitter) {
		if !e.b.interrupts() {
			e.ret(ir.Imm(0))
			return
		}
		e.ret(e.load(e.threadField(e.arg(0), "interrupted"), "I", event.SC))
	})
	add("java/util/concurrent/TimeUnit", "sleep", func(e *emitter) { e.interruptible(); e.ret(ir.Imm(0)) })

	add(varHandleClass, "fullFence", func(e *emitter) { e.fence(event.SC); e.ret(ir.Imm(0)) })
	add(varHandleClass, "acquireFence loadLoadFence", func(e *emitter) { e.fence(event.Acq); e.ret(ir.Imm(0)) })
	add(varHandleClass, "releaseFence storeStoreFence", func(e *emitter) { e.fence(event.Rel); e.ret(ir.Imm(0)) })
	// With no garbage collection, an object is reachable as long as it is held.
	add("java/lang/ref/Reference", "reachabilityFence", nothing)

	lock := "java/util/concurrent/locks/ReentrantLock"
	add(lock, "<init>", nothing)
	add(lock, "lock lockInterruptibly", func(e *emitter) {
		e.intrinsic("__ravel_java_enter", false, e.address(e.arg(0), 0))
		e.ret(ir.Imm(0))
	})
	add(lock, "unlock", func(e *emitter) { e.exitMonitor(e.arg(0)); e.ret(ir.Imm(0)) })
	add(lock, "tryLock", func(e *emitter) { e.ret(e.intrinsic("__ravel_java_try", true, e.address(e.arg(0), 0))) })
	add(lock, "isHeldByCurrentThread", func(e *emitter) { e.ret(e.intrinsic("__ravel_java_holds", true, e.address(e.arg(0), 0))) })
	add(threadClass, "holdsLock", func(e *emitter) {
		e.notNull(e.arg(0))
		e.ret(e.intrinsic("__ravel_java_holds", true, e.address(e.arg(0), 0)))
	})
	add(lock, "newCondition", func(e *emitter) {
		c := e.object(e.b.w.class(conditionClass))
		e.store(e.address(c, e.b.instanceField(conditionClass, "lock").offset), e.arg(0), descOf(objectClass), event.NA)
		e.ret(c)
	})
	// The count of a latch is volatile, as the state of AbstractQueuedSynchronizer.
	count := func(e *emitter) ir.Operand { return e.address(e.arg(0), e.b.instanceField(latchClass, "count").offset) }
	add(latchClass, "<init>", func(e *emitter) {
		e.when(e.cmp(ir.SLT, 32, e.arg(1), ir.Imm(0)), e.throw("java/lang/IllegalArgumentException"))
		e.store(count(e), e.arg(1), "I", event.SC)
		e.ret(ir.Imm(0))
	})
	add(latchClass, "countDown", func(e *emitter) {
		head, done := e.block(), e.block()
		e.jump(head)
		e.at = head
		now := e.load(count(e), "I", event.SC)
		e.when(e.cmp(ir.EQ, 32, now, ir.Imm(0)), done)
		_, ok := e.cas(count(e), now, e.new(ir.Sub, 32, now, ir.Imm(1)), "I", event.SC, false)
		e.branch(ok, done, head)
		e.at = done
		e.ret(ir.Imm(0))
	})
	add(latchClass, "await()V", func(e *emitter) {
		head, done := e.block(), e.block()
		e.jump(head)
		e.at = head
		e.branch(e.cmp(ir.EQ, 32, e.load(count(e), "I", event.SC), ir.Imm(0)), done, head)
		e.at = done
		e.ret(ir.Imm(0))
	})
	add(latchClass, "await(JLjava/util/concurrent/TimeUnit;)Z", func(e *emitter) {
		head, done, late := e.block(), e.block(), e.block()
		e.when(e.cmp(ir.NE, 32, e.intrinsic("__ravel_choose", true, ir.Imm(2)), ir.Imm(0)), late)
		e.jump(head)
		e.at = head
		e.branch(e.cmp(ir.EQ, 32, e.load(count(e), "I", event.SC), ir.Imm(0)), done, head)
		e.at = done
		e.ret(ir.Imm(1))
		e.at = late // it times out, or the count is 0 in time
		e.ret(e.cmp(ir.EQ, 32, e.load(count(e), "I", event.SC), ir.Imm(0)))
	})
	add(latchClass, "getCount", func(e *emitter) { e.ret(e.cast(ir.SExt, 32, 64, e.load(count(e), "I", event.SC))) })
	owner := func(e *emitter) ir.Operand {
		f := e.b.instanceField(conditionClass, "lock")
		return e.load(e.address(e.arg(0), f.offset), f.desc, event.NA)
	}
	add(conditionClass, "await()V awaitUninterruptibly", func(e *emitter) { e.await(owner(e), e.arg(0)); e.ret(ir.Imm(0)) })
	add(conditionClass, "signal signalAll", func(e *emitter) {
		e.wake(owner(e), e.arg(0), e.method.name == "signalAll")
		e.ret(ir.Imm(0))
	})
	return all
})

const illegalMonitor = "java/lang/IllegalMonitorStateException"

// await waits in the set of one object and gives the monitor of another one back meanwhile.
func (e *emitter) await(lock, set ir.Operand) {
	e.uninterrupted()
	ok := e.intrinsic("__ravel_java_wait", true, e.address(lock, 0), e.address(set, 0))
	e.unless(e.cmp(ir.NE, 32, ok, ir.Imm(0)), e.throw(illegalMonitor))
}

func (e *emitter) wake(lock, set ir.Operand, all bool) {
	name := "__ravel_java_notify"
	if all {
		name = "__ravel_java_notify_all"
	}
	ok := e.intrinsic(name, true, e.address(lock, 0), e.address(set, 0))
	e.unless(e.cmp(ir.NE, 32, ok, ir.Imm(0)), e.throw(illegalMonitor))
}

// identity returns a hash of an object's address.
func (e *emitter) identity(ref ir.Operand) ir.Operand {
	low := e.cast(ir.Trunc, 64, 32, e.new(ir.LShr, 64, e.address(ref, 0), ir.Imm(4)))
	return e.new(ir.And, 32, low, ir.Imm(0x7fffffff))
}

// asText does what the conversion of an object to a string may do: it calls toString, if the object is no string.
func (e *emitter) asText(ref ir.Operand) {
	done := e.block()
	e.when(e.cmp(ir.EQ, 64, ref, ir.Imm(0)), done)
	e.call(e.b.virtual(e.b.w.class(objectClass), "toString", "()Ljava/lang/String;"), 'A', ref)
	e.jump(done)
	e.at = done
}

// textEquals is String.equals. Constants with the same characters are the same object.
func (e *emitter) textEquals() {
	same, differ, known := e.block(), e.block(), e.block()
	e.when(e.cmp(ir.EQ, 64, e.arg(0), e.arg(1)), same)
	e.when(e.cmp(ir.EQ, 64, e.arg(1), ir.Imm(0)), differ)
	e.unless(e.isInstance(e.arg(1), e.b.w.class(stringClass)), differ)
	owners := e.new(ir.LShr, 64, e.new(ir.Or, 64, e.address(e.arg(0), 0), e.address(e.arg(1), 0)), ir.Imm(event.AddrBits-10))
	e.when(e.cmp(ir.EQ, 64, owners, ir.Imm(0)), known)
	e.unsupported(unknownText)
	e.at = known
	e.jump(differ)
	e.at = same
	e.ret(ir.Imm(1))
	e.at = differ
	e.ret(ir.Imm(0))
}

func utf16Bytes(s string) (b []byte) {
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

// textHash is String.hashCode.
func textHash(s string) (h uint32) {
	for _, u := range utf16.Encode([]rune(s)) {
		h = 31*h + uint32(u)
	}
	return h
}

// box is the method valueOf of a class: objects of small numbers are there already (JLS 5.1.7).
func (e *emitter) box(prim, class string) {
	c := e.b.w.class(class)
	f := e.b.instanceField(class, "value")
	w := widthOf(kindOf(prim))
	low, n := -128, 256
	switch prim {
	case "Z":
		low, n = 0, 2
	case "C":
		low, n = 0, 128
	}
	size := (c.size + 7) &^ 7
	g := e.b.objects["cache of "+class]
	if g == nil {
		g = &ir.Global{Name: c.simple() + " cache", Size: size * uint64(n), Align: 8, Init: make([]byte, size*uint64(n))}
		for i := range n {
			b := binary.LittleEndian.AppendUint64(nil, uint64(low+i))
			copy(g.Init[size*uint64(i)+f.offset:][:sizeOf(prim)], b)
		}
		e.b.addGlobal(g)
		e.b.objects["cache of "+class] = g
	}
	e.b.instantiate(c)
	index := e.new(ir.Sub, w, e.arg(0), ir.Imm(uint64(low)&(1<<w-1)))
	other := e.block()
	e.unless(e.cmp(ir.ULT, w, index, ir.Imm(uint64(n))), other)
	dst := e.reg()
	e.add(ir.Instr{Op: ir.Gep, Dst: dst, Dst2: ir.NoReg, A: ir.Imm(uint64(g.Addr)), B: index, Scale: int64(size)})
	e.ret(e.new(ir.Or, 64, ir.R(dst), ir.Imm(c.tag())))
	e.at = other
	o := e.object(c)
	e.store(e.address(o, f.offset), e.arg(0), prim, event.NA)
	e.ret(o)
}

// atomicMethod returns the intrinsic of a method of AtomicInteger or AtomicLong; their other methods are loops that call these.
func atomicMethod(m *method) intrinsic {
	desc := map[string]string{"java/util/concurrent/atomic/AtomicInteger": "I", "java/util/concurrent/atomic/AtomicLong": "J"}[m.class.name]
	if desc == "" || m.is(accStatic) || m.name == "<init>" {
		return nil
	}
	name := m.name
	switch name {
	case "get", "set":
		name += "Volatile"
	case "getPlain", "setPlain":
		name = name[:3]
	case "lazySet":
		name = "setRelease"
	case "weakCompareAndSet":
		name = "weakCompareAndSetPlain"
	case "toString":
		return func(e *emitter) { e.ret(e.object(e.b.w.class(stringClass))) }
	}
	by, adds := map[string]int64{"getAndIncrement": 1, "incrementAndGet": 1, "getAndDecrement": -1, "decrementAndGet": -1, "addAndGet": 0}[name]
	params, _ := signature(m.desc)
	for _, p := range params {
		if kindOf(p) == 'A' {
			return nil // a loop with a function
		}
	}
	return func(e *emitter) {
		at := e.address(e.arg(0), e.b.instanceField(m.class.name, "value").offset)
		var args []ir.Operand
		for i := range params {
			args = append(args, e.arg(i+1))
		}
		if !adds {
			v, _, ok := e.accessMode(name, at, desc, args)
			if !ok {
				if m.code == nil {
					e.unsupported(dotted(m.class.name) + "." + m.name + " is not supported")
					return
				}
				e.b.lowerBody(m, e, nil)
				return
			}
			e.ret(v)
			return
		}
		w := widthOf(desc[0])
		n := ir.Imm(uint64(by) & (1<<w - 1))
		if by == 0 {
			n = args[0]
		}
		old := e.rmw(event.Add, at, n, desc, event.SC)
		if strings.HasPrefix(name, "getAnd") {
			e.ret(old)
			return
		}
		e.ret(e.new(ir.Add, w, old, n))
	}
}

// arrayCopy is System.arraycopy: element by element, as if through a copy of the source.
func (e *emitter) arrayCopy() {
	from, at, to, put, n := e.arg(0), e.arg(1), e.arg(2), e.arg(3), e.arg(4)
	e.notNull(from)
	e.notNull(to)
	bounds := "java/lang/ArrayIndexOutOfBoundsException"
	for _, x := range [][2]ir.Operand{{from, at}, {to, put}} {
		size := e.anyLength(x[0])
		e.when(e.cmp(ir.SLT, 32, x[1], ir.Imm(0)), e.throw(bounds))
		end := e.new(ir.Add, 64, e.cast(ir.SExt, 32, 64, x[1]), e.cast(ir.SExt, 32, 64, n))
		e.when(e.cmp(ir.SLT, 32, n, ir.Imm(0)), e.throw(bounds))
		e.when(e.cmp(ir.UGT, 64, end, size), e.throw(bounds))
	}
	sizeLog := e.lateCall("element size", from)
	e.unless(e.cmp(ir.EQ, 64, e.lateCall("element type", from), e.lateCall("element type", to)), e.throw("java/lang/ArrayStoreException"))
	down := e.block()
	// An overlap is copied from the end if the source comes first.
	overlaps := e.cmp(ir.EQ, 64, from, to)
	first := e.cmp(ir.SLT, 32, at, put)
	e.when(e.new(ir.And, 1, overlaps, first), down)
	e.copyLoop(from, at, to, put, n, sizeLog, false)
	e.at = down
	e.copyLoop(from, at, to, put, n, sizeLog, true)
}

func (e *emitter) copyLoop(from, at, to, put, n, sizeLog ir.Operand, down bool) {
	done := e.block()
	i := e.reg()
	e.copy(i, ir.Imm(0))
	head := e.block()
	e.jump(head)
	e.at = head
	e.unless(e.cmp(ir.SLT, 32, ir.R(i), n), done)
	k := ir.R(i)
	if down {
		k = e.new(ir.Sub, 32, e.new(ir.Sub, 32, n, ir.R(i)), ir.Imm(1))
	}
	place := func(array, start ir.Operand) ir.Operand {
		off := e.new(ir.Shl, 64, e.new(ir.Add, 32, start, k), sizeLog)
		return e.plus(e.new(ir.Add, 64, e.address(array, 0), off), headerSize)
	}
	in := ir.Instr{Op: ir.Switch, Width: 64, Dst: ir.NoReg, Dst2: ir.NoReg, A: sizeLog}
	next := e.block()
	src, dst := place(from, at), place(to, put)
	start := e.at
	for size, desc := range []string{"B", "C", "I", "J"} {
		e.at = e.block()
		in.Cases = append(in.Cases, uint64(size))
		in.Targets = append(in.Targets, e.at)
		v := e.load(src, desc, event.NA)
		if desc == "J" {
			plain := e.block()
			check := e.block()
			e.branch(e.cmp(ir.EQ, 64, v, ir.Imm(0)), plain, check)
			e.at = check
			e.branch(e.cast(ir.Trunc, 64, 1, e.lateCall("store check", to, v)), plain, e.throw("java/lang/ArrayStoreException"))
			e.at = plain
		}
		e.store(dst, v, desc, event.NA)
		e.jump(next)
	}
	in.Targets = append(in.Targets, next)
	e.at = start
	e.add(in)
	e.at = next
	e.op(ir.Add, 32, i, ir.R(i), ir.Imm(1))
	e.jump(head)
	e.at = done
	e.ret(ir.Imm(0))
}
