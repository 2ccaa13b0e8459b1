package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// CommandsFile is the name of the compilation database that CMake and Bear write.
const CommandsFile = "compile_commands.json"

// A command is how a build compiles a file: an entry of compile_commands.json.
type command struct {
	Directory string   `json:"directory"`
	File      string   `json:"file"`
	Command   string   `json:"command"`
	Arguments []string `json:"arguments"`
	place     string
}

// readCommands returns the units of a compilation database by the path of their file, in its order, and what there is to say about them.
func readCommands(file string) (units []Unit, notes []string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	commands, err := parseCommands(file, text)
	if err != nil {
		return nil, nil, err
	}
	base, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, nil, err
	}
	places := map[string]string{}
	var silent []string
	for i := range commands {
		c := &commands[i]
		u, err := c.unit(base)
		if err != nil {
			return nil, nil, err
		}
		name := filepath.Base(u.File)
		if u.Language == "" {
			notes = append(notes, fmt.Sprintf("%s: %s is not C or C++: it was left out", c.place, name))
			continue
		}
		if j := slices.IndexFunc(units, func(o Unit) bool { return o.File == u.File }); j >= 0 {
			if !slices.Equal(units[j].Flags, u.Flags) || units[j].Language != u.Language {
				return nil, nil, fmt.Errorf("%s: %s is compiled in another way at %s: leave one of the two entries out", c.place, name, places[u.File])
			}
			continue
		}
		places[u.File] = c.place
		units = append(units, u)
		if slices.ContainsFunc(u.Flags, func(f string) bool { return f == "-DNDEBUG" || strings.HasPrefix(f, "-DNDEBUG=") }) {
			silent = append(silent, name)
		}
	}
	if len(silent) > 0 {
		notes = append(notes, fmt.Sprintf("%s: -DNDEBUG takes the assertions out of %s: -- -UNDEBUG keeps them", file, strings.Join(silent, ", ")))
	}
	return units, notes, nil
}

// parseCommands reads a compilation database. Errors begin with the place.
func parseCommands(file string, text []byte) (commands []command, err error) {
	const again = "build again with cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or with bear -- make"
	dec := json.NewDecoder(bytes.NewReader(text))
	fail := func(err error) error {
		at := dec.InputOffset()
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = syntax.Offset - 1
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			at, err = int64(len(text)), errors.New("the file ends here")
		}
		return fmt.Errorf("%s: %w\nit should be a list of commands: %s", place(file, text, at), err, again)
	}
	open, err := dec.Token()
	if err != nil {
		return nil, fail(err)
	}
	if open != json.Delim('[') {
		return nil, fmt.Errorf("%s: this is not a list of commands: %s", place(file, text, 0), again)
	}
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, fail(err)
		}
		c := command{place: place(file, text, dec.InputOffset()-int64(len(raw)))}
		if err := json.Unmarshal(raw, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", c.place, err)
		}
		switch {
		case c.File == "":
			return nil, fmt.Errorf("%s: the command has no \"file\"", c.place)
		case c.Command == "" && len(c.Arguments) == 0:
			return nil, fmt.Errorf("%s: the command for %s has no \"command\" and no \"arguments\"", c.place, c.File)
		}
		commands = append(commands, c)
	}
	if _, err := dec.Token(); err != nil {
		return nil, fail(err)
	}
	if len(commands) == 0 {
		return nil, fmt.Errorf("%s: no commands: %s", file, again)
	}
	return commands, nil
}

// place returns file:line:column of an offset.
func place(file string, text []byte, at int64) string {
	before := text[:max(0, min(at, int64(len(text))))]
	return fmt.Sprintf("%s:%d:%d", file, 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n'))
}

// unit returns what a command says to the front end. Folders are relative to base.
func (c *command) unit(base string) (Unit, error) {
	args := c.Arguments
	if len(args) == 0 {
		var err error
		if args, err = shellWords(c.Command); err != nil {
			return Unit{}, fmt.Errorf("%s: the command for %s: %w", c.place, c.File, err)
		}
	}
	u := Unit{Dir: within(base, c.Directory)}
	u.File = within(u.Dir, c.File)
	u.Language = languageOf(c.File)
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") && !strings.HasPrefix(args[0], "@") { // the compiler, perhaps with ccache before it
		if program := strings.TrimRight(filepath.Base(args[0]), "-.0123456789"); strings.HasSuffix(program, "++") && u.Language == "c" {
			u.Language = "c++"
		}
		args = args[1:]
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if strings.HasPrefix(a, "@") {
			return Unit{}, fmt.Errorf("%s: the command for %s has a response file %s: let the build write all flags (cmake -DCMAKE_NINJA_FORCE_RESPONSE_FILE=OFF)", c.place, c.File, a)
		}
		value := ""
		if slices.Contains(twoWords, a) && i+1 < len(args) {
			i++
			value = args[i]
		}
		switch l, ok := strings.CutPrefix(a, "-x"); {
		case ok && l+value == "c", ok && l+value == "c++":
			u.Language = l + value
		case ok:
			u.Language = ""
		case !matters(a):
		case value != "" && (a == "-D" || a == "-U" || a == "-I"):
			u.Flags = append(u.Flags, a+value)
		case slices.Contains(twoWords, a):
			u.Flags = append(u.Flags, a, value)
		default:
			u.Flags = append(u.Flags, a)
		}
	}
	return u, nil
}

func within(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// twoWords are flags whose value may be the next argument.
var twoWords = strings.Fields(`-D -U -I -x -o -MF -MT -MQ -MJ -isystem -iquote -idirafter -include -imacros -iprefix -iwithprefix -isysroot --sysroot
	-target -arch -Xclang -Xlinker -Xassembler -Xpreprocessor --param -L -l -u -T -z -cxx-isystem -include-pch -aux-info -dumpbase`)

// frontEnd are flags that say what a program means, and flagPrefixes begin such flags. Others say how to make code, what to warn about and where to write.
var (
	frontEnd = strings.Fields(`-D -U -I -isystem -iquote -idirafter -include -imacros -iprefix -iwithprefix -isysroot --sysroot -target -arch -cxx-isystem
		-ansi -pthread -nostdinc -nostdinc++ -nostdlibinc -undef -trigraphs -fopenmp
		-fsigned-char -fno-signed-char -funsigned-char -fno-unsigned-char -fshort-enums -fno-short-enums -fshort-wchar -fno-short-wchar
		-fexceptions -fno-exceptions -frtti -fno-rtti -fms-extensions -fplan9-extensions -fblocks -fdeclspec -fgnu89-inline -fwrapv -fno-wrapv
		-ffreestanding -fhosted -fno-builtin -fno-threadsafe-statics -fno-operator-names -fchar8_t -fno-char8_t -fpermissive`)
	flagPrefixes = strings.Fields(`-D -U -I -isystem -iquote -idirafter -include -imacros -std= --std= -stdlib= --sysroot= -isysroot --target= -m -fno-builtin- -fpack-struct`)
)

// matters reports whether a flag says what a program means.
func matters(flag string) bool {
	if strings.HasPrefix(flag, "-mtune=") || flag == "-include-pch" {
		return false
	}
	return slices.Contains(frontEnd, flag) || slices.ContainsFunc(flagPrefixes, func(p string) bool { return strings.HasPrefix(flag, p) && len(flag) > len(p) })
}

// shellWords splits a command as a shell does, without expanding anything.
func shellWords(text string) (list []string, err error) {
	var word strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote == '\'' && c != '\'':
			word.WriteByte(c)
		case c == '\\' && i+1 < len(text) && (quote == 0 || strings.IndexByte("\"\\$`\n", text[i+1]) >= 0):
			i++
			in = true
			word.WriteByte(text[i])
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, in = c, true
		case quote == 0 && strings.IndexByte(" \t\r\n", c) >= 0:
			if in {
				list = append(list, word.String())
				word.Reset()
				in = false
			}
		default:
			in = true
			word.WriteByte(c)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a %c is not closed", quote)
	}
	if in {
		list = append(list, word.String())
	}
	return list, nil
}
