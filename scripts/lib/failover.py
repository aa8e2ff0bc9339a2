#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills the primary of three PostgreSQL servers under four writers, and checks what the writers have saved.

failover.py PROGRAM kills [KILLS]   kills the primary
failover.py PROGRAM cuts [CUTS]     cuts the connections to one server instead

PROGRAM is DatabaseWriter. After each kill the standby server with the most is promoted, and the killed server is
rewound or copied, and follows. SEED, WRITERS and STANDBY_READS change the run.
"""

import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import cutting_proxy
import postgres_nodes


def records(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def check(done, content):
    """The faults of a content after the records of all writers."""
    faults = []
    unknown = [record for record in done if record["outcome"] == "unknown"]
    saved = [record for record in done if record["outcome"] == "saved"]

    def compare(what, found, sure, possible):
        """`possible` are the changes of which it is not known whether they are saved."""
        low = sure + sum(change for change in possible if change < 0)
        high = sure + sum(change for change in possible if change > 0)
        if not low <= found <= high:
            expected = str(sure) if low == high else f"{low} to {high}"
            faults.append(f"{what} is {found} instead of {expected}")

    def changes(records, key, amount):
        sums = collections.defaultdict(list)
        for record in records:
            if key in record:
                sums[record[key]].append(amount(record))
        return sums

    sure, possible = (changes(some, "counter", lambda _: 1) for some in (saved, unknown))
    for name, value in content["counters"].items():
        compare(f"counter {name}", value, len(sure[name]), possible[name])
    moves = []
    for some in (saved, unknown):
        amounts = changes(some, "to", lambda record: record["amount"])
        for name, values in changes(some, "from", lambda record: -record["amount"]).items():
            amounts[name] += values
        moves.append(amounts)
    for name, amount in content["accounts"].items():
        compare(f"account {name}", amount, 1000 + sum(moves[0][name]), moves[1][name])
    if sum(content["accounts"].values()) != 1000 * len(content["accounts"]):
        faults.append(f"the accounts have {sum(content['accounts'].values())} in all")
    for name, entries in content["lists"].items():
        own = [record for record in done if record.get("list") == name]
        must = {record["id"] for record in own if record["outcome"] == "saved"}
        may = {record["id"] for record in own if record["outcome"] == "unknown"}
        for entry, count in collections.Counter(entries).items():
            if count > 1:
                faults.append(f"list {name} has {entry} {count} times")
        if must - set(entries):
            faults.append(f"list {name} lacks {len(must - set(entries))} saved entries")
        if set(entries) - must - may:
            faults.append(f"list {name} has {len(set(entries) - must - may)} entries that were not saved")
        # Each writer waits for one save before the next, so its entries have their order.
        last = {}
        for entry in entries:
            writer, turn = entry.rsplit("-", 1)
            if last.get(writer, 0) > int(turn):
                faults.append(f"list {name} has {entry} after {writer}-{last[writer]}")
            last[writer] = int(turn)
        # An entry that was saved before another one began comes before it.
        times = {record["id"]: record for record in own}
        latest = 0
        for entry in entries:
            if entry in times:
                if times[entry]["end"] < latest:
                    faults.append(f"list {name} has {entry} after an entry that began later")
                latest = max(latest, times[entry]["begin"])
    if content["entries"] != sum(len(entries) for entries in content["lists"].values()):
        faults.append("there are entries without a list")
    return faults


class Run:
    """Writers in processes of their own, and what they have done."""

    def __init__(self, program, url):
        self.program, self.url = program, url
        self.folder = tempfile.mkdtemp(prefix="coredata-failover.")
        self.stop_file = os.path.join(self.folder, "stop")
        count = int(os.environ.get("WRITERS", "4"))
        self.paths = [os.path.join(self.folder, f"w{number}") for number in range(count)]
        self.writers = [
            subprocess.Popen([program, "write", url, os.path.basename(path), path, self.stop_file])
            for path in self.paths]
        # A program that starts does not wait for a server that is away.
        while not all(os.path.exists(path) and os.path.getsize(path) for path in self.paths):
            self.require_running()
            time.sleep(0.1)
        self.start = time.monotonic()

    def require_running(self):
        if any(writer.poll() is not None for writer in self.writers):
            sys.exit(f"a writer has ended; its records are in {self.folder}")

    def report(self, what):
        """Stops the writers and prints what they have done; returns whether there is no fault."""
        open(self.stop_file, "w").close()
        if any(writer.wait(timeout=180) for writer in self.writers):
            sys.exit(f"a writer has failed; the records are in {self.folder}")
        seconds = time.monotonic() - self.start
        done = [record for path in self.paths for record in records(path)]
        content = json.loads(subprocess.run(
            [self.program, "content", self.url], check=True, capture_output=True).stdout)
        faults = check(done, content)
        outcomes = collections.Counter(record["outcome"] for record in done)
        longest = max((record["end"] - record["begin"]) / 1e9 for record in done)
        print(f"{what}, {len(done)} saves of {len(self.paths)} writers in {seconds:.0f} s: "
              + ", ".join(f"{count} {name}" for name, count in sorted(outcomes.items()))
              + f"; the longest save took {longest:.2f} s")
        if faults:
            with open(os.path.join(self.folder, "content"), "w") as file:
                json.dump(content, file)
            print("\n".join(faults) + f"\nThe records are in {self.folder}")
        else:
            print("Nothing is lost, nothing is there twice, and every list is right")
            shutil.rmtree(self.folder)
        return not faults

    def end(self):
        for writer in self.writers:
            if writer.poll() is None:
                writer.kill()


def kill_primaries(program, kills, chance):
    nodes, run = postgres_nodes.Nodes(3), None
    try:
        nodes.start()
        subprocess.run([program, "prepare", nodes.url], check=True)
        run = Run(program, nodes.url)
        away, kinds = [], collections.Counter()
        for kill in range(1, kills + 1):
            time.sleep(chance.uniform(0.2, 1.5))
            begin = time.monotonic()
            old = nodes.fail_over()
            away.append(time.monotonic() - begin)
            # With one standby server, all commits wait for this one.
            time.sleep(chance.choice([0, 0, 1]))
            kinds[nodes.rejoin(old, fresh=kill % 10 == 0)] += 1
            nodes.wait_for_standbys(2)
            run.require_running()
            if kill % 10 == 0:
                print(f"{kill} kills after {time.monotonic() - run.start:.0f} s", flush=True)
        print("killed servers: " + ", ".join(f"{count} {how}" for how, count in sorted(kinds.items()))
              + f"; without a primary for {max(away):.2f} s at most")
        return run.report(f"{kills} kills of the primary")
    finally:
        if run:
            run.end()
        nodes.stop()


def cut_connections(program, cuts, chance):
    nodes, run = postgres_nodes.Nodes(1), None
    try:
        nodes.start()
        proxy = cutting_proxy.Proxy(nodes.primary.port)
        nodes.primary.sql("ALTER SYSTEM SET synchronous_standby_names = ''")
        nodes.primary.sql("SELECT pg_reload_conf()")
        subprocess.run([program, "prepare", nodes.url], check=True)
        run = Run(program, nodes.url.replace(str(nodes.primary.port), str(proxy.port)))
        connections = 0
        for _ in range(cuts):
            time.sleep(chance.uniform(0.02, 0.2))
            connections += proxy.cut()
            run.require_running()
        return run.report(f"{connections} connections cut in {cuts} moments")
    finally:
        if run:
            run.end()
        nodes.stop()


def main():
    program, what = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    chance = random.Random(int(os.environ.get("SEED", "0")) or None)
    if what == "kills":
        sys.exit(not kill_primaries(program, count or 100, chance))
    sys.exit(not cut_connections(program, count or 1_000, chance))


if __name__ == "__main__":
    main()
