# SPDX-License-Identifier: Apache-2.0
"""Run by scripts/check: checks that docs/additions.md lists every public declaration that is not Apple's.

Compares the `public` and `open` declarations of Sources/CoreData and Sources/CoreDataTestSupport with
docs/reference/apple-names.txt and with the entries of docs/additions.md, which are list items that begin with
names: "- `Owner.name(label:)`: …". An entry for a type covers its members. Fails for a declaration that is in
neither list, for an entry without a declaration, and for an addition whose documentation comment does not
contain "Not in Apple's framework.".
"""
import pathlib
import re
import sys

SOURCES = ['Sources/CoreData', 'Sources/CoreDataTestSupport']
APPLE = 'docs/reference/apple-names.txt'
PAGE = 'docs/additions.md'
MARK = "Not in Apple's framework."

# Protocols that add initialisers to classes of Foundation, which Foundation on Linux does not have.
ALIASES = {
    'FormatInitializable': 'NSPredicate', 'SortKeyInitializable': 'NSSortDescriptor',
    '_TransformerFinding': 'ValueTransformer',
}
# Requirements of Swift's and Foundation's protocols, which are not additions.
REQUIREMENTS = {
    'copy(with:)', 'mutableCopy(with:)', 'encode(with:)', 'init(coder:)', 'supportsSecureCoding',
    'description', 'debugDescription', 'errorDescription', 'hash(into:)', 'rawValue', 'init(rawValue:)',
    'init()', 'next()', 'makeIterator()', 'makeAsyncIterator()', 'init(stringLiteral:)', '==(left:right:)',
    '!=(left:right:)',
}
TYPES = ('class', 'struct', 'enum', 'protocol', 'actor', 'extension')
MODIFIERS = (
    'public open package internal fileprivate private final static class override required convenience '
    'mutating nonmutating nonisolated nonisolated(unsafe) lazy weak unowned indirect dynamic prefix postfix '
    'infix private(set) fileprivate(set) internal(set) package(set) borrowing consuming'
).split()
DECLARATION = re.compile(
    r'^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?P<modifiers>(?:(?:'
    + '|'.join(re.escape(m) for m in sorted(MODIFIERS, key=len, reverse=True))
    + r')\s+)*)(?P<kind>class|struct|enum|protocol|actor|extension|typealias|func|init|subscript|var|let|case)\b'
    r'(?P<rest>.*)$'
)


def blank(text):
    """Returns the text with comments and the content of strings replaced by spaces; line breaks stay."""
    out, i = [], 0
    while i < len(text):
        if text.startswith('//', i):
            end = text.find('\n', i)
        elif text.startswith('/*', i):
            end = text.find('*/', i) + 2
        elif text.startswith('"""', i):
            end = text.find('"""', i + 3) + 3
        elif text[i] == '"':
            end, depth = i + 1, 0
            while end < len(text) and text[end] != '\n' and (depth or text[end] != '"'):
                if text.startswith('\\(', end):
                    depth, end = depth + 1, end + 1
                elif depth and text[end] in '()':
                    depth += 1 if text[end] == '(' else -1
                elif text[end] == '\\':
                    end += 1
                end += 1
            end += 1
        else:
            out.append(text[i])
            i += 1
            continue
        end = end if end > i else len(text)
        out.append(re.sub(r'[^\n]', ' ', text[i:end]))
        i = end
    return ''.join(out)


def labels(signature):
    """Returns the labels of a signature: '(_:with:)' for '(_ x: A, with y: B) -> C'."""
    start = signature.index('(')
    parts, part, depth = [], '', 0
    for i in range(start + 1, len(signature)):
        c = signature[i]
        if c == ')' and depth == 0:
            break
        if c in '([{<':
            depth += 1
        elif c in ')]}' or (c == '>' and signature[i - 1] != '-'):
            depth -= 1
        if c == ',' and depth == 0:
            parts.append(part)
            part = ''
        else:
            part += c
    if part.strip():
        parts.append(part)
    names = (re.sub(r'@\w+(\([^)]*\))?', '', p).split(':')[0].split()[0] for p in parts)
    return '(' + ''.join(name + ':' for name in names) + ')'


def members(kind, signature):
    """Returns the names that a declaration declares, unless it declares a type."""
    if kind == 'case':
        return re.findall(r'(?:^|,)\s*`?(\w+)`?', re.sub(r'\([^)]*\)', '', signature[4:].split('\n')[0]))
    if kind in ('init', 'subscript'):
        return [kind + labels(signature)]
    match = re.match(r'\w+\s+`?(\w+|[^\s(<\w]+)`?', signature)
    name = match.group(1)
    return [name + labels(signature[match.end():])] if kind == 'func' else [name]


def declarations(path):
    """Yields owner, name and line of each public declaration of a file."""
    lines = blank(path.read_text(encoding='utf-8')).split('\n')
    depth, scopes = 0, []  # A scope: name, kind where it is public, depth of its members.
    for number, line in enumerate(lines):
        match = DECLARATION.match(line)
        if match and (not scopes and depth == 0 or scopes and scopes[-1][2] == depth):
            kind, rest = match['kind'], match['rest'].strip()
            modifiers = match['modifiers'].split()
            inherits = scopes and not {'package', 'internal', 'private', 'fileprivate'} & set(modifiers) and (
                scopes[-1][1] in ('protocol', 'extension') or kind == 'case' and scopes[-1][1] == 'enum')
            is_public = 'public' in modifiers or 'open' in modifiers or inherits
            owner = '.'.join(scope[0] for scope in scopes)
            if kind in TYPES:
                name = re.match(r'`?([\w.]+|[^{:]+)`?', rest).group(1).strip()
                if is_public and kind != 'extension':
                    yield owner, name, number
                scopes.append([name, kind if is_public else '', None])
            elif is_public and 'override' not in modifiers:
                signature = '\n'.join([line[match.start('kind'):]] + lines[number + 1:number + 30])
                for name in members(kind, signature):
                    yield owner, name, number
        for c in line:
            if c == '{':
                depth += 1
                if scopes and scopes[-1][2] is None:
                    scopes[-1][2] = depth
            elif c == '}':
                if scopes and scopes[-1][2] == depth:
                    scopes.pop()
                depth -= 1


def comment(path, number):
    """Returns the documentation comment above a line."""
    lines = path.read_text(encoding='utf-8').split('\n')
    found = []
    while number > 0 and re.match(r'\s*(///|@)', lines[number - 1]):
        number -= 1
        found.append(lines[number].strip().removeprefix('///').strip())
    return ' '.join(reversed(found))


def is_apple(owner, name, apple):
    plain = name.replace('isolation:', '')
    full = f'{owner}.{plain}' if owner else plain
    # Classes of this library declare key-value coding, which Apple's classes inherit from NSObject.
    return full in apple or f'NSObject.{plain}' in apple


def main():
    apple = {line.strip() for line in open(APPLE, encoding='utf-8') if not line.startswith('#')}
    entries = {}
    for number, line in enumerate(open(PAGE, encoding='utf-8'), 1):
        item = re.match(r'- (`[^`]+`(?:, `[^`]+`)*)', line)
        for name in re.findall(r'`([^`]+)`', item.group(1)) if item else []:
            entries[name] = number
    problems, found, marked = [], {}, set()
    for folder in SOURCES:
        for path in sorted(pathlib.Path(folder).rglob('*.swift')):
            for owner, name, number in declarations(path):
                head, _, tail = owner.partition('.')
                owner = ALIASES.get(head, head) + ('.' + tail if tail else '')
                full = f'{owner}.{name}' if owner else name
                place = f'{path}:{number + 1}'
                found.setdefault(full, place)
                if full in entries:
                    if MARK in comment(path, number):
                        marked.add(full)
                    continue
                parents = full.split('.')
                if any('.'.join(parents[:n]) in entries for n in range(1, len(parents))):
                    continue
                if name in REQUIREMENTS or name.startswith('_') or is_apple(owner, name, apple):
                    continue
                if name in ALIASES:
                    continue
                problems.append(f'{place}: {full} is in neither {PAGE} nor {APPLE}')
    for name, number in entries.items():
        if name not in found:
            problems.append(f'{PAGE}:{number}: no public declaration of {name}')
        elif name in apple:
            problems.append(f"{PAGE}:{number}: {name} is Apple's, by {APPLE}")
        elif name not in marked:
            problems.append(f'{found[name]}: the comment of {name} does not say "{MARK}"')
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
