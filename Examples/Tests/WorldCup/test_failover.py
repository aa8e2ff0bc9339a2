# SPDX-License-Identifier: Apache-2.0
"""Two servers over three PostgreSQL servers, of which the primary is killed; run by hand.

WORLDCUP=program python3 Examples/Tests/WorldCup/test_failover.py
"""

import os
import statistics
import sys
import tempfile
import threading
import time
import unittest

import chromium
from test_page import BROWSER, SHOWN, WATCH, button
from worldcup import Server

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../scripts/lib"))
import postgres_nodes  # noqa: E402

SCREENSHOTS = os.environ.get("SCREENSHOTS") or os.path.join(
    tempfile.gettempdir(), "worldcup-screenshots")


@unittest.skipUnless(BROWSER, "no Chromium on this machine")
class Failover(unittest.TestCase):
    def setUp(self):
        os.makedirs(SCREENSHOTS, exist_ok=True)
        self.nodes = postgres_nodes.Nodes(3)
        self.addCleanup(self.nodes.stop)
        self.nodes.start()
        self.browser = chromium.Chromium(BROWSER)
        self.addCleanup(self.browser.close)
        store = f"{self.nodes.url}&schema=worldcup"
        self.servers = [Server(store), Server(store)]
        for server in self.servers:
            self.addCleanup(server.stop)
        self.windows = [self.browser.open(server.url) for server in self.servers]
        for window in self.windows:
            window.wait("document.querySelectorAll('#list li').length >= 32")
            window.wait("document.querySelector('#link').textContent === 'live'")
            window.run(WATCH)

    def clicks(self, names):
        """The milliseconds from a click in one window to the change in the other, by turns."""
        delays = []
        for turn, name in enumerate(names):
            one, other = self.windows[turn % 2], self.windows[1 - turn % 2]
            other.run("window.changedAt = null")
            one.click(button(name))
            other.wait("window.changedAt !== null", seconds=60)
            delays.append(other.run("changedAt") - one.run("clickedAt"))
        return delays

    def in_step(self):
        text = repr([[zone, [list(row) for row in rows]] for zone, rows in self.servers[0].sections()])
        for window in self.windows:
            window.wait(f"JSON.stringify({SHOWN}) === JSON.stringify({text})", seconds=30)

    def wins(self, name):
        return [next(row["wins"] for row in server.rows() if row["name"] == name) for server in self.servers]

    def test_both_pages_go_on_after_the_primary_is_killed(self):
        before = self.clicks(["Spain", "Ghana", "Japan", "Chile", "USA", "Spain", "Italy", "Iran"] * 2)
        self.in_step()
        self.assertEqual(self.wins("Spain"), [4, 4])
        killed = []

        def kill():
            killed.append(self.nodes.fail_over())

        # The kill comes during the clicks.
        timer = threading.Timer(0.3, kill)
        timer.start()
        start = time.monotonic()
        during = self.clicks(["Uruguay"] * 20)
        timer.join()
        self.assertEqual(len(killed), 1)
        seconds = time.monotonic() - start
        self.in_step()
        self.assertEqual(self.wins("Uruguay"), [20, 20])
        self.nodes.rejoin(killed[0])
        self.nodes.wait_for_standbys(2)
        after = self.clicks(["Ghana", "Japan"] * 5)
        self.in_step()
        for number, window in enumerate(self.windows, 1):
            window.screenshot(os.path.join(SCREENSHOTS, f"failover-{number}.png"))
            self.assertEqual(window.run("performance.getEntriesByType('navigation')[0].type"), "navigate")
        self.assertEqual(self.browser.problems, [])
        print(f"\nClick to the other page, median and longest: {statistics.median(before):.0f} and "
              f"{max(before):.0f} ms before, {statistics.median(after):.0f} and {max(after):.0f} ms after the kill; "
              f"20 clicks around the kill in {seconds:.1f} s, longest {max(during):.0f} ms")
        self.assertLess(statistics.median(before), 200)
        self.assertLess(statistics.median(after), 200)


if __name__ == "__main__":
    unittest.main(verbosity=2)
