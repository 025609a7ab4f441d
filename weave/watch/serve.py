"""Serves the folder that OUT stands in on 127.0.0.1, and tells the open page of each build.

    serve.py OUT PORT URL

The page, OUT/book.html, is served with weave/watch/live.js at its end; the file itself
never has it. live.js asks for /live, which is sent to it again after each build, until it
or the parent process is gone. Writes the page's address into the file URL; PORT 0
is any free port.
"""

import functools
import http.server
import json
import os
import pathlib
import sys
import threading
import time

TICK = 0.1  # seconds between two looks at what the build left
ALIVE = 5  # seconds between two signs of life to a page


class Handler(http.server.SimpleHTTPRequestHandler):
    out = pathlib.Path()
    timeout = 60  # seconds without a word from the other side

    def parse_request(self):
        """Whoever asks under another name is a foreign page that had its name led here."""
        if not super().parse_request():
            return False
        hosts = self.headers.get_all("Host", [""])
        if {host.split(":")[0] for host in hosts} <= {"127.0.0.1", "localhost"}:
            return True
        self.send_error(403)
        return False

    def translate_path(self, path):
        """The file that is meant, or "", which is none: links do not lead out of the folder."""
        try:
            file = pathlib.Path(super().translate_path(path)).resolve()
            inside = file.is_relative_to(self.out.parent.resolve())
        except (OSError, RuntimeError, ValueError):  # no name, or links in a circle
            return ""
        return super().translate_path(path) if inside else ""

    def do_GET(self):
        if self.path == "/":
            self.send_response(302)
            self.send_header("Location", f"/{self.out.name}/book.html")
            self.end_headers()
        elif self.path == "/live":
            self.send_builds()
        elif self.path.split("?")[0] == f"/{self.out.name}/book.html":
            self.send_page()
        else:
            super().do_GET()

    def end_headers(self):
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_):
        pass

    def read(self, name):
        try:
            return (self.out / name).read_text(errors="replace")
        except OSError:
            return ""

    def state(self):
        """What the page shows of the last build; `page` is new when the page is."""
        try:
            page = (self.out / "book.html").stat().st_mtime_ns
        except OSError:
            page = 0
        return json.dumps({"page": str(page), "problems": self.read(".watch/problems"),
                           "changes": json.loads(self.read(".watch/changes") or "[]")})

    def send_page(self):
        state = self.state().replace("<", "\\u003c")
        page = self.read("book.html") or "<!DOCTYPE html>\n<title>The page</title>\n" \
            "<p>There is no page yet; it comes here when it is built.</p>\n</body>"
        script = pathlib.Path(__file__).with_name("live.js").read_text()
        head, body, tail = page.rpartition("</body>")
        text = f"{head}<script>\nconst built = {state};\n{script}</script>\n{body}{tail}".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def send_builds(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        last, quiet = None, 0
        try:
            while True:
                now = self.read(".watch/now")
                if now != last:
                    self.wfile.write(f"data: {self.state()}\n\n".encode())
                elif quiet > ALIVE:
                    self.wfile.write(b":\n\n")
                quiet = quiet + TICK if now == last and quiet <= ALIVE else 0
                last = now
                time.sleep(TICK)
        except OSError:
            self.close_connection = True


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        if not isinstance(sys.exc_info()[1], OSError):  # the other side went away
            super().handle_error(*_)


def end_with(parent):
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


def main(out, port, url):
    Handler.out = pathlib.Path(out).absolute()
    handler = functools.partial(Handler, directory=str(Handler.out.parent))
    try:
        server = Server(("127.0.0.1", int(port)), handler)
    except (OSError, ValueError, OverflowError) as why:
        sys.exit(f"make watch: port {port}: {why}; choose another: make watch PORT=8001")
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    pathlib.Path(url).write_text(f"http://127.0.0.1:{server.server_port}/")
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
