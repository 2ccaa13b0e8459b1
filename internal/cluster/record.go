package cluster

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/explore"
	"ravel/internal/report"
)

// A done is a record as the server has it: a checksum and JSON.
type done struct {
	Build     string
	Counts    [6]int64              `json:"n"` // complete, blocked, moot, lb races, cyclic, duplicate
	Share     float64               `json:",omitempty"`
	Errors    []byte                `json:",omitempty"` // gob: reports have more than their JSON
	Warnings  []string              `json:",omitempty"`
	Waits     []report.Wait         `json:",omitempty"`
	Spins     []report.Wait         `json:",omitempty"`
	Bounded   bool                  `json:",omitempty"`
	Racy      bool                  `json:",omitempty"`
	Barriers  bool                  `json:",omitempty"`
	Vain      bool                  `json:",omitempty"`
	Ordered   bool                  `json:",omitempty"`
	Rounded   bool                  `json:",omitempty"`
	Unsynced  bool                  `json:",omitempty"`
	Missing   string                `json:",omitempty"`
	Sampled   string                `json:",omitempty"`
	GaveUp    string                `json:",omitempty"`
	Refusal   *refusal              `json:",omitempty"`
	Unserial  []event.Addr          `json:",omitempty"`
	Displaced []event.Addr          `json:",omitempty"`
	HasChoice []event.Addr          `json:",omitempty"`
	Relied    []event.Addr          `json:",omitempty"`
	Rounds    []explore.RoundAccess `json:",omitempty"`
	Late      []explore.LateEvent   `json:",omitempty"`
	Over      bool                  `json:",omitempty"`
	Unlike    []explore.Origin      `json:",omitempty"`
	Linked    []explore.Origin      `json:",omitempty"`
	Walks     int64                 `json:",omitempty"`
	Prints    []byte                `json:",omitempty"`
	Rest      []byte                `json:",omitempty"` // an item
	Children  int                   `json:",omitempty"` // how many items the rest is split into
	Seconds   float64               // that the exploration took
}

// A refusal is an engine.Unsupported.
type refusal struct {
	Location report.Location
	Message  string
}

// maxRecord is how long a record may be. Servers take messages of up to 1 MB.
const maxRecord = 900_000

// encode returns the record of an item whose rest is split into n.
func encode(build string, r *explore.Record, n int, seconds float64) ([]byte, error) {
	d := &done{
		Build:  build,
		Counts: [6]int64{r.Complete, r.Blocked, r.Moot, r.LBRaces, r.Cyclic, r.Duplicate}, Share: r.Share, Warnings: r.Warnings, Spins: r.Spins,
		Bounded: r.Bounded, Racy: r.Racy, Barriers: r.Barriers, Vain: r.Vain, Ordered: r.Ordered, Rounded: r.Rounded, Unsynced: r.Unsynced, Missing: r.Missing, Sampled: r.Sampled, GaveUp: r.GaveUp,
		Unserial: r.Unserial, Displaced: r.Displaced, HasChoice: r.HasChoice, Relied: r.Relied, Rounds: r.Rounds, Late: r.Late, Over: r.Over, Unlike: r.Unlike, Linked: r.Linked, Walks: r.Walks, Seconds: seconds,
	}
	if r.Complete == 0 {
		d.Waits = r.Waits // told only if nothing is complete
	}
	if u := r.Unsupported; u != nil {
		d.Refusal = &refusal{u.Location, u.Message}
	}
	if len(r.Errors) > 0 {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(r.Errors); err != nil {
			return nil, err
		}
		if b.Len() > maxRecord/2 { // the places are what matters: leave the executions out
			list := slices.Clone(r.Errors)
			for i := range list {
				list[i].Execution = nil
			}
			b.Reset()
			if err := gob.NewEncoder(&b).Encode(list); err != nil {
				return nil, err
			}
		}
		d.Errors = b.Bytes()
	}
	for _, p := range r.Prints.Prints {
		again := byte(0)
		if p.Again {
			again = 1
		}
		d.Prints = append(binary.LittleEndian.AppendUint64(d.Prints, p.Hash), again)
	}
	if len(r.Rest.Path) > 0 {
		d.Rest, d.Children = encodeItem(r.Rest), n
	}
	data, err := json.Marshal(d)
	if err == nil && len(data) > maxRecord {
		err = fmt.Errorf("a record has %d bytes, and at most %d are possible", len(data), maxRecord)
	}
	if err != nil {
		return nil, err
	}
	return sealed(data), nil
}

// decode reads a record, and the items that it names.
func decode(build string, data []byte) (*explore.Record, []explore.Item, error) {
	data, err := unsealed(data)
	if err != nil {
		return nil, nil, err
	}
	var d done
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, nil, fmt.Errorf("a record is damaged: %w", err)
	}
	if d.Build != build {
		return nil, nil, fmt.Errorf("a record is of another version of ravel (%s, not %s)", d.Build, build)
	}
	r := &explore.Record{
		Counts: explore.Counts{Complete: d.Counts[0], Blocked: d.Counts[1], Moot: d.Counts[2], LBRaces: d.Counts[3], Cyclic: d.Counts[4], Duplicate: d.Counts[5]},
		Share:  d.Share, Warnings: d.Warnings, Waits: d.Waits, Spins: d.Spins, Bounded: d.Bounded, Racy: d.Racy, Barriers: d.Barriers, Vain: d.Vain, Ordered: d.Ordered, Rounded: d.Rounded, Unsynced: d.Unsynced, Missing: d.Missing,
		Sampled: d.Sampled, GaveUp: d.GaveUp, Unserial: d.Unserial, Displaced: d.Displaced, HasChoice: d.HasChoice, Relied: d.Relied, Rounds: d.Rounds, Late: d.Late, Over: d.Over, Unlike: d.Unlike, Linked: d.Linked, Walks: d.Walks,
	}
	if d.Refusal != nil {
		r.Unsupported = &engine.Unsupported{Location: d.Refusal.Location, Message: d.Refusal.Message}
	}
	if len(d.Errors) > 0 {
		if err := gob.NewDecoder(bytes.NewReader(d.Errors)).Decode(&r.Errors); err != nil {
			return nil, nil, fmt.Errorf("a record is damaged: %w", err)
		}
	}
	for p := d.Prints; len(p) >= 9; p = p[9:] {
		r.Prints.Prints = append(r.Prints.Prints, explore.Print{Hash: binary.LittleEndian.Uint64(p), Again: p[8] != 0})
	}
	if d.Rest == nil {
		return r, nil, nil
	}
	if r.Rest, err = decodeItem(d.Rest); err != nil {
		return nil, nil, err
	}
	return r, r.Rest.Split(max(d.Children, 1)), nil
}

// children returns the items that the record of parent names.
func children(build, parent string, data []byte) (map[string]explore.Item, error) {
	_, items, err := decode(build, data)
	named := make(map[string]explore.Item, len(items))
	for _, it := range items {
		named[childID(parent, it)] = it
	}
	return named, err
}

// encodeItem returns an item as the queue has it.
func encodeItem(it explore.Item) []byte {
	b := binary.AppendUvarint(nil, uint64(it.Top))
	b = binary.AppendUvarint(b, it.Walk)
	for _, n := range it.Path {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

func decodeItem(b []byte) (explore.Item, error) {
	var nums []uint64
	for len(b) > 0 {
		x, n := binary.Uvarint(b)
		if n <= 0 {
			return explore.Item{}, errors.New("an item is damaged")
		}
		nums, b = append(nums, x), b[n:]
	}
	if len(nums) < 3 || nums[0] >= uint64(len(nums)-2) {
		return explore.Item{}, errors.New("an item is damaged")
	}
	it := explore.Item{Top: int(nums[0]), Walk: nums[1], Path: make([]int32, len(nums)-2)}
	for i, x := range nums[2:] {
		if it.Path[i] = int32(x); x>>31 != 0 {
			return explore.Item{}, errors.New("an item is damaged")
		}
	}
	return it, nil
}

// sealed puts a checksum before data.
func sealed(data []byte) []byte {
	return append(fmt.Appendf(nil, "%08x ", crc32.ChecksumIEEE(data)), data...)
}

// unsealed returns what comes after the checksum, which has to be right.
func unsealed(data []byte) ([]byte, error) {
	if len(data) < 9 || string(data[:9]) != fmt.Sprintf("%08x ", crc32.ChecksumIEEE(data[9:])) {
		return nil, errors.New("a record is torn: its checksum is wrong")
	}
	return data[9:], nil
}

// childID names an item that the record of parent names. It is a hash of the item itself, too: if a server loses a record and the parent is explored again, the new
// record may split the rest elsewhere, and whoever has counted the old one takes none of the new items for its own.
func childID(parent string, it explore.Item) string {
	return digest(append([]byte(parent+"/"), encodeItem(it)...))[:20]
}
