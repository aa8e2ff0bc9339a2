// SPDX-License-Identifier: Apache-2.0

/// What a connection keeps from one write transaction to the next.
///
/// Most saves are small, and looking up or building these statements again would take longer than running
/// them.
struct WriteState {
  var begin: PreparedStatement?
  var commit: PreparedStatement?
  /// The version of the file's content (`Connection.contentVersion`) at the end of the connection's last
  /// transaction.
  ///
  /// Nil before the first transaction, and after a transaction that could not check whether the file still
  /// has the store's model.
  var version: UInt32?
  var keyBlocks = KeyBlocks()
  /// The statements that insert rows, by entity index.
  private var insertions: [RowBinding?] = []
  /// The statement with which the last row was updated.
  var update: (shape: UpdateStatements.Shape, binding: RowBinding)?

  func insertion(_ entity: Int) -> RowBinding? {
    entity < insertions.count ? insertions[entity] : nil
  }

  mutating func keep(_ insertion: RowBinding, _ entity: Int) {
    while insertions.count <= entity { insertions.append(nil) }
    insertions[entity] = insertion
  }
}
