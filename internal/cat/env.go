package cat

import "slices"

// An env is what names mean at one place of a model, while it is compiled. It is a value: a closure keeps the
// env it was made in. Names bound between instructions are in a table with versions, others in a list.
type env struct {
	local *frame
	at    int // globals with a smaller version are visible
}

type frame struct {
	name string
	val  *thunk
	next *frame
}

// with returns the environment in which name means t.
func (e env) with(name string, t *thunk) env {
	if name == "" {
		return e
	}
	return env{&frame{name, t, e.local}, e.at}
}

type global struct {
	at  int
	val *thunk
}

// A thunk is a let: its expression is not looked at before the name is used.
type thunk struct {
	eval  func() sval
	state thunkState
	val   sval
	err   *Error
}

type thunkState uint8

const (
	fresh thunkState = iota
	busy
	done
)

func known(v sval) *thunk { return &thunk{state: done, val: v} }

// lookup returns what name means, or nil.
func (c *compiler) lookup(e env, name string) *thunk {
	for f := e.local; f != nil; f = f.next {
		if f.name == name {
			return f.val
		}
	}
	list := c.globals[name]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].at < e.at {
			return list[i].val
		}
	}
	return c.initial(name)
}

// initial returns what name means before any let.
func (c *compiler) initial(name string) *thunk {
	if t, ok := c.base[name]; ok {
		return t
	}
	var v sval
	at := &Var{Name: name}
	none := slices.Contains(c.opts.NoSets, name)
	if none || slices.Contains(c.opts.Empty, name) {
		t := tRel
		if _, ok := c.voc.sets[name]; ok || none {
			t = tSet
		}
		c.base[name] = known(nodeVal(c.constant(opNone, t, at)))
		return c.base[name]
	}
	if i, ok := c.voc.sets[name]; ok {
		v = nodeVal(c.node(nodeKey{opBase, tSet, -1, -1, int32(i)}, at))
	} else if i, ok := c.voc.rels[name]; ok {
		v = nodeVal(c.node(nodeKey{opBase, tRel, -1, -1, int32(i)}, at))
	} else if p, ok := prims[name]; ok {
		v = p
	} else {
		v = c.derived(name, at)
	}
	var t *thunk
	if v != nil {
		t = known(v)
		if n, ok := v.(nodeVal); ok {
			c.names[int32(n)] = name
		}
	}
	c.base[name] = t
	return t
}

// derived returns a name of the initial environment that others define.
func (c *compiler) derived(name string, at Expr) sval {
	get := func(name string) (int32, bool) {
		t := c.initial(name)
		if t == nil {
			return 0, false
		}
		n, ok := t.val.(nodeVal)
		return int32(n), ok
	}
	switch name {
	case "I": // older
		if i, ok := get("IW"); ok {
			return nodeVal(i)
		}
	case "id":
		return nodeVal(c.constant(opID, tRel, at))
	case "M":
		r, ok1 := get("R")
		w, ok2 := get("W")
		if ok1 && ok2 {
			return nodeVal(c.union(tSet, r, w, at))
		}
	case "ext": // initial writes are of no thread: two of them are neither in int nor in ext
		if i, ok := get("int"); ok {
			ext := c.not(tRel, i, at)
			if iw, ok := get("IW"); ok {
				ext = c.diff(tRel, ext, c.product(iw, iw, at), at)
			}
			return nodeVal(ext)
		}
	}
	return nil
}

// bind makes a name mean t from now on: between instructions for all that follow, elsewhere in e only.
func (c *compiler) bind(e env, name string, t *thunk) env {
	if name == "" {
		return e
	}
	if e.local != nil || c.inner > 0 {
		return e.with(name, t)
	}
	c.version++
	c.globals[name] = append(c.globals[name], global{c.version, t})
	e.at = c.version + 1
	return e
}
