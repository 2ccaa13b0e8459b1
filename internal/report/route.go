package report

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// A route is the way of an edge through the picture: from a side of its source through a gutter,
// and, if its target is not in a neighbouring column, along the gap above a level and through
// another gutter.
type route struct {
	edge
	a, b *port
	hops []*hop // 1: gutter; 3: gutter, gap, gutter
}

// A hop is the part of a route in one channel.
type hop struct {
	ch     *channel
	lane   int
	lo, hi int    // what it spans along the channel, in levels (of a gutter) or columns (of a gap), doubled
	ends   [2]end // of a hop in a gutter
}

// An end is where a hop enters or leaves its gutter: at a port, or from a gap on one side.
type end struct {
	port *port
	gap  *hop
	side int // of the gutter
}

func (e end) y() float64 {
	if e.port != nil {
		return e.port.y
	}
	return e.gap.ch.at(e.gap.lane)
}

// A channel is a strip without boxes: lanes next to each other, each for hops that don't meet.
type channel struct {
	hops   []*hop
	lanes  int
	start  float64
	length float64
}

type point struct{ x, y float64 }

// size assigns lanes and returns how wide the channel must be.
func (c *channel) size(least float64, optional bool) float64 {
	slices.SortStableFunc(c.hops, func(a, b *hop) int {
		return cmp.Or(cmp.Compare(a.hi-a.lo, b.hi-b.lo), cmp.Compare(a.lo, b.lo))
	})
	var ends [][]*hop // of each lane
	for _, h := range c.hops {
		h.lane = slices.IndexFunc(ends, func(lane []*hop) bool {
			return !slices.ContainsFunc(lane, func(o *hop) bool { return h.lo <= o.hi && o.lo <= h.hi })
		})
		if h.lane < 0 {
			h.lane = len(ends)
			ends = append(ends, nil)
		}
		ends[h.lane] = append(ends[h.lane], h)
	}
	c.lanes = len(ends)
	switch {
	case c.lanes == 0 && optional:
		c.length = 0
	case c.lanes == 0:
		c.length = least
	default:
		c.length = least + float64(c.lanes-1)*laneGap
	}
	return c.length
}

// at returns the coordinate of a lane: the lanes are in the middle of the channel.
func (c *channel) at(lane int) float64 {
	return c.start + c.length/2 + (float64(lane)-float64(c.lanes-1)/2)*laneGap
}

// separate moves ports that face each other at the same height, so that their edges don't meet.
func (c *channel) separate() {
	const near = 3.5
	var facing [2][]*port
	for _, h := range c.hops {
		for _, e := range h.ends {
			if e.port != nil {
				facing[e.side] = append(facing[e.side], e.port)
			}
		}
	}
	for _, a := range facing[left] {
		for _, b := range facing[right] {
			if math.Abs(a.y-b.y) < near && (a.other != b.at || b.other != a.at || a.rel != b.rel) {
				b.y = a.y + near
			}
		}
	}
}

// untangle swaps lanes as long as that makes fewer edges cross. It leaves crowded gutters as they
// are: their edges are unreadable anyway, and the time grows with the fourth power.
func (c *channel) untangle() {
	if c.lanes > 24 || len(c.hops) > 150 {
		return
	}
	best := c.crossings()
	for better := true; better && best > 0; {
		better = false
		for i := range c.lanes {
			for j := range i {
				c.swap(i, j)
				if n := c.crossings(); n < best {
					best, better = n, true
				} else {
					c.swap(i, j)
				}
			}
		}
	}
}

func (c *channel) swap(i, j int) {
	for _, h := range c.hops {
		switch h.lane {
		case i:
			h.lane = j
		case j:
			h.lane = i
		}
	}
}

// crossings counts where the way to a lane crosses another lane.
func (c *channel) crossings() int {
	n := 0
	for _, a := range c.hops {
		for _, b := range c.hops {
			lo, hi := min(b.ends[0].y(), b.ends[1].y()), max(b.ends[0].y(), b.ends[1].y())
			for _, e := range a.ends {
				passes := e.side == left && b.lane < a.lane || e.side == right && b.lane > a.lane
				if passes && lo < e.y() && e.y() < hi {
					n++
				}
			}
		}
	}
	return n
}

// The sides of a box or a gutter.
const (
	left  = 0
	right = 1
)

// routeEdges chooses the way of every edge of rf, co and fr; others are drawn over the picture.
func (p *picture) routeEdges(relations bool) {
	for range len(p.cols) + 1 {
		p.gutters = append(p.gutters, &channel{})
	}
	for range p.levels {
		p.gaps = append(p.gaps, &channel{})
	}
	for _, e := range p.edges() {
		if routed(e.rel) {
			p.routes = append(p.routes, p.route(e))
		} else {
			p.over = append(p.over, e)
		}
	}
	for i := range p.x.Relations {
		r := &p.x.Relations[i]
		if es := p.edgesOf(r); (relations || r.isDependency()) && len(es) > 0 {
			p.over, p.shown = append(p.over, es...), append(p.shown, r)
		}
	}
	between := map[[2]*step]int{}
	for i := range p.over {
		e := &p.over[i]
		e.nth = between[[2]*step{e.from, e.to}]
		between[[2]*step{e.from, e.to}]++
	}
}

func (p *picture) route(e edge) *route {
	from, to := p.byStep[e.from], p.byStep[e.to]
	i, j := p.place[from.col], p.place[to.col]
	sideA, sideB := right, left
	switch {
	case i == j: // out and in again on the right
		sideB = right
	case j < i:
		sideA, sideB = left, right
	}
	r := &route{
		edge: e,
		a:    &port{at: from, other: to, side: sideA, rel: e.rel},
		b:    &port{at: to, other: from, side: sideB, rel: e.rel},
	}
	from.ports[sideA] = append(from.ports[sideA], r.a)
	to.ports[sideB] = append(to.ports[sideB], r.b)

	out, in := i+sideA, j+sideB // the gutters next to the ends
	start, end := end{port: r.a, side: 1 - sideA}, end{port: r.b, side: 1 - sideB}
	if out == in {
		p.hop(r, p.gutters[out], 2*from.level, 2*to.level, start, end)
		return r
	}
	level := to.level // along the gap above the target, or below it where the edge goes up
	if from.level > to.level {
		level++
	}
	gap := 2*level - 1 // levels count double, so that gaps have numbers too
	h1 := p.hop(r, p.gutters[out], 2*from.level, gap, start)
	across := p.hop(r, p.gaps[level], 2*out, 2*in)
	h3 := p.hop(r, p.gutters[in], gap, 2*to.level, end)
	h1.ends[1].gap, h1.ends[1].side = across, sideA
	h3.ends[1].gap, h3.ends[1].side = across, sideB
	return r
}

func (p *picture) hop(r *route, ch *channel, a, b int, ends ...end) *hop {
	h := &hop{ch: ch, lo: min(a, b), hi: max(a, b)}
	copy(h.ends[:], ends)
	ch.hops = append(ch.hops, h)
	r.hops = append(r.hops, h)
	return h
}

// corners returns the points at which a route turns, its ends included.
func (p *picture) corners(r *route) []point {
	start := point{r.a.at.x + float64(r.a.side)*r.a.at.w, r.a.y}
	end := point{r.b.at.x + float64(r.b.side)*r.b.at.w, r.b.y}
	if len(r.hops) == 1 {
		x := r.hops[0].ch.at(r.hops[0].lane)
		if start.y == end.y {
			return []point{start, end}
		}
		return []point{start, {x, start.y}, {x, end.y}, end}
	}
	x1, y, x2 := r.hops[0].ch.at(r.hops[0].lane), r.hops[1].ch.at(r.hops[1].lane), r.hops[2].ch.at(r.hops[2].lane)
	return []point{start, {x1, start.y}, {x1, y}, {x2, y}, {x2, end.y}, end}
}

// drawRoute draws an edge as a line with round corners.
func (p *picture) drawRoute(b *strings.Builder, r *route) {
	pts := p.corners(r)
	var d strings.Builder
	fmt.Fprintf(&d, "M%.1f,%.1f", pts[0].x, pts[0].y)
	for i := 1; i+1 < len(pts); i++ {
		prev, at, next := pts[i-1], pts[i], pts[i+1]
		radius := min(9, dist(prev, at)/2, dist(at, next)/2)
		in, out := towards(at, prev, radius), towards(at, next, radius)
		fmt.Fprintf(&d, " L%.1f,%.1f Q%.1f,%.1f %.1f,%.1f", in.x, in.y, at.x, at.y, out.x, out.y)
	}
	end := pts[len(pts)-1]
	fmt.Fprintf(&d, " L%.1f,%.1f", end.x, end.y)
	p.drawEdge(b, r.edge, d.String())
}

// drawEdge draws an edge along a path.
func (p *picture) drawEdge(b *strings.Builder, e edge, path string) {
	class, head := relations[e.rel].name, relations[e.rel].name
	if e.cycle {
		head = "cycle"
		if e.rel != cycle {
			class += " rv-cycle"
		}
	}
	fmt.Fprintf(b, `<g class="rv-edge rv-%s" data-rel="%s" data-from="%d" data-to="%d"><title>%s</title><path class="rv-hit" d="%s"/><path d="%s" marker-end="url(#%s%s)"/></g>`+"\n",
		class, html.EscapeString(e.label), e.from.row, e.to.row, html.EscapeString(e.why), path, path, p.prefix, head)
}

// drawOver draws the edges that have no place of their own, as curves.
func (p *picture) drawOver(b *strings.Builder) {
	for _, e := range p.over {
		a, c := p.curve(e)
		p.drawEdge(b, e, fmt.Sprintf("M%.1f,%.1f C%.1f,%.1f %.1f,%.1f %.1f,%.1f", a[0].x, a[0].y, a[1].x, a[1].y, c[0].x, c[0].y, c[1].x, c[1].y))
	}
}

// curve returns the ends of an edge with their control points: on the outer side of a column, or from one column to another.
func (p *picture) curve(e edge) (from, to [2]point) {
	a, b := p.byStep[e.from], p.byStep[e.to]
	y1, y2 := a.y+a.h*0.62, b.y+b.h*0.38
	if a.level > b.level {
		y1, y2 = a.y+a.h*0.38, b.y+b.h*0.62
	}
	if a.col == b.col {
		bulge, x := min(36, 18+6*math.Abs(float64(a.level-b.level)))+9*float64(e.nth), a.x+a.w
		if p.place[a.col] == 0 {
			bulge, x = -bulge, a.x
		}
		return [2]point{{x, y1}, {x + bulge, y1 + 4}}, [2]point{{x + bulge, y2 - 4}, {x, y2}}
	}
	x1, x2 := a.x, b.x+b.w
	if p.place[a.col] < p.place[b.col] {
		x1, x2 = a.x+a.w, b.x
	}
	bend := (x2 - x1) / 2
	y1, y2 = y1+3*float64(e.nth), y2+3*float64(e.nth)
	return [2]point{{x1, y1}, {x1 + bend, y1}}, [2]point{{x2 - bend, y2}, {x2, y2}}
}

func dist(a, b point) float64 { return math.Hypot(a.x-b.x, a.y-b.y) }

// towards returns the point at distance d from a in the direction of b.
func towards(a, b point, d float64) point {
	n := dist(a, b)
	if n == 0 {
		return a
	}
	return point{a.x + (b.x-a.x)*d/n, a.y + (b.y-a.y)*d/n}
}

// drawLabels writes the name of its relation on each edge that has room for it. Colours and dashes tell, too, and so does the legend.
func (p *picture) drawLabels(b *strings.Builder) {
	label := func(e edge, at point, anchor string) {
		class := relations[e.rel].name
		if e.cycle && e.rel != cycle {
			class += " rv-cycle"
		}
		fmt.Fprintf(b, `<text class="rv-label rv-%s" data-rel="%s" data-from="%d" data-to="%d" x="%.1f" y="%.1f"%s>%s</text>`+"\n",
			class, html.EscapeString(e.label), e.from.row, e.to.row, at.x, at.y+3.5, anchor, html.EscapeString(e.label))
	}
	for i, at := range p.labelPlaces() {
		if at != nil {
			label(p.routes[i].edge, *at, "")
		}
	}
	for _, e := range p.over {
		a, c := p.curve(e)
		mid := point{(a[0].x + 3*a[1].x + 3*c[0].x + c[1].x) / 8, (a[0].y+3*a[1].y+3*c[0].y+c[1].y)/8 + labelHeight*float64(e.nth)}
		switch {
		case e.from.col != e.to.col:
			label(e, mid, "")
		case p.place[e.from.col] == 0:
			label(e, point{mid.x - 4, mid.y}, ` text-anchor="end"`)
		default:
			label(e, point{mid.x + 4, mid.y}, ` text-anchor="start"`)
		}
	}
}

// labelPlaces returns where on each route its name goes so that no two meet; nil where there is no room.
func (p *picture) labelPlaces() []*point {
	var taken []*point
	free := func(q point) bool {
		return !slices.ContainsFunc(taken, func(t *point) bool {
			return t != nil && math.Abs(t.x-q.x) < 17 && math.Abs(t.y-q.y) < 11
		})
	}
	for _, r := range p.routes {
		taken = append(taken, p.labelPlace(p.corners(r), free))
	}
	return taken
}

// labelPlace returns a free place on the longest parts of a line with these corners; nil if there is no room.
func (p *picture) labelPlace(pts []point, free func(point) bool) *point {
	type part struct{ a, b point }
	var parts []part
	for i := 0; i+1 < len(pts); i++ {
		parts = append(parts, part{pts[i], pts[i+1]})
	}
	slices.SortStableFunc(parts, func(s, t part) int { return -cmp.Compare(dist(s.a, s.b), dist(t.a, t.b)) })
	for _, s := range parts {
		if dist(s.a, s.b) < 16 {
			break
		}
		for _, f := range []float64{0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8} {
			q := point{s.a.x + (s.b.x-s.a.x)*f, s.a.y + (s.b.y-s.a.y)*f}
			if free(q) {
				return &q
			}
		}
	}
	return nil
}
