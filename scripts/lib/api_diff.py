# SPDX-License-Identifier: Apache-2.0
"""Run by scripts/api-diff: compares two folders of symbol graphs, and prints what differs.

`- ` is a removed declaration, `~ ` one whose type, access, default values or conformances changed, and `+ ` a new one.
Names that begin with an underscore are left out. Exits with 1 if a declaration was removed or changed.
"""
import collections
import json
import pathlib
import sys


def declarations(folder, modules):
    """Returns the declarations by module and path, each as a set, because overloads have one path."""
    found = collections.defaultdict(set)
    for module in modules:
        paths = {}
        graphs = []
        for path in sorted(pathlib.Path(folder).glob(f'{module}*.symbols.json')):
            if path.name.split('@')[0].split('.')[0] == module:
                graphs.append(json.loads(path.read_text(encoding='utf-8')))
        for graph in graphs:
            for symbol in graph['symbols']:
                parts = symbol['pathComponents']
                name = f'{module}.' + '.'.join(parts)
                paths[symbol['identifier']['precise']] = name
                if any(part.startswith('_') for part in parts):
                    continue
                text = ''.join(fragment['spelling'] for fragment in symbol.get('declarationFragments', []))
                access = 'open ' if symbol.get('accessLevel') == 'open' else ''
                found[name].add(access + ' '.join(text.split()))
        for graph in graphs:
            for relation in graph['relationships']:
                name = paths.get(relation['source'])
                if relation['kind'] not in ('conformsTo', 'inheritsFrom') or name not in found:
                    continue
                target = paths.get(relation['target']) or relation.get('targetFallback', relation['target'])
                if not target.split('.')[-1].startswith('_'):
                    found[name].add(f': {target}')
    return found


def lines(old, new):
    """Returns the lines of the comparison: removed, changed, added."""
    removed, changed, added = [], [], []
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name, set()), new.get(name, set())
        if before == after:
            continue
        gone, come = sorted(before - after), sorted(after - before)
        shown = [f'    was {text}' for text in gone] + [f'    is  {text}' for text in come]
        if not after:
            removed.append(f'- {name}')
        elif not before:
            added.append(f'+ {name}')
        elif gone:
            changed += [f'~ {name}', *shown]
        else:
            added += [f'+ {name}', *shown]
    return removed, changed, added


def main():
    old, new, *modules = sys.argv[1:]
    removed, changed, added = lines(declarations(old, modules), declarations(new, modules))
    for line in removed + changed + added:
        print(line)
    counts = [sum(line[0] in '-~+' for line in part) for part in (removed, changed, added)]
    print('{} removed, {} changed, {} added'.format(*counts))
    return 1 if counts[0] or counts[1] else 0


if __name__ == '__main__':
    sys.exit(main())
