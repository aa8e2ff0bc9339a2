# SPDX-License-Identifier: Apache-2.0
"""Run by scripts/check: checks docs/parity.md, the table of parity with Apple's API; --write writes it.

The page is made of docs/reference/apple-names.txt, of the public declarations of Sources/CoreData and
Sources/CoreDataCompatibility, and of docs/reference/other-names.txt, which says why a name is not declared. Fails if a name of Apple's is neither declared
nor in that file, if a name in that file is declared, or if the page is out of date.
"""
import collections
import fnmatch
import pathlib
import re
import sys

sys.dont_write_bytecode = True  # No __pycache__ in the repository's folder.
import additions

PAGE = pathlib.Path('docs/parity.md')
OTHERS = 'docs/reference/other-names.txt'
Subject = collections.namedtuple('Subject', 'kind title reason patterns')
COMPATIBILITY = Subject(
    'elsewhere', 'Code that needs selectors or Combine', 'declared by the product CoreDataCompatibility', ())


def declared(module):
    """Returns the names that a module declares, and the superclass of each of its classes."""
    names, parents = set(), {}
    for path in sorted(pathlib.Path('Sources', module).rglob('*.swift')):
        for owner, name, _ in additions.declarations(path):
            head, _, tail = owner.partition('.')
            owner = additions.ALIASES.get(head, head) + ('.' + tail if tail else '')
            names.add((f'{owner}.{name}' if owner else name).replace('isolation:', ''))
        text = path.read_text(encoding='utf-8')
        for child, parent in re.findall(r'^(?:open|public)(?: final)? class (\w+)(?:<[^>]*>)?\s*:\s*(\w+)', text, re.M):
            parents[child] = parent
    return names, parents


def has(name, names, parents):
    """Returns whether the name, or the same member of a superclass, is declared."""
    owner, _, member = name.partition('.')
    while owner:
        if (f'{owner}.{member}' if member else owner) in names:
            return True
        owner = parents.get(owner) if member and not member.startswith('init(') else None
    return False


def subjects():
    found = []
    for line in open(OTHERS, encoding='utf-8'):
        line = line.strip()
        heading = re.match(r'\[(foundation|elsewhere|absent): ([^:]+): (.+)\]$', line)
        if heading:
            found.append(Subject(*heading.groups(), []))
        elif line and not line.startswith('#'):
            found[-1].patterns.append(line)
    return found


def matches(name, pattern):
    return name == pattern or '*' in pattern and fnmatch.fnmatchcase(name, pattern)


def page(apple, here, by_subject):
    """Returns the text of the page."""
    missing = {name for names in by_subject.values() for name in names}
    count = collections.Counter(s.kind for s, names in by_subject.items() for _ in names)
    total = len(apple)
    lines = [
        "# Parity with Apple's API", '',
        '<!-- Written by `python3 scripts/lib/parity.py --write`; scripts/check fails if this page is out of date. -->', '',
        f"Apple's Core Data, and the parts of Foundation, UIKit and AppKit that it needs, have {total:,} public names",
        '([apple-names.txt](reference/apple-names.txt), from Apple\'s documentation). Of these,', '',
        f'- {len(here):,} are declared by this library,',
        f"- {count['foundation']:,} by Foundation on Linux,",
        f"- {count['elsewhere']:,} exist in another form,",
        f"- {count['absent']:,} are absent.", '',
        'A declared name has Apple\'s labels and types. Whether it behaves as Apple\'s is the subject of',
        '[DEVIATIONS.md](../DEVIATIONS.md); names that Apple does not have are in [additions.md](additions.md).', '',
        '## What is absent or different, by subject', '', '| subject | names | why, or what to use |', '|---|---|---|',
    ]
    for kind in ('absent', 'elsewhere', 'foundation'):
        for subject, names in by_subject.items():
            if subject.kind == kind and names:
                lines.append(f'| {subject.title} ({"in Foundation" if kind == "foundation" else kind}) '
                             f'| {len(names)} | {subject.reason} |')
    lines += ['', '## By type', '', 'The names of a type include its members and nested types.', '',
              "| type | Apple's names | here | others |", '|---|---|---|---|']
    owners = collections.defaultdict(list)
    for name in apple:
        head = name.split('.')[0]
        owners[head if '.' in name or head[:1].isupper() and '(' not in head and any(
            other.startswith(head + '.') for other in apple) else ''].append(name)
    kinds = {name: subject.kind for subject, names in by_subject.items() for name in names}
    for owner in sorted(owners, key=lambda o: (o == '', o)):
        names = owners[owner]
        others = [name.removeprefix(f'{owner}.') for name in names if name in missing and kinds[name] != 'foundation']
        shown = ', '.join(f'`{name}`' for name in others[:12])
        if len(others) > 12:
            shown += f' and {len(others) - 12} more'
        present = sum(name not in missing or kinds[name] == 'foundation' for name in names)
        title = f'`{owner}`' if owner else 'constants, functions, and types without members'
        lines.append(f'| {title} | {len(names)} | {present} | {shown} |')
    return '\n'.join(lines) + '\n'


def main():
    names, parents = declared('CoreData')
    compatible, _ = declared('CoreDataCompatibility')
    apple = [line.strip() for line in open(additions.APPLE, encoding='utf-8')
             if line.strip() and not line.startswith('#')]
    here = [name for name in apple if has(name, names, parents)]
    problems, by_subject = [], collections.OrderedDict({COMPATIBILITY: []})
    for subject in subjects():
        by_subject[Subject(*subject[:3], tuple(subject.patterns))] = []
    for name in apple:
        found = [s for s in by_subject if any(matches(name, pattern) for pattern in s.patterns)]
        exact = [s for s in found if name in s.patterns]
        if name in here:
            if exact:
                problems.append(f'{OTHERS}: {name} is declared now: remove the line')
        elif name in compatible:
            by_subject[COMPATIBILITY].append(name)
        elif not found:
            problems.append(f'{OTHERS}: no subject has the name {name}, which is not declared')
        else:
            by_subject[(exact or found)[0]].append(name)
    text = page(apple, set(here), by_subject)
    if '--write' in sys.argv:
        PAGE.write_text(text, encoding='utf-8')
    elif not PAGE.exists() or PAGE.read_text(encoding='utf-8') != text:
        problems.append(f'{PAGE} is out of date: run python3 scripts/lib/parity.py --write')
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
