# SPDX-License-Identifier: Apache-2.0
"""Starts the World Cup program and talks to its API."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

PROGRAM = os.environ.get("WORLDCUP", "")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """The program with a store; a second one with the same store and port is a restart."""

    def __init__(self, store, port=None, teams=None):
        self.store, self.port = store, port or free_port()
        environment = dict(os.environ, PORT=str(self.port), STORE=store)
        if teams:
            environment["TEAMS"] = str(teams)
        self.process = subprocess.Popen([PROGRAM], env=environment, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        if self.url != f"http://127.0.0.1:{self.port}":
            raise AssertionError(f"the program printed {self.url!r} instead of its address")

    def call(self, method, path, body=None, seconds=10):
        """Status and JSON value of an answer."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.url}/{path}", data, {"content-type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=seconds) as answer:
                return answer.status, json.loads(answer.read() or "null")
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read() or "null")

    def sections(self):
        """What the server's list shows: [(zone, [(name, wins)])]."""
        state = self.call("GET", "state")[1]
        return [(section["name"], [(row["name"], row["wins"]) for row in section["rows"]])
                for section in state["sections"]]

    def rows(self):
        return [row for section in self.call("GET", "state")[1]["sections"] for row in section["rows"]]

    def memory(self):
        """Megabytes of memory that the program has now."""
        with open(f"/proc/{self.process.pid}/statm") as numbers:
            return int(numbers.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(timeout=10)
        self.process.stdout.close()


def terminal(store, commands):
    """What `--terminal` prints when these lines are typed."""
    return subprocess.run(
        [PROGRAM, "--terminal"], env=dict(os.environ, STORE=store), text=True, timeout=30,
        input="\n".join(commands) + "\n", stdout=subprocess.PIPE, check=True).stdout


def win(store, name):
    """What another program does: a win for a team, saved to the store."""
    subprocess.run(
        [PROGRAM, "--win", name], env=dict(os.environ, STORE=store), timeout=30, check=True)


def wait_for(holds, seconds=10):
    """Until something is so that comes by itself."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise AssertionError("it did not come")
        time.sleep(0.02)
