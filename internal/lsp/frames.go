package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// maxMessage bounds the length of a message, so that a wrong header does not take all memory. The library's own frames have no bound.
const maxMessage = 64 << 20

// frames sends and receives messages with a header, as the protocol has them. The library drops requests that it has not begun when the input ends or exit
// is handled. So exit is received only when all requests before it are answered, if shutdown is among them, as a client may send them in one go.
type frames struct {
	in   *bufio.Reader
	out  io.WriteCloser
	down bool // shutdown was received

	mu       sync.Mutex
	answered sync.Cond       // of mu
	open     map[string]bool // the IDs of requests that have no answer yet
}

func newFrames(in io.Reader, out io.WriteCloser) *frames {
	f := &frames{in: bufio.NewReader(in), out: out, open: map[string]bool{}}
	f.answered.L = &f.mu
	return f
}

// A header is what tells requests, notifications and answers apart.
type header struct {
	ID     json.RawMessage
	Method string
}

func (f *frames) Send(message []byte) error {
	_, err := f.out.Write(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(message), message))
	var h header
	if json.Unmarshal(message, &h) == nil && h.Method == "" {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.open, string(h.ID))
		f.answered.Signal()
	}
	return err
}

func (f *frames) Recv() ([]byte, error) {
	message, err := f.receive()
	var h header
	if err != nil || json.Unmarshal(message, &h) != nil {
		return message, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case h.Method == "exit" && f.down:
		for len(f.open) > 0 {
			f.answered.Wait()
		}
	case h.Method != "" && len(h.ID) > 0 && string(h.ID) != "null":
		f.open[string(h.ID)] = true
		f.down = f.down || h.Method == "shutdown"
	}
	return message, nil
}

// receive reads one message.
func (f *frames) receive() ([]byte, error) {
	length := -1
	for first := true; ; first = false {
		line, err := f.in.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 && first {
			return nil, io.EOF
		} else if err != nil {
			return nil, fmt.Errorf("the header of a message: %w", err)
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return nil, fmt.Errorf("the header of a message has the line %q: it takes Content-Length: NUMBER", text)
		}
		if strings.EqualFold(name, "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > maxMessage {
				return nil, fmt.Errorf("Content-Length:%s: a message has from 0 to %d bytes", value, maxMessage)
			}
		}
	}
	if length < 0 {
		return nil, errors.New("the header of a message has no Content-Length")
	}
	message := make([]byte, length)
	if _, err := io.ReadFull(f.in, message); err != nil {
		return nil, fmt.Errorf("a message of %d bytes: %w", length, err)
	}
	return message, nil
}

func (f *frames) Close() error { return f.out.Close() }
