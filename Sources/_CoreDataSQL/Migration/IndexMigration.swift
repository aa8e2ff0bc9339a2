// SPDX-License-Identifier: Apache-2.0

/// Decides which indexes of a file a migration keeps, drops and creates.
///
/// An index whose table and columns are only renamed is kept with its old name, as Apple's framework does.
struct IndexMigration {
  private(set) var dropped: [StoredObjects.Object] = []
  private(set) var made: [IndexStatement] = []

  /// A table that is altered and not copied: its new name, and the new names of its columns by old name.
  struct Survivor {
    let table: String
    let columns: [String: String]
  }

  /// `survivors` are the altered tables by old name; the indexes of other tables are dropped with the tables.
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
    // If an index that is created needs the name of a kept index, the kept index is created again with its
    // new name. Another kept index may have this new name, so this is repeated.
    while let index = kept.firstIndex(where: { stored in left.contains { $0.name == stored.name } })
    {
      let object = kept.remove(at: index)
      dropped.append(object)
      guard let survivor = survivors[object.table],
        let renamed = Parts(object.definition)?.renamed(survivor.columns),
        let again = wanted.first(where: { $0.table == survivor.table && Parts($0) == renamed })
      else { continue }
      left.append(again)
    }
    made = left
  }

  /// The definition of an index without its name and table.
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

    /// Returns nil for a statement in a form that neither this library nor Apple's framework writes.
    init?(_ definition: String) {
      let isUnique = definition.hasPrefix("CREATE UNIQUE INDEX ")
      guard isUnique || definition.hasPrefix("CREATE INDEX "),
        let start = definition.firstIndex(of: "(")
      else { return nil }
      self.init(isUnique: isUnique, text: String(definition[start...]))
    }

    /// Returns the definition with the new names of the columns; nil if a column was removed.
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

    /// Whether a name can be that of an index of a model.
    static func isOurs(_ name: String) -> Bool { name.hasPrefix("Z") }
  }
}
