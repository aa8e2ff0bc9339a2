#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the catalogue of the documentation site.

  docs.py catalogue GRAPHS LINKS OUTPUT   writes the catalogue to the folder OUTPUT

The catalogue has three sources: the catalogues of the modules, whose pages list every symbol that is not a member of
another; the symbol graphs, of which a page for each type is made that lists its members in groups; and the guides in
docs, in the order of docs/README.md. LINKS is what `docc convert --emit-digest` wrote about the symbols: it has the
paths that are unique.
"""

import json
import re
import shutil
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CATALOGUES = [ROOT / "Sources" / module / f"{module}.docc" for module in ("CoreData", "CoreDataTestSupport")]
DOCS = ROOT / "docs"
OURS = "Not in Apple's framework"

# Titles of groups of members by their kind, in this order, for files without `// MARK:`.
KINDS = {
    "swift.init": "Initializers", "swift.enum.case": "Cases", "swift.type.property": "Type properties",
    "swift.property": "Properties", "swift.subscript": "Subscripts", "swift.method": "Methods",
    "swift.type.method": "Type methods", "swift.func.op": "Operators", "swift.struct": "Types", "swift.class": "Types",
    "swift.enum": "Types", "swift.typealias": "Types", "swift.associatedtype": "Types",
}
FOR_GENERATED_CODE, ONLY_HERE = "For generated code", "Only in this library"


# Members of types

class Members:
    def __init__(self, graphs, links):
        self.symbols, self.graphs = {}, graphs
        for path in sorted(Path(graphs).glob("*.symbols.json")):
            for symbol in json.loads(path.read_text())["symbols"]:
                self.symbols[symbol["identifier"]["precise"]] = symbol
        # The path of a symbol's page, which has a suffix if several symbols have the same name.
        self.pages = {}
        for entry in json.loads(Path(links).read_text()):
            if entry.get("usr"):
                self.pages[entry["usr"]] = entry["referenceURL"].split("/documentation/", 1)[1]
        self.marks = {}

    def top(self):
        """The paths of the symbols that are not members of another, by name."""
        return {s["pathComponents"][0]: self.pages.get(i, s["pathComponents"][0]) for i, s in self.symbols.items()
                if len(s["pathComponents"]) == 1 and s["kind"]["identifier"] != "swift.extension"}

    def group(self, symbol):
        """The title of the group of a member, from its name, its comment or its place in the sources."""
        if symbol["pathComponents"][-1].startswith("_"):
            return FOR_GENERATED_CODE
        comment = "\n".join(line["text"] for line in symbol.get("docComment", {}).get("lines", []))
        if OURS in comment:
            return ONLY_HERE
        kind = KINDS.get(symbol["kind"]["identifier"], "Other")
        if "location" not in symbol or kind == "Cases":
            return kind
        path = ROOT / "Sources" / symbol["location"]["uri"].split("/Sources/", 1)[1]
        line = symbol["location"]["position"]["line"]
        mark = next((title for start, title in reversed(self.marks_of(path)) if start <= line), None)
        if mark:
            return mark
        declared, _, aspect = path.stem.partition("+")
        if aspect.endswith(("Message", "Messages")):
            return "Messages"
        if aspect and declared == symbol["pathComponents"][-2]:
            return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", aspect).capitalize()
        return kind

    def marks_of(self, path):
        if path not in self.marks:
            self.marks[path] = [
                (number, line.split("// MARK:")[1].strip())
                for number, line in enumerate(path.read_text().splitlines()) if "// MARK:" in line]
        return self.marks[path]

    def pages_of_types(self):
        """The text of an extension page for each type with members, by the path of the type."""
        groups = defaultdict(lambda: defaultdict(list))
        for precise, symbol in self.symbols.items():
            parents = symbol["pathComponents"][:-1]
            if parents and precise in self.pages:
                parent = self.pages[precise].rsplit("/", 1)[0]
                groups[parent][self.group(symbol)].append(precise)
        for parent, titles in groups.items():
            text = f"# ``{parent}``\n\n## Topics\n"
            # First the groups of the file that declares the type.
            home = parent.rsplit("/", 1)[-1] + ".swift"
            order = sorted(titles, key=lambda t: (
                t == FOR_GENERATED_CODE, t == ONLY_HERE,
                min((not self.place(m)[0].endswith("/" + home), *self.place(m)) for m in titles[t])))
            for title in order:
                members = sorted(titles[title], key=self.place)
                text += f"\n### {title}\n\n" + "".join(f"- ``{self.pages[m]}``\n" for m in members)
            yield parent, text

    def place(self, precise):
        location = self.symbols[precise].get("location")
        return (location["uri"], location["position"]["line"]) if location else ("", 0)


def check(members):
    """Compares the pages of the catalogue with the symbols; returns the number of differences."""
    listed = defaultdict(list)
    for page in sorted(page for catalogue in CATALOGUES for page in catalogue.glob("*.md")):
        for name in re.findall(r"^- ``(?!CoreData/)(.+)``$", page.read_text(), re.M):
            listed[name].append(page.name)
    top, wrong = members.top(), 0
    for name in sorted(top.keys() - listed.keys()):
        print(f"error: no page of Sources/*/*.docc lists {name}; add it to a topic", file=sys.stderr)
        wrong += 1
    for name, pages in sorted(listed.items()):
        if name not in top:
            print(f"error: {pages[0]} lists {name}, which is not a public symbol", file=sys.stderr)
            wrong += 1
        elif len(pages) > 1:
            print(f"error: {name} is listed twice, in {' and '.join(pages)}", file=sys.stderr)
            wrong += 1
    return wrong


# Guides

class Guides:
    """The pages of docs as articles; a page of a folder has the folder's name as a prefix."""

    def __init__(self, symbols):
        self.symbols = symbols
        self.index = (DOCS / "README.md").read_text()
        self.order = re.findall(r"^- \[[^\]]+\]\(([^)#]+\.md)\)", self.index, re.M)
        self.names = {}
        for path in self.order:
            self.add((DOCS / path).resolve())
            if path.endswith("/README.md"):
                for page in sorted((DOCS / path).parent.glob("*.md")):
                    self.add(page)
        self.wrong = 0

    def add(self, path):
        relative = path.relative_to(DOCS) if path.is_relative_to(DOCS) else Path(path.name.lower())
        name = str(relative.with_suffix("")).replace("/README", "").replace("/", "-")
        # `tutorials` is the root of DocC's own tutorials.
        self.names.setdefault(path, "tutorial-pages" if name == "tutorials" else name)

    def topics(self):
        """The groups of docs/README.md as topics of the landing page."""
        text = ""
        for line in self.index.splitlines():
            if line.startswith("## "):
                text += f"\n### {line[3:]}\n\n"
            found = re.match(r"^- \[[^\]]+\]\(([^)#]+\.md)\)", line)
            if found:
                text += f"- <doc:{self.names[(DOCS / found[1]).resolve()]}>\n"
        return text.strip() + "\n"

    def write(self, output):
        for path, name in self.names.items():
            (output / f"{name}.md").write_text(self.article(path))

    def article(self, path):
        lines, code = [], False
        # Comments have code that only the tests of the guides need.
        for line in re.sub(r"^<!--\n.*?^-->\n", "", path.read_text(), flags=re.S | re.M).splitlines():
            if line.startswith("```"):
                code = not code
                line = line.split(" ")[0]
            elif not code:
                if line.startswith("#"):
                    line = line.replace("`", "")  # DocC shows the marks of code in headings
                else:
                    line = re.sub(r"(?<![`\[\w])`(\w+)`(?![`\]\w])", self.symbol, line)
                line = re.sub(r'<a id="[^"]*"></a>', "", line)
                line = re.sub(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)", lambda m: self.relink(path, m), line)
                if re.search(r"\]\([^)\s]+\.md[)#]", re.sub(r"`[^`]*`", "", line)):
                    print(f"error: {path.relative_to(ROOT)}: a link begins in the line before {line}", file=sys.stderr)
                    self.wrong += 1
            lines.append(line)
        # DocC 6.3 crashes on a quotation that has a colon after its first line.
        text = re.sub(
            r"^> .*(?:\n> .*)*", lambda m: "*" + m[0].replace("\n> ", " ")[2:] + "*", "\n".join(lines), flags=re.M) + "\n"
        children = [n for p, n in self.names.items() if path.name == "README.md" and p.parent == path.parent and p != path]
        if children and path.parent != DOCS:
            text += "\n## Topics\n\n### Pages\n\n" + "".join(f"- <doc:{child}>\n" for child in children)
        return text

    def symbol(self, match):
        """The name of a symbol in code as a link to its page."""
        return f"``{self.symbols[match[1]]}``" if match[1] in self.symbols else match[0]

    def relink(self, path, match):
        image, text, target = match.groups()
        if re.match(r"[a-z]+:", target):
            return match[0]
        file, _, anchor = target.partition("#")
        place = (path.parent / file).resolve() if file else path
        if image:
            return f"![{text}]({place.name})"
        if not place.exists():
            print(f"error: {path.relative_to(ROOT)}: there is no {target}", file=sys.stderr)
            self.wrong += 1
            return text
        if place not in self.names:
            # The site has no page for sources; the text names the place.
            shown = str(place.relative_to(ROOT))
            return text if text.strip("`") == shown else f"{text} (`{shown}`)"
        known, heading = self.heading(place, anchor) if anchor else (True, None)
        if not known:
            print(f"error: {path.relative_to(ROOT)}: {place.name} has no heading #{anchor}", file=sys.stderr)
            self.wrong += 1
        return f"[{text}](doc:{self.names[place]}{'#' + heading if heading else ''})"

    def heading(self, path, anchor):
        """Whether a page has an anchor, and what DocC calls the heading that has it; nil for an anchor in a text."""
        known, mine = False, False
        for line in path.read_text().splitlines():
            if f'<a id="{anchor}"></a>' in line:
                known = mine = True
            title = re.match(r"#{2,6} (.*)$", line)
            if title:
                plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title[1]).replace("`", "")
                if mine or re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-") == anchor:
                    return True, re.sub(r"-+", "-", re.sub(r"[^\w\-.~:,()'’“”$·…/]", "-", plain.strip())).strip("-")
            elif line.strip() and not line.startswith("<a id"):
                mine = False
        return known, None


def catalogue(graphs, links, output):
    output = Path(output)
    shutil.rmtree(output, ignore_errors=True)
    for catalogue in CATALOGUES:
        shutil.copytree(catalogue, output, dirs_exist_ok=True)
    members = Members(graphs, links)
    guides = Guides(members.top())
    wrong = check(members)
    for parent, text in members.pages_of_types():
        (output / f"members-{re.sub(r'[^A-Za-z0-9]+', '-', parent)}.md").write_text(text)
    guides.write(output)
    for image in DOCS.rglob("*.svg"):
        shutil.copy(image, output)
    landing = output / "CoreData.md"
    landing.write_text(landing.read_text().replace("## Topics\n", f"## Topics\n\n{guides.topics()}", 1))
    if wrong + guides.wrong:
        sys.exit(1)


if __name__ == "__main__":
    if sys.argv[1:2] == ["catalogue"] and len(sys.argv) == 5:
        catalogue(*sys.argv[2:])
    else:
        sys.exit(__doc__)
