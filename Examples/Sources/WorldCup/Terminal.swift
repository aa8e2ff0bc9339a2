// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The list as text: commands are read from standard input, and their changes printed as they come.
// On the main actor, so that waiting for a line blocks nobody else.
@MainActor
struct Terminal {
  let teams: TeamList

  func run() async throws {
    var events = await teams.events().makeAsyncIterator()
    var list = await teams.state()
    show(list)
    print("number: a win   d number: remove   a Name, Zone: add an underdog   l: list   q: quit")
    while let line = readLine(), line != "q" {
      do {
        try await obey(line, list)
      } catch let error as ListError {
        print(error)
      }
      let latest = await teams.state().sequence
      while list.sequence < latest, let event = await events.next() {
        guard case .round(let sequence, let changes) = event else { continue }
        for change in changes { print(describe(change, in: list)) }
        list.apply(changes, sequence: sequence)
      }
    }
  }

  private func obey(_ line: String, _ list: ListState) async throws {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    switch (words.first, words.dropFirst().first) {
    case (nil, _):
      break
    case ("l", nil):
      show(list)
    case ("a", let text?):
      let fields = text.split(separator: ",", maxSplits: 1).map(String.init)
      try await teams.addTeam(named: fields[0], zone: fields.dropFirst().first ?? "")
    case ("d", let number?):
      try await teams.remove(id(number, in: list))
    default:
      try await teams.addWin(to: id(line, in: list))
    }
  }

  private func id(_ number: String, in list: ListState) throws -> String {
    let rows = list.sections.flatMap(\.rows)
    guard let number = Int(number), rows.indices.contains(number - 1) else {
      throw ListError.invalid("A number from 1 to \(rows.count), a, d, l or q, please.")
    }
    return rows[number - 1].id
  }

  private func show(_ list: ListState) {
    var number = 0
    for section in list.sections {
      print("\n\(section.name)")
      for row in section.rows {
        number += 1
        print("  \(number < 10 ? " " : "")\(number)  \(text(row))")
      }
    }
    print("")
  }

  private func describe(_ change: ListChange, in list: ListState) -> String {
    switch change {
    case .insertSection(let section, let name): "+ section \(section + 1): \(name)"
    case .deleteSection(let section): "- section \(section + 1): \(list.sections[section].name)"
    case .insertRow(let to, let row): "+ \(text(row)) at \(text(to))"
    case .deleteRow(let from):
      "- \(text(list.sections[from.section].rows[from.row])) from \(text(from))"
    case .moveRow(let from, let to, let row): "> \(text(row)) from \(text(from)) to \(text(to))"
    case .updateRow(let place, let row): "= \(text(row)) stays at \(text(place))"
    }
  }

  private func text(_ row: TeamRow) -> String {
    "\(row.flag) \(row.name), \(row.wins) \(row.wins == 1 ? "win" : "wins")"
  }

  private func text(_ place: Place) -> String {
    "\(place.section + 1).\(place.row + 1)"
  }
}
