# SPDX-License-Identifier: Apache-2.0
"""The long list under load: 100,000 rows are scrolled while 1,000 changes a second are saved.

LOAD_SECONDS says for how long, 4 if it says nothing; from a minute on, every row is read from the
document in the end, otherwise those of some screens.
"""

import os
import signal
import sqlite3
import tempfile
import threading
import time
import unittest

import chromium
from test_page import BROWSER, SCREENSHOTS
from worldcup import Server

TEAMS = 100_000
ROW_HEIGHT, TITLE_HEIGHT = 40, 44
SECONDS = int(os.environ.get("LOAD_SECONDS") or 4)

# Whether everything on the screen has come.
READ = "document.querySelector('.row') && !document.querySelector('.unread')"

# Scrolls to a place, waits for its rows, and gives what the document shows there: titles as texts,
# rows as [name, wins]. It is drawn at once: most of a walk would be frames that nobody sees.
SCREEN = """(async top => {
    list.element.scrollTop = top;
    list.drawNow();
    while (document.querySelector(".unread")) {
        do await new Promise(done => setTimeout(done, 2)); while (list.asked.size);
        list.drawNow();
    }
    const start = list.canvas.getBoundingClientRect().top;
    return [...document.querySelectorAll(".item")]
        .map(item => [Math.round(item.getBoundingClientRect().top - start), item])
        .filter(([y]) => y >= top && y < top + list.element.clientHeight)
        .sort(([a], [b]) => a - b)
        .map(([, item]) => item.matches("h2") ? item.textContent : [
            item.querySelector(".name").textContent,
            parseInt(item.querySelector(".wins").textContent)]);
})"""


@unittest.skipUnless(BROWSER, "no Chromium on this machine")
class LongList(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="worldcup-")
        self.addCleanup(folder.cleanup)
        self.server = Server(os.path.join(folder.name, "WorldCup.sqlite"), teams=TEAMS)
        self.addCleanup(lambda: self.server.stop(signal.SIGKILL))
        self.browser = chromium.Chromium(BROWSER)
        self.addCleanup(self.browser.close)
        os.makedirs(SCREENSHOTS, exist_ok=True)

    def tearDown(self):
        self.assertEqual(self.browser.problems, [])

    def fetched(self):
        """What a fetch by nobody of this program gives."""
        store = sqlite3.connect(f"file:{self.server.store}?mode=ro", uri=True)
        try:
            sections = []
            for zone, name, wins in store.execute(
                    "SELECT ZQUALIFYINGZONE, ZTEAMNAME, ZWINS FROM ZTEAM"
                    " ORDER BY ZQUALIFYINGZONE, ZWINS DESC, ZTEAMNAME, Z_PK"):
                if not sections or sections[-1][0] != zone:
                    sections.append([zone, []])
                sections[-1][1].append([name, wins])
            return sections
        finally:
            store.close()

    def check(self, window, sections):
        """The page has these sections and rows; in the document too, on every screen or on some."""
        held = window.run("list.sections.map(({ name, rows }) =>"
                          " [name, rows.map(row => row && [row.name, row.wins])])")
        self.assertEqual([(zone, len(rows)) for zone, rows in held],
                         [(zone, len(rows)) for zone, rows in sections])
        for (zone, rows), (_, right) in zip(held, sections):
            wrong = [(place, row, right[place]) for place, row in enumerate(rows)
                     if row is not None and row != right[place]]
            self.assertEqual(wrong[:3], [], f"{len(wrong)} rows of {zone}")

        items, y = [], 0
        for zone, rows in sections:
            for height, item in [(TITLE_HEIGHT, zone)] + [(ROW_HEIGHT, row) for row in rows]:
                items.append((y, item))
                y += height
        window.size(800, 6_000)
        self.assertEqual(window.run("list.element.scrollHeight"), y)
        screen = window.run("list.element.clientHeight")
        last = y - screen
        for top in sorted({*range(0, last, screen if SECONDS >= 60 else screen * 40), last}):
            on_it = [item for y, item in items if top <= y < top + screen]
            self.assertEqual(window.run(f"{SCREEN}({top})"), on_it)

    def rush(self, seconds):
        """Starts 1,000 changes a second; the list that is given gets what was saved in the end."""
        answer = []
        wish = {"changesPerSecond": 1000, "seconds": seconds}
        thread = threading.Thread(
            target=lambda: answer.append(self.server.call("POST", "rush", wish, seconds * 3 + 30)))
        thread.start()
        self.addCleanup(thread.join)
        return thread, answer

    def test_100000_rows_are_scrolled_while_1000_changes_a_second_are_saved(self):
        window = self.browser.open(f"{self.server.url}/long", width=800, height=1000)
        window.wait(READ)
        # Rows come in batches: only those of the first screen are there.
        self.assertEqual(window.run("document.querySelector('#summary').textContent"),
                         "100,000 teams in 6 zones ·")
        self.assertLess(window.run("performance.getEntriesByType('resource')"
                                   ".filter(entry => entry.name.includes('/rows?')).length"), 3)
        # Every row is read before the memory is measured.
        for section, (_, rows) in enumerate(self.fetched()):
            for first in range(0, len(rows), 2000):
                self.server.call("GET", f"rows?section={section}&from={first}&count=2000")
        self.rush(1)[0].join()

        before = self.server.memory()
        start = time.monotonic()
        thread, answer = self.rush(SECONDS)
        screens = 0
        while thread.is_alive():
            window.run("list.element.scrollBy(0, 18000)")
            window.wait(READ, 20)
            screens += 1
            if screens == 5:
                window.screenshot(os.path.join(SCREENSHOTS, "long.png"))
            time.sleep(0.1)
        took = time.monotonic() - start
        growth = self.server.memory() - before
        elements = window.run("document.querySelectorAll('.item').length")
        status, tally = answer[0]
        self.assertEqual(status, 200)
        self.assertEqual(tally["changes"], 1000 * SECONDS)

        sections = self.fetched()
        self.assertEqual(sum(len(rows) for _, rows in sections), TEAMS)
        self.check(window, sections)
        print(f"({tally['changes']:,} changes in {took:.1f} s while {screens} screens were scrolled to; "
              f"memory {before:.0f} MB, {growth:+.1f} MB)", end=" ", flush=True)
        self.assertLess(growth, 24)
        self.assertLess(elements, 100)


if __name__ == "__main__":
    unittest.main(verbosity=2)
