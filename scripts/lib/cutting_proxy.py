# SPDX-License-Identifier: Apache-2.0
"""A TCP proxy on 127.0.0.1 that cuts its connections."""

import socket
import threading


class Proxy:
    def __init__(self, port):
        self.target, self.pairs, self.lock = port, set(), threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            with self.lock:
                self.pairs.add((client, server))
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self.forward, args=(source, sink, (client, server)), daemon=True).start()

    def forward(self, source, sink, pair):
        try:
            while data := source.recv(1 << 16):
                sink.sendall(data)
        except OSError:
            pass
        self.end(pair)

    def end(self, pair):
        with self.lock:
            self.pairs.discard(pair)
        for each in pair:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        """Cuts all connections, and returns how many there were."""
        with self.lock:
            pairs = list(self.pairs)
        for pair in pairs:
            self.end(pair)
        return len(pairs)
