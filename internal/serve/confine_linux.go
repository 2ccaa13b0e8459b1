package serve

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"ravel/internal/play"
)

// endWithParent makes a process end when the server does.
func endWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// canConfine reports whether the kernel has Landlock, which keeps processes from files.
func canConfine() bool { return landlockVersion() > 0 }

func landlockVersion() int {
	v, _, errno := syscall.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// confine starts this program again in place of this process, which then may use no more than this, and neither may what it starts: processor time, sizes of files, and
// by Landlock the files that it reads and writes. It returns only if that is not possible. It starts again since Landlock confines a thread and its children only.
func confine(l play.Limits) error {
	runtime.LockOSThread()
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	seconds := uint64(l.Timeout.Seconds()+grace.Seconds()) * 8 // of all cores
	for _, r := range []struct {
		what  int
		limit uint64
	}{{unix.RLIMIT_CPU, seconds}, {unix.RLIMIT_FSIZE, 512 << 20}, {unix.RLIMIT_CORE, 0}, {unix.RLIMIT_AS, uint64(2*l.Memory + 6<<30)}, {unix.RLIMIT_DATA, uint64(2*l.Memory + 1<<30)}} {
		if err := unix.Setrlimit(r.what, &unix.Rlimit{Cur: r.limit, Max: r.limit}); err != nil {
			return fmt.Errorf("limits: %w", err)
		}
	}
	if err := landlock(append(readable(), exe), writable()); err != nil {
		return err
	}
	return syscall.Exec(exe, os.Args, append(os.Environ(), confined+"=1"))
}

// readable lists what compilers need: programs, libraries and headers of the system, the toolchain of Rust, and the JDK.
func readable() []string {
	list := []string{"/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/ld.so.cache", "/nix/store", "/dev/null", "/dev/zero", "/dev/urandom"}
	for _, tool := range []string{"clang", "rustc", "javac"} {
		if p, err := exec.LookPath(tool); err == nil {
			list = append(list, filepath.Dir(p))
			if p, err = filepath.EvalSymlinks(p); err == nil {
				list = append(list, filepath.Dir(p), filepath.Join(filepath.Dir(filepath.Dir(p)), "lib"))
			}
		}
	}
	if conf, err := filepath.Glob("/etc/java-*-openjdk"); err == nil { // Debian has files of the JDK there
		list = append(list, conf...)
	}
	if home, err := os.UserHomeDir(); err == nil {
		list = append(list, filepath.Join(home, ".rustup"), filepath.Join(home, ".cargo", "bin"))
	}
	for _, name := range []string{"RUSTUP_HOME", "JAVA_HOME"} {
		if dir := os.Getenv(name); dir != "" {
			list = append(list, dir)
		}
	}
	if dir, err := os.UserCacheDir(); err == nil {
		list = append(list, filepath.Join(dir, "ravel")) // the standard library of Rust, which warm makes
	}
	return list
}

// writable lists the folder of the run.
func writable() []string { return []string{os.TempDir(), "/dev/null"} }

const (
	readRights  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writeRights = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG
	allRights = readRights | writeRights | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	fileRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE
)

// landlock keeps this thread, and all that it starts, from other files, and where the kernel can, from the network.
func landlock(read, write []string) error {
	version := landlockVersion()
	if version == 0 {
		return fmt.Errorf("the kernel has no Landlock")
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: allRights}
	size := unsafe.Sizeof(attr.Handled_access_fs)
	if version >= 2 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 4 {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size += unsafe.Sizeof(attr.Handled_access_net)
	}
	fd, _, errno := syscall.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	defer unix.Close(int(fd))
	for _, p := range read {
		if err := allow(int(fd), p, readRights); err != nil {
			return err
		}
	}
	for _, p := range write {
		if err := allow(int(fd), p, (readRights|writeRights|unix.LANDLOCK_ACCESS_FS_REFER|unix.LANDLOCK_ACCESS_FS_TRUNCATE)&attr.Handled_access_fs); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	if _, _, errno := syscall.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	return nil
}

// allow adds a file or folder, if it is there.
func allow(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	if _, _, errno := syscall.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %s: %w", path, errno)
	}
	return nil
}
