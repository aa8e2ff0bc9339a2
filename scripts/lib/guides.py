# SPDX-License-Identifier: Apache-2.0
"""The code blocks of the guides in docs as tests of one target, `Guides`, in the package of the tutorials.

A guide shows fragments, not programs. What follows the language of a code block says what becomes of it:

  ```swift                  statements of the page's test, after those of the block before
  ```swift new              the first statements of another test of the page
  ```swift compiled         statements that are compiled and not run
  ```swift file             declarations outside of the tests
  ```xml NAME.xcdatamodeld/… a file of a model
  ```swift example          (or another language) is not compiled

A block between the lines `<!--` and `-->` has what a reader does not need, such as the store of the example and
expectations. All tests run on the main thread, as the code of a `main.swift` does. What several guides use is in
scripts/lib/guides.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMES = [
    "models", "concurrency", "results-controllers", "predicates", "migration", "store-types", "durability", "testing",
    "from-grdb", "from-fluent",
]
SUPPORT = ROOT / "scripts" / "lib" / "guides"
FENCE = re.compile(r"^```(\S*) *(.*)$")
DECLARATION = """    .testTarget(
      name: "Guides",
      dependencies: [
        .product(name: "CoreData", package: "swift-coredata"),
        .product(name: "CoreDataTestSupport", package: "swift-coredata"),
      ],
      plugins: [.plugin(name: "CoreDataModelPlugin", package: "swift-coredata")]
    ),
"""


def blocks(path):
    """The code blocks of a page: language, what follows it, the number of the first line, the lines."""
    lines = iter(enumerate(path.read_text().splitlines(), 1))
    for number, line in lines:
        fence = FENCE.match(line)
        if fence:
            body = []
            for _, line in lines:
                if line == "```":
                    break
                body.append(line)
            yield *fence.groups(), number, body


def files():
    """The files of the target by their paths in its folder."""
    found = {str(p.relative_to(SUPPORT)): p.read_text() for p in SUPPORT.rglob("*") if p.is_file()}
    for name in NAMES:
        path = ROOT / "docs" / f"{name}.md"
        imports, declarations, tests = {"import CoreData", "import Foundation", "import Testing"}, [], []
        for language, what, number, body in blocks(path):
            if language == "xml" and what:
                found[what] = "\n".join(body) + "\n"
            if language != "swift" or what == "example":
                continue
            if what not in ("", "new", "compiled", "file"):
                raise ValueError(f"{path.relative_to(ROOT)}:{number}: a block of a guide is not `{what}`")
            imports |= {line for line in body if line.startswith("import ")}
            body = [line for line in body if not line.startswith("import ")]
            while body and not body[0]:
                del body[0]
            if what == "file":
                declarations.append("\n".join(body))
            elif what or not tests:
                tests.append([what, number, body])
            else:
                tests[-1][2] += ["", *body]
        title = "".join(part.capitalize() for part in name.split("-"))
        text = "\n".join(sorted(imports)) + "\n\n" + "".join(f"{d}\n\n" for d in declarations)
        text += f"@Suite @MainActor struct {title}Guide {{\n"
        for index, (what, number, body) in enumerate(tests, 1):
            text += "\n" if index > 1 else ""
            text += "  " if what == "compiled" else f'  @Test("docs/{name}.md:{number}") '
            text += f"func part{index}() async throws {{\n"
            text += "".join(f"    {line}".rstrip() + "\n" for line in body) + "  }\n"
        found[f"{title}.swift"] = text + "}\n"
    return found
