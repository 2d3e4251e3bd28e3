// hotlap-go: Go's net/http as it comes, to compare with. It answers /hello, /ping, /echo and
// /address as the lab's server does, logs nothing and knows no timeouts. Its threads follow the
// CPUs that it may use, unless --threads says otherwise. Bodies of a size that is asked for are cut
// from one string; a reply costs what net/http costs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	exitError        = 3
	maxBodyBytes     = 8 << 20
	maxEchoBytes     = 1 << 20
	defaultEchoBytes = 64
	maxHeadBytes     = 16 << 10
	drainTime        = 2 * time.Second
	allowRead        = "GET, HEAD"
	allowEcho        = "GET, HEAD, POST"
)

// Header values are shared between replies: setting one then allocates nothing.
var (
	plainText   = []string{"text/plain"}
	octetStream = []string{"application/octet-stream"}
	filler      = strings.Repeat("x", maxEchoBytes)
	known       = map[string]bool{"GET": true, "HEAD": true, "POST": true, "PUT": true,
		"DELETE": true, "CONNECT": true, "OPTIONS": true, "TRACE": true, "PATCH": true}
)

func text(w http.ResponseWriter, status int, body string) {
	header := w.Header()
	header["Content-Type"] = plainText
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	if status != http.StatusOK {
		w.WriteHeader(status)
	}
	io.WriteString(w, body)
}

func fail(w http.ResponseWriter, status int) { text(w, status, http.StatusText(status)) }

// The first size= of a query: 64 where there is none or it is 0.
func echoSize(query string) (int, bool) {
	for _, pair := range strings.Split(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name != "size" {
			continue
		}
		size, err := strconv.ParseUint(value, 10, 64)
		if err != nil || size > maxEchoBytes {
			return 0, false
		}
		if size > 0 {
			return int(size), true
		}
		break
	}
	return defaultEchoBytes, true
}

func echoBody(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			fail(w, http.StatusRequestEntityTooLarge)
		} else {
			fail(w, http.StatusBadRequest)
		}
		return
	}
	header := w.Header()
	header["Content-Type"] = octetStream
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.Write(body)
}

func read(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/hello":
		text(w, http.StatusOK, "Hello, World!")
	case "/ping":
		text(w, http.StatusOK, "pong")
	case "/address":
		local := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		text(w, http.StatusOK, "peer "+r.RemoteAddr+"\nlocal "+local.String()+"\n")
	case "/echo":
		size, ok := echoSize(r.URL.RawQuery)
		if !ok {
			text(w, http.StatusBadRequest, "size must be digits, at most 1048576")
			return
		}
		text(w, http.StatusOK, filler[:size])
	}
}

// The methods of a path; "" where there is no such route.
func allowed(path string) string {
	switch path {
	case "/hello", "/ping", "/address":
		return allowRead
	case "/echo":
		return allowEcho
	}
	return ""
}

func handle(w http.ResponseWriter, r *http.Request) {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	allow := allowed(r.URL.Path)
	switch {
	case reads && allow != "":
		read(w, r)
	case r.Method == http.MethodPost && allow == allowEcho:
		echoBody(w, r)
	case !known[r.Method]:
		fail(w, http.StatusNotImplemented)
	case allow == "" && r.Method != http.MethodConnect && r.Method != http.MethodTrace:
		fail(w, http.StatusNotFound)
	default:
		if allow == "" {
			allow = allowEcho
		}
		w.Header().Set("Allow", allow)
		fail(w, http.StatusMethodNotAllowed)
	}
}

// As the lab's own: a default of BBR is noisy on loopback.
func useCubic(_, _ string, raw syscall.RawConn) error {
	return raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptString(int(fd), syscall.IPPROTO_TCP, syscall.TCP_CONGESTION, "cubic")
	})
}

func run() error {
	flags := flag.NewFlagSet("hotlap-go", flag.ContinueOnError)
	address := flags.String("listen", "127.0.0.1:0", "`HOST:PORT` to listen on; port 0 lets the kernel pick")
	threads := flags.Int("threads", 0, "threads that run Go code, 1 to 256 (default: the CPUs allowed)")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), "hotlap-go: Go's net/http, to compare with\n\n")
		flags.PrintDefaults()
		fmt.Fprintln(flags.Output(),
			"The first line printed is 'listening on HOST:PORT'. SIGTERM stops it with exit 0.")
	}
	if err := flags.Parse(os.Args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		os.Exit(exitError) // it has said why
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument '%s'; see hotlap-go --help", flags.Arg(0))
	}
	if *threads < 0 || *threads > 256 {
		return fmt.Errorf("--threads wants 1 to 256, got '%d'", *threads)
	}
	if *threads > 0 {
		runtime.GOMAXPROCS(*threads)
	}

	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	config := net.ListenConfig{Control: useCubic}
	listener, err := config.Listen(stop, "tcp", *address)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; choose another port, or 0", *address, err)
	}
	server := http.Server{Handler: http.HandlerFunc(handle), MaxHeaderBytes: maxHeadBytes}
	fmt.Printf("listening on %s\n", listener.Addr())

	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err = <-ended:
		return err
	case <-stop.Done():
	}
	bound, release := context.WithTimeout(context.Background(), drainTime)
	defer release()
	if server.Shutdown(bound) != nil {
		server.Close()
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "hotlap-go: %v\n", err)
		os.Exit(exitError)
	}
}
