# SPDX-License-Identifier: Apache-2.0
"""Run by scripts/check: compares docs/errors with the errors, stops and exit codes of the sources.

Fails for an error code of Sources/CoreData/Errors/ErrorCodes.swift, a code of Foundation that the library throws, a
function of `Misuse`, an exit code, or a public error type without an entry; for an entry of something that does
not exist; for a code that is "Not thrown" and is thrown, or the other way round; for a quoted text ("> …") that no
source contains; for a row of the index that does not lead to its entry; and for a broken link into these pages.
"""
import pathlib
import re
import sys

PAGES = pathlib.Path('docs/errors')
LIBRARY = ['CoreData', '_CoreDataGraph', '_CoreDataModel', '_CoreDataPredicate', '_CoreDataSQL',
           '_CoreDataSQLite', '_CoreDataStore']
PROGRAMS = ['_CoreDataCommand', '_CoreDataGenerator']
# Codes of Foundation's CocoaError that the library throws.
FOUNDATION = {
    'fileNoSuchFile': 4, 'fileReadUnknown': 256, 'fileReadCorruptFile': 259, 'fileReadNoSuchFile': 260,
    'fileWriteUnknown': 512, 'fileWriteNoPermission': 513, 'userCancelled': 3072,
    'propertyListWriteInvalid': 3852, 'coderReadCorrupt': 4864,
}
# Declared as a code of CocoaError only, as in Apple's framework for Swift.
ONLY_IN_SWIFT = {'externalRecordImport': 134200}
NOT_THROWN = 'Not thrown by this library'


def sources(modules):
    """Yields the path and the text, without comments, of each source file of the modules."""
    for module in modules:
        for path in sorted(pathlib.Path('Sources', module).rglob('*.swift')):
            lines = path.read_text(encoding='utf-8').split('\n')
            yield path, '\n'.join(line for line in lines if not line.lstrip().startswith('//'))


def shown(text):
    """Returns a source text with string literals joined and each interpolation replaced by '…'."""
    text = re.sub(r'"\s*\+\s*"', '', text)
    out, i = [], 0
    while i < len(text):
        if text.startswith('\\(', i):
            depth, i = 1, i + 2
            while i < len(text) and depth:
                depth += {'(': 1, ')': -1}.get(text[i], 0)
                i += 1
            out.append('…')
        elif text.startswith('\\', i) and i + 1 < len(text):
            out.append('\n' if text[i + 1] == 'n' else text[i + 1])
            i += 2
        else:
            out.append(text[i])
            i += 1
    return ''.join(out)


class Entry:
    def __init__(self, page, anchor, heading, body):
        self.page, self.anchor, self.heading, self.body = page, anchor, heading, body
        self.is_thrown = NOT_THROWN not in body
        quotes = re.findall(r'^> ?(.*)$', body, re.M)
        self.quotes = [' '.join(q.split()) for q in '\n'.join(quotes).split('\n\n')]


def entries():
    found = []
    for path in sorted(PAGES.glob('*.md')):
        text = path.read_text(encoding='utf-8')
        parts = re.split(r'^<a id="([\w-]+)"></a>\n## (.+)$', text, flags=re.M)
        found += [Entry(path.name, *parts[i:i + 3]) for i in range(1, len(parts), 3)]
    return found


def main():
    problems = []
    found = entries()
    by_anchor = {}
    for entry in found:
        if entry.anchor in by_anchor:
            problems.append(f'{PAGES}/{entry.page}: a second entry {entry.anchor}')
        by_anchor[entry.anchor] = entry

    def require(anchors, what):
        for anchor in sorted(set(anchors) - by_anchor.keys()):
            problems.append(f'{PAGES}: no entry for the {what} {anchor}: add <a id="{anchor}"></a> and a heading')

    # Error codes.
    declared = dict(re.findall(
        r'^public let (NS\w+Error) = (\d+)$',
        pathlib.Path('Sources/CoreData/Errors/ErrorCodes.swift').read_text(encoding='utf-8'), re.M))
    names = {code: f'{name}' for name, code in declared.items()}
    names |= {str(code): f'CocoaError.{name}' for name, code in (FOUNDATION | ONLY_IN_SWIFT).items()}
    library = list(sources(LIBRARY))
    used = set()
    for path, text in library:
        if path.name == 'ErrorCodes.swift' or path.name.startswith('CocoaError+'):
            continue
        # A pattern (`case NSFooError:`) is not a use, and neither is a comparison.
        text = re.sub(r'case NS\w+Error\b|== NS\w+Error\b|\[[^][]*\]\s*\.contains\(', '', text)
        used |= {declared[name] for name in re.findall(r'\bNS\w+Error\b', text) if name in declared}
        for name in re.findall(r'CocoaError\(\s*\.(\w+)|CocoaError(?:\.Code)?\.(\w+)\.rawValue', text):
            name = name[0] or name[1]
            if name in FOUNDATION:
                used.add(str(FOUNDATION[name]))
            else:
                problems.append(f'{path}: CocoaError.{name} is not in the list FOUNDATION of {sys.argv[0]}')
    require(names, 'error code')
    for entry in found:
        code = re.match(r'(\d+) · `([^`]+)`$', entry.heading)
        if not code:
            continue
        place = f'{PAGES}/{entry.page}: {entry.heading}'
        if names.get(code[1]) != code[2] or code[1] != entry.anchor:
            problems.append(f'{place}: no such code, or its name is {names.get(code[1])}')
        elif entry.is_thrown != (code[1] in used):
            problems.append(f'{place}: ' + (
                'no source throws this code, so the entry must say "Not thrown by this library"'
                if entry.is_thrown else 'a source throws this code'))

    # Stops.
    stops = set()
    for path, text in library:
        if path.name.startswith('Misuse'):
            stops |= set(re.findall(r'^  (?:package )?static func (\w+)\([^{]*-> Never', text, re.M))
    require(stops, 'stop')
    for entry in found:
        if entry.page.startswith('stops-') and entry.heading not in stops:
            problems.append(f'{PAGES}/{entry.page}: {entry.heading}: no function of Misuse has this name')

    # Exit codes and public error types.
    exits = set()
    for path, text in sources(PROGRAMS):
        exits |= set(re.findall(r'\b(?:ExitCode|_?exit)\((\d+)\)', text))
        if re.search(r'\bExitCode\.failure\b|return \.failure\b', text):
            exits.add('1')
    require({f'exit-{code}' for code in exits}, 'exit code')
    for entry in found:
        if entry.page == 'command.md' and entry.heading not in exits:
            problems.append(f'{PAGES}/{entry.page}: {entry.heading}: no source exits with this code')
    types = set()
    for path, text in library:
        types |= set(re.findall(r'^public struct (\w+): (?:\w+, )*Error\b', text, re.M))
    require(types, 'error type')

    # Quoted texts.
    texts = [' '.join(shown(text).split()) for _, text in library]
    everything = '\n'.join(texts)

    def check_quote(quote, place):
        for fragment in re.split('…', quote):
            fragment = fragment.strip(' "\'“”:;,.()')
            if len(fragment) > 3 and fragment not in everything:
                problems.append(f'{place}: no source contains the text “{fragment}”')

    for entry in found:
        for quote in entry.quotes:
            check_quote(quote, f'{PAGES}/{entry.page}: {entry.heading}')
        rows = re.search(r'^\| text begins with \|.*\n\|.*\n((?:\|.*\n)+)', entry.body, re.M)
        for row in rows[1].splitlines() if rows else []:
            check_quote(row.split('|')[1].strip(), f'{PAGES}/{entry.page}: {entry.heading}')

    # The index, and links.
    index = (PAGES / 'README.md').read_text(encoding='utf-8')
    indexed = set()
    for anchor, page, target, when in re.findall(
            r'^\| <a id="(\d+)"></a>\[\1\]\(([\w-]+\.md)#(\d+)\) \| `[^`]+` \| (.*) \|$', index, re.M):
        indexed.add(anchor)
        entry = by_anchor.get(target)
        if not entry or entry.page != page or anchor != target:
            problems.append(f'{PAGES}/README.md: the row of {anchor} leads to no entry')
        elif entry.is_thrown == (when == 'not thrown'):
            problems.append(f'{PAGES}/README.md: the row and the entry of {anchor} disagree about "not thrown"')
    for text, name, page, target in re.findall(
            r'^\| (.*) \| \[(\w+)\]\((stops-[\w-]+\.md)#(\w+)\) \|$', index, re.M):
        indexed.add(target)
        entry = by_anchor.get(target)
        if not entry or entry.page != page or name != target:
            problems.append(f'{PAGES}/README.md: the row of {name} leads to no entry')
        check_quote(text.replace('\\|', '|'), f'{PAGES}/README.md: {name}')
    for anchor in sorted((names.keys() | stops) - indexed):
        problems.append(f'{PAGES}/README.md: no row for {anchor}')
    anchors = {page.name: set(re.findall(r'<a id="([\w-]+)">', page.read_text(encoding='utf-8')))
               | {re.sub(r'[^\w -]', '', h.lower()).strip().replace(' ', '-')
                  for h in re.findall(r'^#+ (.+)$', page.read_text(encoding='utf-8'), re.M)}
               for page in PAGES.glob('*.md')}
    pages = [*PAGES.glob('*.md'), *pathlib.Path('docs').glob('*.md'), *pathlib.Path('.').glob('*.md')]
    for path in pages:
        inside = path.parent == PAGES
        text = path.read_text(encoding='utf-8')
        for page, anchor in re.findall(
                r'\]\(([\w-]+\.md)?#([\w-]+)\)' if inside else r'\]\((?:docs/)?errors/([\w-]+\.md)#([\w-]+)\)', text):
            page = page or path.name
            if anchor not in anchors.get(page, set()):
                problems.append(f'{path}: the link {page}#{anchor} leads nowhere')

    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
