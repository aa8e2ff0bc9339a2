// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// The inserts that SQLite combines with stored rows that have the same unique values.
///
/// All inserts with the same entity and `Fold` share one statement, which finds the stored row by an index of
/// a uniqueness constraint.
extension BatchWriter {
  private struct Shape: Hashable {
    let entity: Int
    let fold: SaveBatch.Fold
  }

  /// Inserts the objects of the batch; an insert with a fold is combined with a stored row that has the same
  /// unique values.
  ///
  /// - Returns: the dictionary for `SaveOutcome.folded`.
  /// - Throws: `StoreError.constraint` if two inserts have equal unique values and one would change the row
  ///   of the other, or if an insert has unique values of two different rows.
  func insertFolding(_ batch: SaveBatch, keys: [ObjectKey]) throws -> [Int: ObjectKey?] {
    var folded: [Int: ObjectKey?] = [:]
    var prepared: [Shape: RowBinding] = [:]
    var own: Set<ObjectKey>?
    var replaced: [Int: ReplacedFiles] = [:]
    for (index, insert) in batch.inserts.enumerated() {
      let key = keys[index]
      guard let fold = batch.folds[index] else {
        try self.insert([insert], keys: [key])
        continue
      }
      if case .write = fold, replaced[key.entity] == nil {
        replaced[key.entity] =
          try ReplacedFiles(of: key.entity, store: store, connection: connection)
      }
      let shape = Shape(entity: key.entity, fold: fold)
      let binding = try prepared[shape] ?? prepare(shape)
      prepared[shape] = binding
      try binding.statement.bind(key.number, at: 1)
      try binding.bind(insert.chunk, insert.row, first: 2, references: self)
      guard let number = try written(binding.statement, insert.key) else {
        folded[index] = .some(nil)
        continue
      }
      if number == key.number { continue }
      let survivor = try store.key(key.entity, number)
      if own == nil { own = Set(keys) }
      if own?.contains(survivor) == true {
        let entity = store.model.entities[key.entity]
        let names = entity.uniquenessConstraints.map { "(\($0.joined(separator: ", ")))" }
        throw StoreError(
          .constraint,
          "two objects of this save have equal values for "
            + (names.count == 1
              ? "the uniqueness constraint " : "one of the uniqueness constraints ")
            + "\(names.joined(separator: ", ")) of \(entity.name). Change the values of one of the objects, "
            + "or delete one of the objects, and save again",
          path: store.options.path,
          keys: [insert.key]
        )
      }
      folded[index] = survivor
    }
    for replaced in replaced.values { try replaced.finish(files) }
    return folded
  }

  private func prepare(_ shape: Shape) throws -> RowBinding {
    let slots: SlotSet? =
      switch shape.fold {
      case .write(let slots): slots
      case .keep: nil
      }
    let rows = store.statements.inserts[shape.entity]
      .folding(store.layout.entities[shape.entity], slots)
    return RowBinding(
      try connection.statement(rows.statement),
      rows,
      numbers: store.statements.numbers
    )
  }

  private func written(_ statement: PreparedStatement, _ key: ObjectKey) throws -> Int64? {
    do {
      return try statement.integer()
    } catch var error as StoreError where error.code == .constraint {
      error.keys = [key]
      throw error
    }
  }
}
