# SPDX-License-Identifier: Apache-2.0
"""Draws the cost of changes in live lists by their rows from the output of the bench, and prints a table."""

import json
import math
import re
import statistics
import sys

INK, PALE, PAPER = "#24292f", "#d8dee4", "#ffffff"
COLOURS = ["#0969da", "#1a7f37", "#bc4c00", "#8250df"]
LIMIT = "C, 6 sections"


def read(path):
    """Returns {changes, or None for memory: {name of a line: {rows: median}}}."""
    values = {}
    with open(path) as lines:
        for line in map(json.loads, lines):
            name = line["workload"]
            changes = re.match(r"W11_live_(\d+)", name)
            sections = re.search(r"_in_(\d+)$", name)
            series = f"{int(sections[1]):,} section{'s'[:int(sections[1]) != 1]}" if sections else LIMIT
            value = line["ms"] if changes else float(line["check"].split(":")[1])
            panel = values.setdefault(int(changes[1]) if changes else None, {})
            panel.setdefault(series, {}).setdefault(line["n"], []).append(value)
    return {panel: {series: {n: statistics.median(found) for n, found in points.items()}
                    for series, points in lines.items()} for panel, lines in values.items()}


def number(value):
    return f"{value:,.0f}" if value >= 20 else f"{value:.3g}"


def panel(left, title, lines, unit, low, high, colours):
    """Returns one chart with logarithmic axes: rows on the x axis, `unit` from `low` to `high` on the y axis."""
    width, top, height = 235, 62, 230
    rows = sorted({n for points in lines.values() for n in points})
    first, last = math.log10(rows[0]), math.log10(rows[-1])
    x = lambda n: left + width * (math.log10(n) - first) / max(last - first, 1e-9)
    y = lambda v: top + height * (1 - (math.log10(v) - math.log10(low)) / math.log10(high / low))
    text = [f'<text x="{left}" y="{top - 16}" class="title">{title}</text>']
    for power in range(round(math.log10(low)), round(math.log10(high)) + 1):
        at = y(10 ** power)
        text.append(f'<path class="grid" d="M{left} {at:.1f}h{width}"/>')
        text.append(f'<text x="{left - 7}" y="{at + 4:.1f}" class="left">{10 ** power:g}{unit}</text>')
    for n in rows:
        text.append(f'<path class="grid" d="M{x(n):.1f} {top}v{height}"/>')
        text.append(f'<text x="{x(n):.1f}" y="{top + height + 18}" class="middle">{n:,}</text>')
    for series, points in lines.items():
        colour, dash = colours[series], ' stroke-dasharray="5 4"' if series == LIMIT else ""
        path = "L".join(f"{x(n):.1f} {y(v):.1f}" for n, v in sorted(points.items()))
        text.append(f'<path class="line" stroke="{colour}"{dash} d="M{path}"/>')
        for n, v in points.items():
            text.append(f'<circle cx="{x(n):.1f}" cy="{y(v):.1f}" r="3.5" fill="{colour}">'
                        f"<title>{series}, {n:,} rows: {number(v)}{unit}</title></circle>")
    return text


def draw(values):
    names = sorted({series for lines in values.values() for series in lines},
                   key=lambda name: (name == LIMIT, int(name.split()[0].replace(",", ""))
                                     if name != LIMIT else 0))
    colours = dict(zip(names, COLOURS))
    times = [v for changes, lines in values.items() if changes is not None
             for points in lines.values() for v in points.values()]
    low = 10 ** math.floor(math.log10(min(times)))
    high = 10 ** math.ceil(math.log10(max(times)))
    body, left = [], 70
    for changes in sorted(key for key in values if key is not None):
        title = f"{changes:,} change{'s'[:changes != 1]} saved and reported"
        body += panel(left, title, values[changes], " ms", low, high, colours)
        left += 320
    if None in values:
        body += panel(left, "memory a row, beside the objects", values[None], " B", 10, 1000, colours)
        left += 320
    place = 70
    for name in names:
        dash = ' stroke-dasharray="5 4"' if name == LIMIT else ""
        body.append(f'<path class="line" stroke="{colours[name]}"{dash} d="M{place} 344h24"/>'
                    f'<text x="{place + 31}" y="348">{name}</text>')
        place += 160
    body.append(f'<text x="{place}" y="348" class="pale">rows of the list to the right; both axes logarithmic</text>')
    style = (f"text{{font:12px system-ui,sans-serif;fill:{INK}}}.title{{font-weight:600;font-size:13px}}"
             f".left{{text-anchor:end}}.middle{{text-anchor:middle}}.pale{{fill:#57606a}}"
             f".grid{{stroke:{PALE};fill:none}}.line{{fill:none;stroke-width:2}}")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left - 40} 366" role="img" '
            f'aria-label="Cost of changes in a live list against its rows">\n<style>{style}</style>\n'
            f'<rect width="100%" height="100%" fill="{PAPER}"/>\n' + "\n".join(body) + "\n</svg>\n")


def table(values):
    rows = sorted({n for lines in values.values() for points in lines.values() for n in points})
    text = ["| | " + " | ".join(f"{n:,} rows" for n in rows) + " |", "|---|" + "---|" * len(rows)]
    for changes in sorted((key for key in values if key is not None)) + [None] * (None in values):
        for series, points in values[changes].items():
            what = "memory a row" if changes is None else f"{changes:,} change{'s'[:changes != 1]}"
            unit = " B" if changes is None else " ms"
            cells = [number(points[n]) + unit if n in points else "" for n in rows]
            text.append(f"| {what}, {series} | " + " | ".join(cells) + " |")
    return "\n".join(text)


if __name__ == "__main__":
    values = read(sys.argv[1])
    with open(sys.argv[2], "w") as file:
        file.write(draw(values))
    print(table(values))
