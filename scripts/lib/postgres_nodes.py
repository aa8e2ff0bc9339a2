#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Private PostgreSQL servers on 127.0.0.1: a primary and standby servers, of which one must confirm each commit.

scripts/lib/postgres_nodes.py [--nodes N] command [argument…]

runs the command with COREDATA_POSTGRES_URL (the primary), COREDATA_POSTGRES_NODES_URL (all servers) and
COREDATA_POSTGRES_STANDBY_URL (the first standby server), and stops the servers afterwards.
"""

import glob
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

USER, PASSWORD, DATABASE = "coredata", "only-for-tests", "postgres"


def programs():
    """The folder of initdb and the other programs of a server."""
    named = os.environ.get("COREDATA_POSTGRES_PROGRAMS")
    found = [named] if named else sorted(
        glob.glob("/usr/lib/postgresql/*/bin") + glob.glob("/usr/local/opt/postgresql*/bin")
        + glob.glob("/opt/homebrew/opt/postgresql*/bin"))
    if not found and shutil.which("initdb"):
        found = [os.path.dirname(shutil.which("initdb"))]
    if not found:
        sys.exit("error: the programs of a PostgreSQL server were not found; install the package postgresql, or set "
                 "COREDATA_POSTGRES_PROGRAMS to the folder of initdb")
    return found[-1]


def owner():
    """The start of a command that runs as a user that a server accepts: the server refuses to run as root."""
    if os.getuid() != 0:
        return [], None
    import pwd
    try:
        user = pwd.getpwnam("postgres")
    except KeyError:
        user = pwd.getpwnam("nobody")
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"], user


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Failure(Exception):
    pass


class Node:
    """One server with its folder."""

    def __init__(self, nodes, name):
        self.nodes, self.name, self.port = nodes, name, free_port()
        self.data = os.path.join(nodes.folder, name)
        self.process = None

    @property
    def conninfo(self):
        return f"host=127.0.0.1 port={self.port} user={USER} password={PASSWORD}"

    def sql(self, text, seconds=30):
        result = subprocess.run(
            ["psql", "-XAtq", f"{self.conninfo} dbname={DATABASE} connect_timeout=5", "-c", text],
            capture_output=True, text=True, timeout=seconds)
        if result.returncode:
            raise Failure(f"{self.name}: {result.stderr.strip()}")
        return result.stdout.strip()

    def start(self, seconds=60):
        """Starts the server, and waits until it answers."""
        with open(os.path.join(self.nodes.folder, f"{self.name}.log"), "a") as log:
            self.process = subprocess.Popen(
                [*self.nodes.owner, os.path.join(self.nodes.programs, "postgres"), "-D", self.data, "-p",
                 str(self.port), "-c", f"cluster_name={self.name}"],
                stdout=log, stderr=log, cwd=self.nodes.folder)
        self.wait(lambda: self.sql("SELECT 1") == "1", seconds, "does not answer")

    def wait(self, holds, seconds, what):
        end = time.monotonic() + seconds
        while True:
            try:
                if holds():
                    return
                reason = what
            except Failure as failure:
                reason = str(failure)
            if self.process.poll() is not None:
                raise Failure(f"{self.name} has ended; see its log in {self.nodes.folder}")
            if time.monotonic() > end:
                raise Failure(f"{self.name} {what}: {reason}")
            time.sleep(0.05)

    def kill(self):
        """Kills the server's processes at once, with SIGKILL."""
        children = []
        for path in glob.glob("/proc/[0-9]*/stat"):
            try:
                with open(path) as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == self.process.pid:
                children.append(int(path.split("/")[2]))
        for pid in [self.process.pid, *children]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        end = time.monotonic() + 10
        while any(os.path.exists(f"/proc/{pid}/cwd") for pid in children) and time.monotonic() < end:
            time.sleep(0.01)

    def follow(self, primary):
        """Makes the server one that follows another; a running one reads its configuration again."""
        path = os.path.join(self.data, "postgresql.auto.conf")
        with open(path, "w") as file:
            file.write(f"primary_conninfo = '{primary.conninfo}'\n")
        signal_file = os.path.join(self.data, "standby.signal")
        open(signal_file, "w").close()
        if self.nodes.user:
            for each in (path, signal_file):
                os.chown(each, self.nodes.user.pw_uid, self.nodes.user.pw_gid)
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGHUP)

    def copy(self, primary):
        """Makes the folder a fresh copy of another server's."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.nodes.run("pg_basebackup", "-D", self.data, "-d", primary.conninfo, "-X", "stream", "-c", "fast",
                       "--no-sync")
        self.follow(primary)

    def received(self):
        """The position in the log up to which a standby server has everything."""
        return int(self.sql(
            "SELECT greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'::pg_lsn"))


class Nodes:
    """A primary and its standby servers."""

    CONFIGURATION = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 100
shared_buffers = 32MB
wal_log_hints = on
wal_keep_size = 256MB
max_wal_size = 256MB
hot_standby = on
wal_retrieve_retry_interval = 100ms
log_min_messages = fatal
synchronous_standby_names = 'ANY 1 ({names})'
# The processes are killed, not the machine: what they have written is there afterwards.
fsync = off
"""

    def __init__(self, count=3):
        self.programs = programs()
        self.owner, self.user = owner()
        self.folder = tempfile.mkdtemp(prefix="coredata-nodes.")
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self.nodes = [Node(self, f"n{number + 1}") for number in range(count)]
        self.primary = self.nodes[0]

    @property
    def url(self):
        """The URL of all servers, in a form that Foundation accepts."""
        hosts = ",".join("127.0.0.1" for _ in self.nodes)
        ports = ",".join(str(node.port) for node in self.nodes)
        return f"postgresql://{USER}:{PASSWORD}@/{DATABASE}?host={hosts}&port={ports}"

    def url_of(self, node):
        return f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{node.port}/{DATABASE}"

    @property
    def standbys(self):
        return [node for node in self.nodes if node is not self.primary]

    def run(self, program, *arguments):
        result = subprocess.run([*self.owner, os.path.join(self.programs, program), *arguments],
                                cwd=self.folder, capture_output=True, text=True)
        if result.returncode:
            raise Failure(f"{program}: {result.stderr.strip() or result.stdout.strip()}")

    def start(self):
        password = os.path.join(self.folder, "password")
        with open(password, "w") as file:
            file.write(PASSWORD + "\n")
        os.chmod(password, 0o644)
        self.run("initdb", "-D", self.primary.data, "-U", USER, "-A", "scram-sha-256", f"--pwfile={password}",
                 "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        with open(os.path.join(self.primary.data, "postgresql.conf"), "a") as file:
            names = ", ".join(node.name for node in self.nodes)
            file.write(self.CONFIGURATION.format(names=names))
        self.primary.start()
        for node in self.standbys:
            node.copy(self.primary)
            node.start()
        self.wait_for_standbys(len(self.standbys))

    def wait_for_standbys(self, count, seconds=60):
        self.primary.wait(
            lambda: int(self.primary.sql(
                "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")) >= count,
            seconds, f"has fewer than {count} standby servers")

    def fail_over(self):
        """Kills the primary, promotes the standby server that has the most, and returns the server that was killed."""
        old = self.primary
        running = [node for node in self.standbys if node.process and node.process.poll() is None]
        old.kill()
        self.primary = max(running, key=Node.received)
        self.primary.sql("SELECT pg_promote(true, 60)", 90)
        for node in running:
            if node is not self.primary:
                node.follow(self.primary)
        return old

    def rejoin(self, node, fresh=False):
        """Makes a server that was killed a standby server again; returns how."""
        how = "copied"
        if not fresh:
            try:
                # pg_rewind compares timelines by the last checkpoint.
                self.primary.sql("CHECKPOINT", 60)
                self.run("pg_rewind", f"--target-pgdata={node.data}",
                         f"--source-server={self.primary.conninfo} dbname={DATABASE}", "--no-sync")
                node.follow(self.primary)
                node.start()
                how = "rewound"
            except Failure as failure:
                print(f"  {node.name} is copied, because: {failure}", flush=True)
                if node.process.poll() is None:
                    node.kill()
                fresh = True
        if fresh:
            node.copy(self.primary)
            node.start()
        return how

    def stop(self):
        for node in self.nodes:
            if node.process and node.process.poll() is None:
                node.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    arguments = sys.argv[1:]
    count = 2
    if arguments[:1] == ["--nodes"]:
        count = int(arguments[1])
        arguments = arguments[2:]
    if not arguments:
        sys.exit("usage: scripts/lib/postgres_nodes.py [--nodes N] command [argument…]")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(143))
    nodes = Nodes(count)
    try:
        start = time.monotonic()
        nodes.start()
        print(f"{count} servers started in {time.monotonic() - start:.1f} s", flush=True)
        environment = dict(
            os.environ, COREDATA_POSTGRES_URL=nodes.url_of(nodes.primary), COREDATA_POSTGRES_NODES_URL=nodes.url,
            COREDATA_POSTGRES_STANDBY_URL=nodes.url_of(nodes.standbys[0]))
        sys.exit(subprocess.run(arguments, env=environment).returncode)
    finally:
        nodes.stop()


if __name__ == "__main__":
    main()
