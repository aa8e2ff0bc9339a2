# SPDX-License-Identifier: Apache-2.0
"""Two servers over one PostgreSQL database, whose URL is in COREDATA_POSTGRES_URL (scripts/lib/postgres)."""

import os
import signal
import statistics
import time
import unittest
import uuid

from worldcup import Server, wait_for, win

URL = os.environ.get("COREDATA_POSTGRES_URL", "")


@unittest.skipUnless(URL, "COREDATA_POSTGRES_URL is not set; run this with scripts/lib/postgres")
class TwoServers(unittest.TestCase):
    def setUp(self):
        # Each test has a schema of its own; the server of the tests ends with them.
        self.store = f"{URL}?schema=worldcup_{uuid.uuid4().hex}"

    def start(self):
        server = Server(self.store)
        self.addCleanup(lambda: server.process.poll() is None and server.stop(signal.SIGKILL))
        return server

    def wins(self, server, name):
        return next(row["wins"] for row in server.rows() if row["name"] == name)

    def test_a_win_on_one_server_moves_the_row_on_the_other(self):
        one, other = self.start(), self.start()
        self.assertEqual(len(other.rows()), 32)
        team = next(row["id"] for row in one.rows() if row["name"] == "Uruguay")
        times = []
        for round in range(1, 21):
            start = time.monotonic()
            self.assertEqual(one.call("POST", f"teams/{team}/win")[0], 204)
            wait_for(lambda: self.wins(other, "Uruguay") == round)
            times.append(time.monotonic() - start)
        self.assertEqual(dict(other.sections())["South America"][0], ("Uruguay", 20))
        print(f"\nA win reaches the other server within {statistics.median(times) * 1000:.0f} ms (median of 20)")

    def test_two_servers_take_turns_with_the_same_team(self):
        servers = [self.start(), self.start()]
        team = next(row["id"] for row in servers[0].rows() if row["name"] == "Ghana")
        wins = 0
        for server in servers * 5:
            wins += 1
            self.assertEqual(server.call("POST", f"teams/{team}/win")[0], 204)
            for each in servers:
                wait_for(lambda: self.wins(each, "Ghana") == wins)

    def test_a_win_of_a_program_that_ends_reaches_the_server(self):
        server = self.start()
        win(self.store, "Japan")
        wait_for(lambda: self.wins(server, "Japan") == 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
