#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets calls of the system fail in programs: the command `coredata`, and examples that are built.

    failing_programs.py RECORDER BIN-FOLDER [STRIDE [EXAMPLES-FOLDER]]

Each program is run once for every STRIDE-th call that it makes on the files of its folder, and for each of three
fates: the call fails, it and all later calls fail, a write is short. The program must end with an exit code of its own,
with a text on standard error if the code is not 0. Without the failure the same program must then succeed, and the
store must contain what it contains without any failure.
"""
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

MODEL = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
    <entity name="Item" representedClassName="Item" syncable="YES">
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="number" attributeType="Integer 64" defaultValueString="0" usesScalarValueType="YES"/>
        <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>{more}
        <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag"
          inverseName="items" inverseEntity="Tag"/>
        <uniquenessConstraints>
            <uniquenessConstraint><constraint value="name"/></uniquenessConstraint>
        </uniquenessConstraints>
    </entity>
    <entity name="Tag" representedClassName="Tag" syncable="YES">
        <attribute name="label" optional="YES" attributeType="String"/>
        <relationship name="items" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Item"
          inverseName="tags" inverseEntity="Item"/>
        <uniquenessConstraints>
            <uniquenessConstraint><constraint value="label"/></uniquenessConstraint>
        </uniquenessConstraints>
    </entity>
</model>
"""
NOTE = '\n        <attribute name="note" attributeType="String" defaultValueString="new"/>'
FATES = ["fails", "fails for good", "is short"]
FAR = 1 << 40


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def prepare(folder):
    """Writes two versions of a model and two files of records."""
    for name, version, more in [("Old", 1, ""), ("New", 2, NOTE)]:
        write(f"{folder}/{name}.xcdatamodeld/V{version}.xcdatamodel/contents", MODEL.format(more=more))
    photo = "QUJD" * 40_000  # 120,000 bytes, which are stored in a file
    for name, numbers in [("first", range(20)), ("second", range(10, 40))]:
        lines = []
        for number in numbers:
            value = f',"photo":"{photo}"' if number % 10 == 5 else ""
            lines.append(f'{{"$entity":"Item","name":"i{number}","number":{number}{value}}}')
        lines += [f'{{"$entity":"Tag","label":"{name}","items":["i{numbers[0]}"]}}']
        write(f"{folder}/{name}.ndjson", "\n".join(lines) + "\n")


def damage(folder):
    database = sqlite3.connect(f"{folder}/Shop.sqlite")
    database.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 0")
    database.commit()
    database.close()
    values = f"{folder}/.Shop_SUPPORT/_EXTERNAL_DATA"
    write(f"{values}/8C1B6A3E-3D0B-4B52-A1A3-0D8E5DA1B001", "unused")


def content(path):
    """Returns the values of all rows, without keys, and the names of the files that no row refers to."""
    if not os.path.exists(path):
        return None
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    rows = []
    for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        if not table.startswith("Z") or table in ("Z_METADATA", "Z_MODELCACHE"):
            continue
        found = database.execute(f"SELECT * FROM {table}")
        names = [column[0] for column in found.description]
        kept = [i for i, name in enumerate(names) if name not in ("Z_PK", "Z_OPT", "ZPHOTO", "Z_MAX")]
        for row in found.fetchall():
            photo = row[names.index("ZPHOTO")] if "ZPHOTO" in names else None
            has_file = photo is not None and len(photo) == 38
            if has_file:
                file = f"{os.path.dirname(path)}/.Shop_SUPPORT/_EXTERNAL_DATA/{photo[1:37].decode()}"
                has_file = os.path.getsize(file)
            values = [row[i] for i in kept] if not table.startswith("Z_") or table == "Z_PRIMARYKEY" else []
            rows.append(repr((table, values, has_file)))
    database.close()
    return sorted(rows)


class Case:
    def __init__(self, name, arguments, *before, text=None, program="coredata", code=0, adds=False):
        self.name, self.arguments, self.before, self.text = name, arguments, before, text
        self.program, self.code = program, code
        # Whether the program adds rows each time, so that the content after a repetition is not that of one run.
        self.adds = adds


def cases():
    first = ["import", "Shop.sqlite", "first.ndjson", "--model", "Old.xcdatamodeld", "--quiet"]
    return [
        Case("coredata import, new store", first),
        Case("coredata import", ["import", "Shop.sqlite", "second.ndjson", "--quiet"], first),
        Case(
            "coredata seed",
            ["seed", "Shop.sqlite", "first.ndjson", "--model", "Old.xcdatamodeld", "--force", "--quiet"],
        ),
        Case("coredata migrate", ["migrate", "Shop.sqlite", "New.xcdatamodeld", "--quiet"], first),
        Case("coredata doctor --repair", ["doctor", "Shop.sqlite", "--repair", "--quiet"], first, damage),
        Case("coredata export", ["export", "Shop.sqlite"], first),
        Case("coredata fetch", ["fetch", "Shop.sqlite", "Item", "--sort", "name"], first),
        Case("coredata inspect", ["inspect", "Shop.sqlite"], first),
        Case("Products", [], program="Products"),
        Case("HitList", [], program="HitList", text="add Ada\nadd Bob\nmove 1 2\ndelete 1\n", adds=True),
    ]


class Runner:
    def __init__(self, recorder, folders):
        self.recorder, self.folders = recorder, folders

    def find(self, program):
        for folder in self.folders:
            path = os.path.join(folder, program)
            if os.access(path, os.X_OK):
                return path
        return None

    def run(self, case, arguments, folder, number=None, fate=0):
        environment = dict(os.environ, STORE=f"{folder}/Shop.sqlite", TMPDIR=f"{folder}/tmp")
        environment["SWIFT_BACKTRACE"] = "enable=no"
        report = f"{folder}.left"
        if number is not None:
            environment.update(
                LD_PRELOAD=self.recorder, COREDATA_FAIL_FOLDER=folder, COREDATA_FAIL_NUMBER=str(number),
                COREDATA_FAIL_FATE=str(fate), COREDATA_FAIL_REPORT=report,
            )
        full = [
            f"{folder}/{a}" if "." in a and not a.startswith("-") else a for a in arguments
        ]
        done = subprocess.run(
            [self.find(case.program)] + full, env=environment, input=case.text, text=True,
            capture_output=True, timeout=120,
        )
        left = FAR
        if number is not None and os.path.exists(report):
            with open(report) as file:
                left = int(file.read())
        return done.returncode, done.stderr.strip(), left

    def template(self, case, folder):
        os.makedirs(f"{folder}/tmp")
        prepare(folder)
        for step in case.before:
            if callable(step):
                step(folder)
            else:
                code, text, _ = self.run(Case("", [], program="coredata"), step, folder)
                assert code == 0, (step, code, text)

    def judge(self, case, stride, root):
        """Returns the number of failed calls, those that led to an error, and what was wrong."""
        template, place = f"{root}/template", f"{root}/place"
        shutil.rmtree(template, ignore_errors=True)
        self.template(case, template)
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(template, place)
        code, text, left = self.run(case, case.arguments, place, FAR)
        count = FAR - left
        expected = content(f"{place}/Shop.sqlite")
        if code != case.code:
            return 0, 0, [f"{case.name}: without a failure: exit code {code}: {text}"]
        calls, errors, wrong = 0, 0, []
        for fate in range(3):
            for number in range(fate % stride, count, stride):
                shutil.rmtree(place)
                shutil.copytree(template, place)
                calls += 1
                name = f"{case.name}, call {number} of {count} {FATES[fate]}"
                code, text, _ = self.run(case, case.arguments, place, number, fate)
                # A fault whose row cannot be read stops a program, as in Apple's framework.
                is_stopped = code < 0 and "CoreData could not fulfill a fault" in text
                if not is_stopped and (code < 0 or code > 64 or (code != 0 and not text)):
                    wrong.append(f"{name}: exit code {code}: {text[-300:]}")
                    continue
                if code != case.code:
                    errors += 1
                    again, text, _ = self.run(case, case.arguments, place)
                    if again != case.code:
                        wrong.append(f"{name}: the work does not go on: exit code {again}: {text[-300:]}")
                        continue
                    if case.adds:
                        continue
                try:
                    found = content(f"{place}/Shop.sqlite")
                except (sqlite3.Error, OSError) as error:
                    found = [str(error)]
                if found != expected:
                    difference = set(found or []) ^ set(expected or [])
                    wrong.append(f"{name}: exit code {code}, then another content: {sorted(difference)[:3]}")
        return calls, errors, wrong


def main():
    recorder, folder = sys.argv[1], sys.argv[2]
    stride = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    runner = Runner(recorder, [folder] + sys.argv[4:5])
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    total, failures = 0, 0
    with tempfile.TemporaryDirectory(dir=parent) as root:
        for case in cases():
            if not runner.find(case.program):
                print(f"{case.name}: skipped, because {case.program} is not built")
                continue
            calls, errors, wrong = runner.judge(case, stride, root)
            print(f"{case.name}: {calls} failed calls, of which {errors} were errors; failures: {len(wrong)}", flush=True)
            for line in wrong[:5]:
                print(f"FAILED: {line}")
            total, failures = total + calls, failures + len(wrong)
    print(f"{total} failed calls in programs; failures: {failures}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
