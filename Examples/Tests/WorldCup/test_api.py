# SPDX-License-Identifier: Apache-2.0

import os
import signal
import sqlite3
import tempfile
import unittest

from worldcup import Server, terminal, wait_for, win

ZONES = {
    "Africa": 5, "Asia": 4, "Europe": 13, "North, Central America & Caribbean": 4,
    "South America": 6,
}


class WorldCupServer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="worldcup-")
        self.addCleanup(folder.cleanup)
        self.store = os.path.join(folder.name, "WorldCup.sqlite")

    def start(self, port=None):
        server = Server(self.store, port)
        self.addCleanup(lambda: server.process.poll() is None and server.stop(signal.SIGKILL))
        return server

    def id(self, server, name):
        return next(row["id"] for row in server.rows() if row["name"] == name)

    def test_a_new_store_has_32_teams_in_their_zones_sorted_by_name(self):
        sections = self.start().sections()
        self.assertEqual({zone: len(rows) for zone, rows in sections}, ZONES)
        self.assertEqual([zone for zone, _ in sections], sorted(ZONES))
        for _, rows in sections:
            self.assertEqual(rows, sorted(rows))

    def test_a_win_puts_the_team_before_those_with_fewer(self):
        server = self.start()
        self.assertEqual(server.call("POST", f"teams/{self.id(server, 'Uruguay')}/win")[0], 204)
        self.assertEqual(dict(server.sections())["South America"][0], ("Uruguay", 1))

    def test_a_search_narrows_the_list_and_what_changes_meanwhile_comes_and_goes(self):
        server = self.start()
        self.assertEqual(server.call("POST", "search", {"text": "C\u00f4te d"})[0], 204)
        self.assertEqual(server.sections(), [])
        self.assertEqual(server.call("POST", "search", {"text": "GERM"})[0], 204)
        self.assertEqual(server.sections(), [("Europe", [("Germany", 0)])])
        server.call("POST", "teams", {"name": "Germania", "zone": "Asia"})
        server.call("POST", "teams", {"name": "Fiji", "zone": "Oceania"})
        self.assertEqual([zone for zone, _ in server.sections()], ["Asia", "Europe"])
        server.call("POST", "search", {"text": ""})
        self.assertEqual(len(server.rows()), 34)

    def test_a_pull_of_1000_wins_is_one_round(self):
        server = self.start()
        before = server.call("GET", "state")[1]["sequence"]
        self.assertEqual(server.call("POST", "pull")[0], 204)
        state = server.call("GET", "state")[1]
        self.assertEqual(sum(row["wins"] for row in server.rows()), 1000)
        self.assertEqual(state["sequence"], before + 1)
        for section in state["sections"]:
            order = [(-row["wins"], row["name"]) for row in section["rows"]]
            self.assertEqual(order, sorted(order))

    def test_the_section_index_leads_to_the_sections(self):
        server = self.start()
        zones = [zone for zone, _ in server.sections()]
        index = server.call("GET", "index")[1]
        self.assertEqual(
            [(entry["title"], zones[entry["section"]]) for entry in index],
            [(zone[0], zone) for zone in zones])

    def test_another_program_on_the_same_store_is_seen_live(self):
        server = self.start()
        other = self.start()
        for count in range(1, 4):
            win(self.store, "Uruguay")
            for shown in (server, other):
                wait_for(lambda: dict(shown.sections())["South America"][0] == ("Uruguay", count))
        self.assertEqual(other.call("POST", f"teams/{self.id(other, 'Uruguay')}/win")[0], 204)
        other.call("DELETE", f"teams/{self.id(other, 'Brazil')}")
        other.call("POST", "teams", {"name": "Fiji", "zone": "Oceania"})
        wait_for(lambda: server.sections() == other.sections())
        self.assertEqual(dict(server.sections())["South America"][0], ("Uruguay", 4))

    def test_a_refused_edit_says_why_and_changes_nothing(self):
        server = self.start()
        before = server.call("GET", "state")
        for body in ({"name": " ", "zone": "Asia"}, {"name": "Fiji", "zone": "x" * 61}):
            status, answer = server.call("POST", "teams", body)
            self.assertEqual(status, 400)
            self.assertIn("1 to 60 characters", answer["error"])
        for method, path in (("POST", "teams/p999/win"), ("DELETE", "teams/p999")):
            self.assertEqual(server.call(method, path)[0], 404)
        self.assertEqual(server.call("GET", "state"), before)

    def test_a_removed_team_is_restored_once_with_its_wins(self):
        server = self.start()
        italy = self.id(server, "Italy")
        server.call("POST", f"teams/{italy}/win")
        self.assertEqual(server.call("DELETE", f"teams/{italy}")[0], 204)
        self.assertEqual(server.call("POST", f"teams/{italy}/restore")[0], 204)
        self.assertEqual(dict(server.sections())["Europe"][0], ("Italy", 1))
        self.assertEqual(server.call("POST", f"teams/{italy}/restore")[0], 404)

    def test_a_zone_has_one_team_of_a_name(self):
        server = self.start()
        self.assertEqual(server.call("POST", "teams", {"name": "Fiji", "zone": "Oceania"})[0], 204)
        status, answer = server.call("POST", "teams", {"name": "fiji", "zone": "Oceania"})
        self.assertEqual((status, answer["error"]), (400, "Oceania already has a team named fiji."))
        self.assertEqual(server.call("POST", "teams", {"name": "Fiji", "zone": "Asia"})[0], 204)

    def test_what_was_answered_survives_a_killed_server(self):
        server = self.start()
        server.call("POST", "teams", {"name": "Wenderland", "zone": "Oceania"})
        server.call("DELETE", f"teams/{self.id(server, 'Italy')}")
        server.call("POST", f"teams/{self.id(server, 'Ghana')}/win")
        before = server.sections()
        server.stop(signal.SIGKILL)
        self.assertEqual(self.start(server.port).sections(), before)

    def test_the_store_is_a_sound_file_in_apples_layout(self):
        server = self.start()
        server.call("POST", f"teams/{self.id(server, 'Ghana')}/win")
        server.stop()
        database = sqlite3.connect(self.store)
        self.addCleanup(database.close)
        self.assertEqual(database.execute("pragma integrity_check").fetchall(), [("ok",)])
        columns = [row[1] for row in database.execute("pragma table_info(ZTEAM)")]
        self.assertEqual(columns, [
            "Z_PK", "Z_ENT", "Z_OPT", "ZLOSSES", "ZWINS", "ZIMAGENAME", "ZQUALIFYINGZONE",
            "ZTEAMNAME",
        ])
        ghana = "select ZWINS, Z_OPT, ZIMAGENAME from ZTEAM where ZTEAMNAME = 'Ghana'"
        self.assertEqual(database.execute(ghana).fetchall(), [(1, 2, "ghana-flag")])
        entities = database.execute("select Z_NAME, Z_MAX from Z_PRIMARYKEY").fetchall()
        self.assertIn(("Team", 32), entities)

    def test_the_terminal_shows_the_list_and_prints_its_changes(self):
        shown = terminal(self.store, ["5", "5", "a Wenderland, Oceania", "d 29", "99", "q"])
        self.assertIn("\nAfrica\n   1  🇩🇿 Algeria, 0 wins\n", shown)
        self.assertEqual(shown.splitlines()[-6:], [
            "> 🇳🇬 Nigeria, 1 win from 1.5 to 1.1",
            "> 🇨🇮 Ivory Coast, 1 win from 1.5 to 1.1",
            "+ section 5: Oceania",
            "+ 🧙 Wenderland, 0 wins at 5.1",
            "- 🇧🇷 Brazil, 0 wins from 6.2",
            "A number from 1 to 32, a, d, l or q, please.",
        ])


if __name__ == "__main__":
    unittest.main(verbosity=2)
