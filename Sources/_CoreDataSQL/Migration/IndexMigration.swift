// SPDX-License-Identifier: Apache-2.0

/// Decides which indexes to keep, drop and create in a migration.
///
/// An index is kept under its old name if its table and columns are only renamed, as in Apple's framework.
struct IndexMigration {
  private(set) var dropped: [StoredObjects.Object] = []
  private(set) var made: [IndexStatement] = []

  /// The new name of a table that is altered in place, and its columns: old name → new name.
  struct Survivor {
    let table: String
    let columns: [String: String]
  }

  /// Compares the stored indexes with `wanted`, the indexes of the new layout.
  ///
  /// `survivors` contains the tables that are altered in place, by old name. Indexes of other tables are
  /// ignored, because they are dropped with their tables.
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
    // A kept index keeps its old name. If a new index needs that name, the kept index is dropped and created
    // again under its new name, which another kept index may have in turn.
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

    /// Returns nil if `definition` does not have the form that this library and Apple's framework write.
    init?(_ definition: String) {
      let isUnique = definition.hasPrefix("CREATE UNIQUE INDEX ")
      guard isUnique || definition.hasPrefix("CREATE INDEX "),
        let start = definition.firstIndex(of: "(")
      else { return nil }
      self.init(isUnique: isUnique, text: String(definition[start...]))
    }

    /// Returns the definition with its columns renamed; nil if the definition contains a removed column.
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

    /// Whether the name has the prefix of the indexes that are created for a model.
    static func isOurs(_ name: String) -> Bool { name.hasPrefix("Z") }
  }
}
