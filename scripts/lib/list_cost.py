# SPDX-License-Identifier: Apache-2.0
"""Draws the cost of a live list's changes against its rows: JSON lines in, SVG out."""
import json
import math
import re
import sys

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 760, 440, 80, 50, 60, 200
COLOURS = {1: "#1668b8", 100: "#c2571a", 10000: "#3a7d34"}
DASHES = {1: "", 100: "6 4", 10000: "2 3"}


def main(source, target):
    series = {}
    for line in open(source):
        row = json.loads(line)
        found = re.fullmatch(r"W11_live_(\d+)_in_(\d+)", row["workload"])
        if found:
            key = (int(found[1]), int(found[2]))
            series.setdefault(key, []).append((row["n"], row["ms"]))
    points = [point for line in series.values() for point in line]
    sizes = sorted({n for n, _ in points})
    low = math.floor(math.log10(min(ms for _, ms in points)))
    high = math.ceil(math.log10(max(ms for _, ms in points)))

    def x(n):
        span = math.log10(sizes[-1]) - math.log10(sizes[0]) or 1
        share = (math.log10(n) - math.log10(sizes[0])) / span
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(ms):
        share = (math.log10(ms) - low) / (high - low or 1)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="26" font-size="16">Changes of a live list, saved and told, '
        "by rows of the list</text>",
    ]
    for power in range(low, high + 1):
        at = y(10**power)
        out.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{10 ** power:g} ms</text>')
    for n in sizes:
        out.append(
            f'<text x="{x(n):.1f}" y="{HEIGHT - BOTTOM + 22}" text-anchor="middle">{n:,}</text>'
        )
    out.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 14}" text-anchor="middle">rows</text>'
    )
    legend = TOP + 10
    for (changes, sections), line in sorted(series.items()):
        colour, dash = COLOURS.get(changes, "#666"), DASHES.get(sections, "")
        path = "M" + "L".join(f"{x(n):.1f} {y(ms):.1f}" for n, ms in sorted(line))
        style = f'stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}" fill="none"'
        out.append(f'<path d="{path}" {style}/>')
        for n, ms in line:
            out.append(f'<circle cx="{x(n):.1f}" cy="{y(ms):.1f}" r="3" fill="{colour}"/>')
        at = WIDTH - RIGHT + 16
        out.append(f'<path d="M{at} {legend}h28" {style}/>')
        word = "change" if changes == 1 else "changes"
        part = "1 section" if sections == 1 else f"{sections:,} sections"
        out.append(f'<text x="{at + 36}" y="{legend + 4}">{changes:,} {word}, {part}</text>')
        legend += 24
    out.append("</svg>")
    open(target, "w").write("\n".join(out) + "\n")


main(*sys.argv[1:])
