#!/usr/bin/env python3
"""A hub on the loopback interface, for tests/fetch.t, with the standard library alone.

    hub_server.py FOLDER

Serves FOLDER/OWNER/NAME/... as repositories the way the Hugging Face hub does. A
*.pth is a large file: its hash is a SHA-256 and a second port, the store, has
the bytes. Any other file is small. Prints the ports, "HUB STORE", as its first line.

FOLDER/behave, read anew for each request, is a JSON list of rules. A rule applies to
requests of a kind ("on": api, head, get or store), "times" times at most:
    {"status": 404, "headers": {...}}   answers so
    {"cut": N}          ends the connection behind N bytes of the body
    {"flip": true}      sends a wrong byte
    {"more": N}         sends N bytes more than there are, and says so
    {"whole": true}     ignores the Range
    {"silent": true}    takes the request and does not answer
    {"text": "..."}     answers that, as JSON or not
    {"state": {...}}    with these headers in the place of the right ones; null: without
FOLDER/log gets a line for each request: KIND PATH, and the Range and Authorization.
"""
import hashlib
import json
import pathlib
import ssl
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

root = pathlib.Path(sys.argv[1])
guard = threading.Lock()
used = {}
closing = threading.Event()


def rule_for(kind):
    """The first rule for this kind of request that is not used up."""
    try:
        text = (root / "behave").read_text()
    except FileNotFoundError:
        return {}
    with guard:
        counts = used.setdefault(text, {})
        for i, rule in enumerate(json.loads(text)):
            if rule["on"] == kind and counts.get(i, 0) < rule.get("times", 1000):
                counts[i] = counts.get(i, 0) + 1
                return rule
    return {}


def commit_of(repository):
    """A commit is told by the repository's name here, so that content can change under it."""
    return hashlib.sha1(repository.encode()).hexdigest()


class Hub(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store = False

    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self.handle_request()

    def do_GET(self):
        self.handle_request()

    def handle_request(self):
        # As a proxy, the request line has a full URL.
        url = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(url.path)
        kind = ("store" if self.store else "api" if path.startswith("/api/")
                else "head" if self.command == "HEAD" else "get")
        with guard, open(root / "log", "a") as log:
            log.write(" ".join(filter(None, (
                kind, path, url.netloc and "via-proxy",
                self.headers.get("Range"), self.headers.get("Authorization")))) + "\n")
        rule = rule_for(kind)
        if rule.get("silent"):
            closing.wait(20)
            self.close_connection = True
            return
        if "status" in rule:
            self.answer(rule["status"], b"<html>no</html>", rule.get("headers", {}))
        elif "text" in rule:
            self.answer(200, rule["text"].encode(), {})
        elif self.store:
            self.send_content(path, rule)
        elif kind == "api":
            self.list_files(path)
        else:
            self.resolve(path, rule)

    def answer(self, status, body, headers, cut=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body if cut is None else body[:cut])
            if cut is not None and cut < len(body):
                self.wfile.flush()
                self.close_connection = True

    def list_files(self, path):
        _, _, _, owner, name, _, revision = path.split("/", 6)
        repository = f"{owner}/{name}"
        folder = root / owner / name
        if not folder.is_dir():
            self.answer(401, b"{}", {"X-Error-Message": "Repository not found"})
            return
        files = sorted(str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file())
        body = {"id": repository, "sha": commit_of(repository),
                "siblings": [{"rfilename": f} for f in files]}
        self.answer(200, json.dumps(body).encode(), {"Content-Type": "application/json"})

    def resolve(self, path, rule):
        _, owner, name, _, commit, file = path.split("/", 5)
        content = root / owner / name / file
        if commit != commit_of(f"{owner}/{name}") or not content.is_file():
            self.answer(404, b"", {"X-Error-Message": "Entry not found"})
            return
        data = content.read_bytes()
        headers = {"X-Repo-Commit": commit}
        if file.endswith(".pth"):
            headers["X-Linked-Etag"] = '"%s"' % hashlib.sha256(data).hexdigest()
            headers["X-Linked-Size"] = str(len(data))
            headers["Location"] = f"{scheme}://127.0.0.1:{ports[1]}/store{path}?signed=yes"
            headers.update(rule.get("state", {}))
            self.answer(302, b"Found", headers)
            return
        git = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
        headers["ETag"] = 'W/"%s"' % git
        headers.update(rule.get("state", {}))
        self.send_piece(data, headers, rule)

    def send_content(self, path, rule):
        _, _, owner, name, _, _, file = path.split("/", 6)
        self.send_piece((root / owner / name / file).read_bytes(), {}, rule)

    def send_piece(self, data, headers, rule):
        if rule.get("flip"):
            data = data[:7] + bytes([data[7] ^ 1]) + data[8:]
        data += b"x" * rule.get("more", 0)
        begin = self.headers.get("Range")
        if not begin or rule.get("whole"):
            self.answer(200, data, headers, rule.get("cut"))
            return
        begin = int(begin[len("bytes="):-1])
        if begin >= len(data):
            self.answer(416, b"", {"Content-Range": f"bytes */{len(data)}"})
            return
        shown = begin + rule.get("shift", 0)
        headers["Content-Range"] = f"bytes {shown}-{len(data) - 1}/{len(data)}"
        self.answer(206, data[begin:], headers, rule.get("cut"))


class Store(Hub):
    store = True


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a client that goes away is part of the tests


servers = [Server(("127.0.0.1", 0), handler) for handler in (Hub, Store)]
ports = [server.server_address[1] for server in servers]
scheme = "http"
if len(sys.argv) > 2:  # a file with certificate and key
    scheme = "https"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2])
    for server in servers:
        server.socket = context.wrap_socket(server.socket, server_side=True)
for server in servers:
    threading.Thread(target=server.serve_forever, daemon=True).start()
print(*ports, flush=True)
sys.stdin.read()  # until the test goes away
closing.set()
