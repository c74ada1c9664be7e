package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
)

// serverProcess is a `minidb start` in a process of its own, on a free port.
type serverProcess struct {
	cmd   *exec.Cmd
	ready string // the line it printed
	addr  string
}

var readyAddr = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// startServerProcess starts program as a server and waits until it accepts
// connections.
func startServerProcess(program string, args []string) (*serverProcess, error) {
	var stderr strings.Builder
	s := &serverProcess{cmd: exec.Command(program, append([]string{"start", "--listen", "127.0.0.1:0"}, args...)...)}
	s.cmd.Stderr = &stderr
	detachSignals(s.cmd)
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		s.ready = strings.TrimSpace(line)
		s.addr = readyAddr.FindString(s.ready)
	}
	if s.addr == "" {
		err = errors.Join(err, s.kill())
		return nil, fmt.Errorf("the server did not start (%w)\n%s%s", err, line, stderr.String())
	}
	return s, nil
}

func (s *serverProcess) url() string {
	return "postgres://postgres@" + s.addr + "/postgres?sslmode=disable"
}

func (s *serverProcess) port() string {
	_, port, _ := net.SplitHostPort(s.addr)
	return port
}

// stop ends the server as an operator would.
func (s *serverProcess) stop() error {
	if s.cmd.ProcessState != nil {
		return nil
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.cmd.Wait()
}

// kill ends the server with SIGKILL and waits until it is gone.
func (s *serverProcess) kill() error {
	if err := s.cmd.Process.Kill(); err != nil {
		return err
	}
	_ = s.cmd.Wait() // says "signal: killed", as it should
	return nil
}

// detachSignals keeps a Ctrl-C at the terminal from reaching the command, so
// that its parent decides how it ends.
func detachSignals(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
