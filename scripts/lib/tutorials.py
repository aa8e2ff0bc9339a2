#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the programs of docs/tutorials and docs/getting-started.md as one package, runs them, and compares their output
with the pages. The package has a target of tests, too, with the code of the guides in docs (guides.py).

  tutorials.py write           writes .build/tutorials/package, and prints its path
  tutorials.py run [page…]     runs the built programs; a page is named by the beginning of its file name

A page is the only source of its programs. What follows the language of a code block says what the block is:

  ```swift Package.swift       the manifest; its targets become targets of the common package
  ```swift Sources/A/B.swift   a file; a second block with the path of a file replaces the file
  ```swift                     more lines of the file of the block before
  ```text output               what the code so far prints after the last such block
  ```console                   commands after `$ `, each with its output
  ```swift example             (or another language) is not a part of the program

If a file changes after the program was run, the page has a new state of its program, which is built as a target of its
own. All states of a page run in one folder, so a later state finds the stores of an earlier one. In outputs, `…` stands
for any text within a line, and a line `…` for any lines.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import guides

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "docs" / "getting-started.md", *sorted((ROOT / "docs" / "tutorials").glob("[0-9][0-9]-*.md"))]
WORK = ROOT / ".build" / "tutorials"
PACKAGE = WORK / "package"

# The dependencies that a page may have, as its manifest writes them, and as the common package does.
DEPENDENCIES = {
    '.package(path: "../swift-coredata"),':
        '.package(name: "swift-coredata", path: "../../.."),',
    '.package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),': None,
}
FENCE = re.compile(r"^```(\S*) *(.*)$")


class Problem(Exception):
    pass


class State:
    """The files of a page between two changes, and what is run with them."""

    def __init__(self, page, number, files):
        self.page, self.number, self.files = page, number, dict(files)
        self.output = []
        self.ran = False

    def name(self, target):
        """The name of a target in the common package, with a number if the page has changed what it is made of."""
        versions = []
        for state in [*self.page.states, self]:
            if target in state.targets() and state.signature(target) not in versions:
                versions.append(state.signature(target))
        number = versions.index(self.signature(target)) + 1
        return target if number == 1 else f"{target}_{number}"

    def signature(self, target):
        """The files of a target, and those of the page's libraries, which it may use."""
        kinds = self.kinds()
        return {p: text for p, text in self.files.items() if "/" in p
                and (p.split("/")[1] == target or kinds.get(p.split("/")[1]) == "target")}

    def targets(self):
        return list(dict.fromkeys(p.split("/")[1] for p in self.files if "/" in p and p.endswith(".swift")))

    def kinds(self):
        """The kind of each target, such as `executableTarget`."""
        return {name: kind for kind, name in re.findall(r'\.(\w*[tT]arget)\(\n      name: "(\w+)"', self.manifest())}

    def programs(self):
        return [t for t in self.targets() if self.kinds().get(t) == "executableTarget"]

    def manifest(self):
        if "Package.swift" not in self.files:
            raise Problem(f"{self.page.path}: the page has no block Package.swift")
        return self.files["Package.swift"]

    def declarations(self):
        """The declarations of the targets that have files, with their names in the common package."""
        for text in re.findall(r"^    \.\w*[tT]arget\(\n(?:      .*\n)*?    \),?\n", self.manifest(), re.M):
            name = re.search(r'name: "(\w+)"', text)[1]
            if name not in self.targets():
                continue
            for target in self.targets():
                text = text.replace(f'"{target}"', f'"{self.name(target)}"')
            yield self.name(name), text.rstrip().rstrip(",") + ",\n"

    def check_dependencies(self):
        found = re.search(r"^  dependencies: \[\n(.*?)^  \]", self.manifest(), re.S | re.M)
        for line in found[1].splitlines() if found else []:
            if line.strip() not in DEPENDENCIES:
                raise Problem(f"{self.page.path}: the common package has no dependency {line.strip()}")

    def write(self):
        for path, text in self.files.items():
            if path == "Package.swift":
                continue
            folder, target, rest = path.split("/", 2)
            if target not in self.targets():
                continue
            for other in self.targets():
                if other != target and self.name(other) != other:
                    text = re.sub(rf"\bimport {other}$", f"import {self.name(other)}", text, flags=re.M)
            yield PACKAGE / folder / self.name(target) / rest, text


class Page:
    def __init__(self, path):
        self.path = path.relative_to(ROOT)
        self.folder = WORK / "run" / path.stem
        self.states = []
        self.steps = []  # ("output", state) or ("console", state, line number, text)
        self.read(path.read_text())

    def read(self, text):
        state, last, lines = State(self, 1, {}), None, text.splitlines()
        number = 0
        while number < len(lines):
            fence = FENCE.match(lines[number])
            number += 1
            if not fence:
                continue
            start = number
            while lines[number] != "```":
                number += 1
                if number == len(lines):
                    raise Problem(f"{self.path}:{start}: the code block has no end")
            body = "".join(line + "\n" for line in lines[start:number])
            number += 1
            language, what = fence.groups()
            if what == "example" or (language, what) == ("text", ""):
                continue
            if language == "console":
                self.finish(state)
                missing = state.kinds().keys() - state.targets() if "$ swift" in body else None
                if missing:
                    raise Problem(f"{self.path}:{start}: SwiftPM refuses the target {missing.pop()}, which has no file yet")
                self.steps.append(("console", state, start, body))
                state.ran = True
            elif what == "output":
                state.output.append(body)
            elif what or language == "swift":
                path = what or last
                if not path:
                    raise Problem(f"{self.path}:{start}: no file is named before this block")
                if what in state.files or state.ran:
                    self.finish(state)
                    if state.ran:
                        state = State(self, state.number + 1, state.files)
                state.files[path] = body if what else state.files[path] + "\n" + body
                last = path
            else:
                raise Problem(f"{self.path}:{start}: write `example` or a path after ```{language}")
        self.finish(state)

    def finish(self, state):
        """Adds the run of the program whose output the page shows in parts."""
        if state not in self.states:
            self.states.append(state)
        if state.output and not state.ran:
            self.steps.append(("output", state))
            state.ran = True

    def run(self, products):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        with Shell(self.folder, products) as shell:
            for step in self.steps:
                shell.use(step[1])
                if step[0] == "output":
                    program = step[1].programs()[-1]
                    compare(f"{self.path}: {program}", "".join(step[1].output), shell.run(f"swift run {program}"))
                else:
                    self.run_commands(step[2], step[3], shell)

    def run_commands(self, number, text, shell):
        for part in re.split(r"^(?=\$ )", text, flags=re.M):
            if not part:
                continue
            lines = part.splitlines(keepends=True)
            command = lines.pop(0)[2:]
            while command.endswith("\\\n"):
                command += lines.pop(0)
            compare(f"{self.path}:{number + 1}: {command.strip()}", "".join(lines), shell.run(command.strip()))
            number += part.count("\n")


class Shell:
    """One bash for a page, in which `swift run` runs the program that was built already."""

    PRELUDE = """
    swift() {
      case $1 in
        run) shift; local program=$1; shift; "bin/$program" "$@" ;;
        build) ;;
        test) shift; command swift test "${tests[@]}" "$@" ;;
        *) echo "a tutorial cannot run swift $1"; return 64 ;;
      esac
    }
    """

    def __init__(self, folder, products):
        self.folder, self.products = folder, products

    def __enter__(self):
        environment = dict(os.environ, XDG_DATA_HOME=str(self.folder / "data"), TZ="UTC", NSUnbufferedIO="YES")
        environment["PATH"] = f"{self.products}:{environment['PATH']}"
        self.bash = subprocess.Popen(
            ["bash"], cwd=self.folder, env=environment, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        self.run(self.PRELUDE)
        return self

    def __exit__(self, *_):
        # The bash has a process group of its own, to which also the programs belong that it left running.
        os.killpg(self.bash.pid, signal.SIGTERM)
        self.bash.stdin.close()
        self.bash.wait()
        self.bash.stdout.close()

    def use(self, state):
        """Writes the files of a state, and lays its programs into `bin` with their resources, as a deployment does."""
        for path, text in state.files.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        shutil.rmtree(self.folder / "bin", ignore_errors=True)
        (self.folder / "bin").mkdir()
        for target in state.targets():
            built = self.products / state.name(target)
            if built.is_file():
                os.link(built, self.folder / "bin" / target)
            resources = self.products / f"tutorials_{state.name(target)}.resources"
            if resources.is_dir():
                (self.folder / "bin" / resources.name).symlink_to(resources)
        names = "|".join(state.name(t) for t in state.targets())
        self.run(f"tests=(--package-path {PACKAGE} --scratch-path {ROOT}/.build --skip-build --no-parallel "
                 f"--filter '^({names})\\.')")

    def run(self, command):
        end = "— end of the command —"
        self.bash.stdin.write(f"{command}\nprintf '%s\\n' '{end}'\n")
        self.bash.stdin.flush()
        output = ""
        for line in self.bash.stdout:
            if line.endswith(end + "\n"):
                return output + line[: -len(end) - 1]
            output += line
        raise Problem(f"bash ended while it ran {command}:\n{output}")


# The places whose output is not that of the page.
differences = []


def compare(title, expected, actual):
    pattern = re.escape(expected.strip("\n"))
    pattern = re.sub(r"(?m)^…$", "(?s:.*)", pattern).replace("…", ".*")
    if not re.fullmatch(pattern, "\n".join(line.rstrip() for line in actual.strip("\n").split("\n"))):
        differences.append(title)
        print(f"error: {title}\n--- the page\n{expected.rstrip()}\n--- the program\n{actual.rstrip()}", file=sys.stderr)


def pages(names):
    found = [p for p in PAGES if not names or any(p.name.startswith(n) for n in names)]
    if not found:
        raise Problem(f"no tutorial begins with {', '.join(names)}")
    return [Page(path) for path in found]


def write():
    """Writes the files that have changed, so that a build compiles only these, and removes others."""
    files, targets = {}, {}
    for page in pages([]):
        others = set(targets)
        for state in page.states:
            state.check_dependencies()
            targets.update(state.declarations())
            files.update(state.write())
        for name in others & {s.name(t) for s in page.states for t in s.targets()}:
            raise Problem(f"{page.path}: another page has a target with the name {name}")
    targets["Guides"] = guides.DECLARATION
    files.update({PACKAGE / "Tests" / "Guides" / path: text for path, text in guides.files().items()})
    dependencies = "".join(f"    {mine or theirs}\n" for theirs, mine in DEPENDENCIES.items())
    files[PACKAGE / "Package.swift"] = (
        "// swift-tools-version: 6.1\nimport PackageDescription\n\nlet package = Package(\n"
        '  name: "tutorials",\n  platforms: [.macOS(.v14)],\n'
        f"  dependencies: [\n{dependencies}  ],\n  targets: [\n{''.join(targets.values())}  ]\n)\n")
    for path in sorted(PACKAGE.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path not in files and path.name != "Package.resolved":
            path.unlink()
    for path, text in files.items():
        if not path.is_file() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def run_guides():
    """Runs the code of the guides."""
    print("the guides in docs", flush=True)
    environment = dict(os.environ, XDG_DATA_HOME=str(WORK / "run" / "guides"), TZ="UTC")
    command = ["swift", "test", "--package-path", PACKAGE, "--scratch-path", ROOT / ".build", "--skip-build",
               "--filter", r"^Guides\."]
    done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        differences.append("the guides")
        print(done.stdout, file=sys.stderr)


def main():
    try:
        if sys.argv[1:2] == ["write"]:
            write()
            print(PACKAGE)
        elif sys.argv[1:2] == ["run"]:
            for page in pages(sys.argv[2:]):
                print(page.path, flush=True)
                page.run(ROOT / ".build" / "debug")
            if not sys.argv[2:]:
                run_guides()
            if differences:
                sys.exit(f"error: {len(differences)} outputs differ from the pages")
        else:
            sys.exit(__doc__)
    except Problem as problem:
        sys.exit(f"error: {problem}")


main()
