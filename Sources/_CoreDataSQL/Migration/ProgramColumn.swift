// SPDX-License-Identifier: Apache-2.0

/// A column that the model does not describe, in one of the model's tables, such as a column that a program
/// has added with SQL.
struct ProgramColumn {
  /// The name in the old table.
  let name: String
  /// The name in the new table, which differs from `name` only if a column of the new model has that name.
  let newName: String
  /// The type and the constraints, as the statement that created the table has them.
  private let rest: String
  /// Whether the engine computes the values, so that they are not copied.
  let isGenerated: Bool

  var isRenamed: Bool { name != newName }
  /// The column as a part of a `CREATE TABLE` statement.
  var definition: String { Self.quoted(newName) + rest }

  /// Returns the columns of the file's table `table` that are not among `known`.
  ///
  /// `taken` contains the names of the new table's columns.
  static func of(
    _ table: String,
    in file: StoredObjects,
    known: Set<String>,
    taken: Set<String>
  ) -> [ProgramColumn] {
    let stored = file.schema.columns[table] ?? []
    let definition = TableDefinition(file.definitions[table] ?? "")
    let rests = Dictionary(definition.columns.map { ($0.name, $0.rest) }) { first, _ in first }
    // The engine's list of columns has no generated columns.
    let generated = definition.columns.map(\.name).filter { !stored.contains($0) }
    var used = Set((taken.union(known).union(stored)).map { $0.uppercased() })
    return (stored + generated).filter { !known.contains($0) }.map { name in
      var newName = name
      if taken.contains(where: { $0.uppercased() == name.uppercased() }) {
        var number = 1
        repeat {
          newName = "\(name)_OLD" + (number == 1 ? "" : "\(number)")
          number += 1
        } while used.contains(newName.uppercased())
        used.insert(newName.uppercased())
      }
      return ProgramColumn(
        name: name,
        newName: newName,
        rest: rests[name] ?? "",
        isGenerated: !stored.contains(name)
      )
    }
  }

  static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
