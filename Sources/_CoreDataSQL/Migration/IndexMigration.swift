// SPDX-License-Identifier: Apache-2.0

/// Which indexes of a file stay in a migration, and which are dropped and made.
///
/// An index whose table and columns are only renamed stays, under its old name, as in Apple's migrated files.
struct IndexMigration {
  private(set) var dropped: [StoredObjects.Object] = []
  private(set) var made: [IndexStatement] = []

  /// A table that is changed as it is: its new name, and its columns' new names.
  struct Survivor {
    let table: String
    let columns: [String: String]
  }

  /// `survivors` are the tables that stay, by old name; the indexes of other tables go with these.
  init(_ stored: [StoredObjects.Object], wanted: [IndexStatement], survivors: [String: Survivor]) {
    var left = wanted
    var kept: [StoredObjects.Object] = []
    for index in stored {
      guard let survivor = survivors[index.table] else { continue }
      guard let parts = Parts(index.definition) else {
        if Parts.isOurs(index.name) { dropped.append(index) }
        continue
      }
      guard let renamed = parts.renamed(survivor.columns) else {
        dropped.append(index)
        continue
      }
      let match = left.firstIndex {
        $0.table == survivor.table && Parts($0) == renamed
      }
      if let match {
        left.remove(at: match)
        kept.append(index)
      } else if Parts.isOurs(index.name) {
        dropped.append(index)
      }
    }
    // An old name may be wanted for another index.
    let names = Set(left.map(\.name))
    for index in kept where names.contains(index.name) {
      dropped.append(index)
      guard let survivor = survivors[index.table],
        let renamed = Parts(index.definition)?.renamed(survivor.columns),
        let again = wanted.first(where: { $0.table == survivor.table && Parts($0) == renamed })
      else { continue }
      left.append(again)
    }
    made = left
  }

  /// What an index is, but for its name and table.
  private struct Parts: Hashable {
    private let isUnique: Bool
    private let text: String

    private init(isUnique: Bool, text: String) {
      self.isUnique = isUnique
      self.text = text
    }

    init(_ statement: IndexStatement) {
      let filter = statement.condition.map { " WHERE \($0)" } ?? ""
      self.init(
        isUnique: statement.isUnique,
        text: "(\(statement.parts.joined(separator: ", ")))\(filter)"
      )
    }

    /// Nil for a statement of another form than this library and Apple's framework write.
    init?(_ definition: String) {
      let isUnique = definition.hasPrefix("CREATE UNIQUE INDEX ")
      guard isUnique || definition.hasPrefix("CREATE INDEX "),
        let start = definition.firstIndex(of: "(")
      else { return nil }
      self.init(isUnique: isUnique, text: String(definition[start...]))
    }

    /// The same with the new names of columns; nil where a column has gone.
    func renamed(_ columns: [String: String]) -> Parts? {
      var result = ""
      var word = ""
      var isComplete = true
      func end() {
        defer { word = "" }
        guard word.hasPrefix("Z") else { return result += word }
        if let name = columns[word] {
          result += name
        } else {
          isComplete = false
        }
      }
      for character in text {
        if character.isLetter || character.isNumber || character == "_" {
          word.append(character)
        } else {
          end()
          result.append(character)
        }
      }
      end()
      return isComplete ? Parts(isUnique: isUnique, text: result) : nil
    }

    /// Whether an index has a name of those that models give.
    static func isOurs(_ name: String) -> Bool { name.hasPrefix("Z") }
  }
}
