package lsp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxMessage bounds the length of a message, so that a wrong header does not take all memory. The library's own frames have no bound.
const maxMessage = 64 << 20

// frames sends and receives messages with a header, as the protocol has them.
type frames struct {
	in  *bufio.Reader
	out io.WriteCloser
}

func (f *frames) Send(message []byte) error {
	_, err := f.out.Write(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(message), message))
	return err
}

func (f *frames) Recv() ([]byte, error) {
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
