// SPDX-License-Identifier: Apache-2.0

extension ListState {
  /// Applies one round the way `UITableView` does between `beginUpdates` and `endUpdates`.
  ///
  /// What goes away, and what is updated, counts in the old list; what arrives in the new one.
  mutating func apply(_ changes: [ListChange], sequence: Int) {
    var old = sections.map { (name: $0.name, rows: $0.rows.map(Optional.some)) }
    var goneSections: Set<Int> = []
    var newSections: [(at: Int, name: String)] = []
    var newRows: [(at: Place, row: TeamRow)] = []
    for change in changes {
      switch change {
      case .insertSection(let at, let name): newSections.append((at, name))
      case .deleteSection(let at): goneSections.insert(at)
      case .insertRow(let at, let row): newRows.append((at, row))
      case .deleteRow(let at): old[at.section].rows[at.row] = nil
      case .updateRow(let at, let row): old[at.section].rows[at.row] = row
      case .moveRow(let from, let to, let row):
        old[from.section].rows[from.row] = nil
        newRows.append((to, row))
      }
    }
    sections = old.indices.filter { !goneSections.contains($0) }.map {
      Section(name: old[$0].name, rows: old[$0].rows.compactMap(\.self))
    }
    for (at, name) in newSections.sorted(by: { $0.at < $1.at }) {
      sections.insert(Section(name: name, rows: []), at: at)
    }
    for (at, row) in newRows.sorted(by: { $0.at < $1.at }) {
      sections[at.section].rows.insert(row, at: at.row)
    }
    self.sequence = sequence
  }
}
