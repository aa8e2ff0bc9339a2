#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the histories of writers that append to lists in a database.

histories.py run PROGRAM [SECONDS [PROCESSES [MISTAKE]]]   writes with DatabaseWriter and checks; needs
                                                           COREDATA_POSTGRES_URL
histories.py planted PROGRAM                               plants each mistake, which the check must find
histories.py check FOLDER                                  checks records again

An element is appended once, and each list is read as a whole, so the lists that were read tell which transaction
came after which. Found are: lost updates, dirty and intermediate reads, reads of one request or query generation
that do not see one moment, and cycles. A cycle contradicts the order of the commits, of which each transaction
knows: the one whose list it appended to (or read), the one that appended next to a list that it changed, checked
or only read, and those that ended before it began.
"""

import collections
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

MISTAKES = ["overwrite", "dirty", "halves", "moments", "stale", "unpinned"]


def elements(text):
    return [part for part in text.split(",") if part]


class Faults:
    """Faults by kind, with examples."""

    def __init__(self):
        self.counts, self.examples = collections.Counter(), {}

    def add(self, kind, example):
        self.counts[kind] += 1
        self.examples.setdefault(kind, example)

    def report(self):
        return [f"{count} × {kind}: {self.examples[kind]}" for kind, count in sorted(self.counts.items())]


def check(transactions, final):
    """The faults of the transactions, after which the lists have the elements in `final`."""
    faults = Faults()
    writer, place = {}, {}
    for index, transaction in enumerate(transactions):
        for number, own in transaction.get("appended", {}).items():
            for element in own:
                writer[element] = index
    for number, content in final.items():
        for position, element in enumerate(content):
            if element in place:
                faults.add("element twice", f"{element} in list {number}")
            place[element] = position
            if element not in writer:
                faults.add("element of no transaction", f"{element} in list {number}")
            elif transactions[writer[element]]["outcome"] == "refused":
                faults.add("element of a refused transaction", f"{element} in list {number}")
    # Lost updates: what was saved is there, directly after what the transaction had read.
    for transaction in transactions:
        for number, own in transaction.get("appended", {}).items():
            if transaction["outcome"] != "saved":
                continue
            read = elements(transaction["requests"][0].get(number, ""))
            if final.get(number, [])[:len(read) + len(own)] != read + own:
                faults.add("lost update", f"{transaction['id']} appended {own} to list {number}, which had "
                           f"{len(read)} elements")
    seen = []  # For each transaction: its requests, as the lengths of the lists.
    for transaction in transactions:
        lengths = []
        for request in transaction["requests"]:
            lengths.append({})
            for number, text in request.items():
                read = elements(text)
                content = final.get(number, [])
                lengths[-1][number] = len(read)
                for element in read:
                    if element not in place:
                        state = transactions[writer[element]]["outcome"] if element in writer else "no"
                        faults.add("dirty read", f"{transaction['id']} read {element} of a transaction that is "
                                   f"{state}, in list {number}")
                if content[:len(read)] != read:
                    faults.add("read of a list that never was", f"{transaction['id']}, list {number}")
                elif read and len(read) < len(content) and writer.get(read[-1]) == writer.get(content[len(read)]):
                    faults.add("intermediate read", f"{transaction['id']} read half of what "
                               f"{transactions[writer[read[-1]]]['id']} appended to list {number}")
        seen.append(lengths)
        if transaction.get("generation") and lengths[0] != lengths[1]:
            faults.add("non-repeatable read", f"{transaction['id']}: {lengths[0]}, then {lengths[1]}")
    # A transaction that appends to two lists is seen in both or in neither by one request.
    for index, transaction in enumerate(transactions):
        for request in seen[index]:
            for number, length in request.items():
                if not length or length > len(final.get(number, [])):
                    continue
                other = writer.get(final[number][length - 1])
                for second, own in transactions[other]["appended"].items() if other is not None else []:
                    if second in request and place.get(own[0], -1) >= request[second]:
                        faults.add("request that sees two moments", f"{transaction['id']} saw "
                                   f"{transactions[other]['id']} in list {number} and not in list {second}")
    for cycle in cycles(transactions, final, writer, seen):
        names = [transactions[index]["id"] for index in cycle]
        faults.add("cycle", " → ".join(names[:6]))
    return faults


def cycles(transactions, final, writer, seen):
    """The strongly connected components of the order in which the transactions must have been."""
    count = len(transactions)
    stands = [transaction["outcome"] == "saved" for transaction in transactions]
    for content in final.values():
        for element in content:
            if element in writer:
                stands[writer[element]] = True
    # The nodes from `count` on are moments: a transaction that ended before one comes before those that began later.
    edges = [[] for _ in range(2 * count)]
    times = sorted([(transactions[index]["begin"], 1, index) for index in range(count) if stands[index]]
                   + [(transactions[index]["end"], 0, index) for index in range(count) if stands[index]])
    moment = None
    for _, is_begin, index in times:
        if is_begin:
            if moment is not None:
                edges[moment].append(index)
        else:
            new = count + index
            edges[index].append(new)
            if moment is not None:
                edges[moment].append(new)
            moment = new
    writers = {}
    for number, content in final.items():
        own = [writer.get(element) for element in content]
        writers[number] = own
        for first, second in zip(own, own[1:]):
            if first != second and first is not None and second is not None:
                edges[first].append(second)
    for index, transaction in enumerate(transactions):
        if not stands[index]:
            continue
        appended = transaction.get("appended", {})
        # What a save only read may have changed before its commit; a request without a save is one moment.
        fixed = set(appended) | set(transaction.get("checked", [])) if appended else None
        for request in seen[index]:
            for number, length in request.items():
                own = writers.get(number, [])
                if 0 < length <= len(own) and own[length - 1] not in (None, index):
                    edges[own[length - 1]].append(index)
                if fixed is None or number in fixed:
                    later = next((other for other in own[length:] if other != index), None)
                    if later is not None:
                        edges[index].append(later)
    return components(edges)


def components(edges):
    """The strongly connected components of more than one node, by Tarjan's algorithm, without recursion."""
    order, low, on_stack = [0] * len(edges), [0] * len(edges), [False] * len(edges)
    stack, found, last = [], [], 0
    for root in range(len(edges)):
        if order[root]:
            continue
        work = [(root, iter(edges[root]))]
        last += 1
        order[root] = low[root] = last
        stack.append(root)
        on_stack[root] = True
        while work:
            node, rest = work[-1]
            for next_node in rest:
                if not order[next_node]:
                    last += 1
                    order[next_node] = low[next_node] = last
                    stack.append(next_node)
                    on_stack[next_node] = True
                    work.append((next_node, iter(edges[next_node])))
                    break
                if on_stack[next_node]:
                    low[node] = min(low[node], order[next_node])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    component = []
                    while True:
                        other = stack.pop()
                        on_stack[other] = False
                        component.append(other)
                        if other == node:
                            break
                    if len(component) > 1:
                        found.append([each for each in component if each < len(edges) // 2])
    return found


def read(folder):
    transactions = []
    for path in sorted(glob.glob(os.path.join(folder, "h*"))):
        with open(path) as file:
            transactions += [json.loads(line) for line in file]
    with open(os.path.join(folder, "content")) as file:
        registers = json.load(file)["registers"]
    return transactions, {number: elements(text) for number, text in registers.items()}


def run(program, seconds, processes, mistake="none"):
    """Runs writers, and returns the faults, the transactions and their folder."""
    folder = tempfile.mkdtemp(prefix="coredata-histories.")
    base = os.environ["COREDATA_POSTGRES_URL"]
    url = base + ("&" if "?" in base else "?") + f"schema=h_{mistake}_{os.getpid()}"
    subprocess.run([program, "prepare", url], check=True)
    # One of the writers makes the mistake.
    writers = [
        subprocess.Popen([program, "history", url, f"h{number}", os.path.join(folder, f"h{number}"), str(seconds),
                          mistake if number == 0 else "none"])
        for number in range(processes)]
    if any(writer.wait() for writer in writers):
        sys.exit(f"a writer has failed; the records are in {folder}")
    with open(os.path.join(folder, "content"), "wb") as file:
        subprocess.run([program, "content", url], check=True, stdout=file)
    transactions, final = read(folder)
    return check(transactions, final), transactions, folder


def main():
    command, argument = sys.argv[1:3]
    if command == "check":
        faults = check(*read(argument))
        print("\n".join(faults.report()) or "No faults")
        sys.exit(1 if faults.counts else 0)
    if command == "planted":
        missed = 0
        for mistake in MISTAKES:
            faults, transactions, _ = run(argument, float(os.environ.get("SECONDS_EACH", "10")), 4, mistake)
            print(f"{mistake}, in {len(transactions)} transactions:", flush=True)
            print("\n".join("  " + line for line in faults.report()) or "  NOT FOUND", flush=True)
            missed += not faults.counts
        sys.exit(1 if missed else 0)
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 60
    processes = int(sys.argv[4]) if len(sys.argv) > 4 else 8
    faults, transactions, folder = run(argument, seconds, processes, *sys.argv[5:6])
    outcomes = collections.Counter(transaction["outcome"] for transaction in transactions)
    kinds = collections.Counter(
        "generation" if each.get("generation") else "save" if "appended" in each else "request"
        for each in transactions)
    print(f"{len(transactions)} transactions of {processes} processes in {seconds:.0f} s: "
          + ", ".join(f"{count} {name}" for name, count in sorted(outcomes.items())) + "; "
          + ", ".join(f"{count} × {name}" for name, count in sorted(kinds.items())))
    print("\n".join(faults.report()) + f"\nThe records are in {folder}" if faults.counts else "No faults")
    if not faults.counts:
        shutil.rmtree(folder)
    sys.exit(1 if faults.counts else 0)


if __name__ == "__main__":
    main()
