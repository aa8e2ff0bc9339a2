// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// The columns in which a history stores the changed properties of an object, and the preserved values of a
/// deleted object.
package struct HistoryLayout: Sendable {
  /// The `ZCOLUMNS` bits and the preserved attributes of one entity.
  package struct Entity: Sendable {
    /// Slot → bit of `ZCOLUMNS`, where bit 0 is the most significant bit of the first byte; -1 for a slot
    /// without a bit.
    fileprivate let bits: [Int]
    /// Bit → slot.
    fileprivate let slots: [Int]
    /// The columns of the attributes whose values are preserved after deletion, in the order of the tombstone
    /// columns.
    ///
    /// An element is nil for an attribute whose value cannot be kept in a tombstone column.
    package let kept: [PropertyColumn?]
    package var keepsValues: Bool { kept.contains { $0 != nil } }

    /// Assigns bits to to-ones, attributes and to-manys, in this order.
    ///
    /// Within each of these kinds, inherited properties come first; the properties of one entity are sorted
    /// by name. A to-one with a column for the entity number of its destination takes two bits; transient and
    /// fetched properties take no bit.
    ///
    /// Source: observed, the updates in five stores.
    init(_ entity: EntityDefinition, _ layout: Layout) {
      let lasting = entity.properties.filter { !$0.isTransient && !$0.isFetched }
        .sorted {
          $0.declaringEntity == $1.declaringEntity
            ? utf8Less($0.name, $1.name) : $0.declaringEntity < $1.declaringEntity
        }
      let place = layout.entities[entity.index]
      var bits = [Int](repeating: -1, count: entity.properties.count)
      var slots: [Int] = []
      let kinds: [(PropertyDefinition) -> Bool] = [
        { $0.isToOne }, { $0.attribute != nil }, { $0.isToMany },
      ]
      for isOfKind in kinds {
        for property in lasting where isOfKind(property) {
          bits[property.slot] = slots.count
          slots.append(property.slot)
          if place.column(property.slot)?.entityColumn != nil { slots.append(property.slot) }
        }
      }
      self.bits = bits
      self.slots = slots
      kept = lasting.filter { $0.attribute?.preservesValueInHistory ?? false }
        .map { place.column($0.slot).flatMap { $0.isTagged || !$0.parts.isEmpty ? nil : $0 } }
    }

    /// Returns the bitmap for an update that changes these slots; slots without a bit are ignored.
    package func bitmap(_ changed: some Sequence<Int>) -> Data {
      var bytes = Data(count: (slots.count + 7) / 8)
      for slot in changed where bits[slot] >= 0 {
        bytes[bits[slot] / 8] |= 0x80 >> UInt8(bits[slot] % 8)
      }
      return bytes
    }

    /// Returns the slots whose bits are set in a bitmap; bits beyond those of the entity are ignored.
    package func slots(of bitmap: Data) -> SlotSet {
      var changed = SlotSet()
      for (index, byte) in bitmap.enumerated() where byte != 0 {
        for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 {
          if index * 8 + bit < slots.count { changed.insert(slots[index * 8 + bit]) }
        }
      }
      return changed
    }
  }

  /// The bits and the preserved attributes of each entity, by entity index.
  package let entities: [Entity]
  /// The number of tombstone columns that the statements use.
  ///
  /// Initially this is the most that any entity needs. For a file with fewer tombstone columns, it is reduced
  /// to the number in the file.
  package var tombstones: Int

  package init(_ layout: Layout) {
    entities = layout.model.entities.map { Entity($0, layout) }
    tombstones = entities.map(\.kept.count).max() ?? 0
  }

  /// The INSERT of one change; the parameters are the change's primary key and kind, the object's `Z_ENT` and
  /// `Z_PK`, the transaction's primary key, and the bitmap.
  package static let insertChange = Statement(
    text: "INSERT INTO ACHANGE"
      + "(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) "
      + "VALUES(?, \(HistorySchema.changeNumber), ?, ?, ?, ?, ?)"
  )

  /// A query for the highest primary key ever used for a change (0 if there was no change) and the highest
  /// ever used for a transaction (0 if there was no transaction).
  package static let selectLastNumbers: Statement = {
    let changes = PrimaryKeys.highestOrZero(
      of: HistorySchema.changeNumber,
      in: HistorySchema.changes
    )
    return SQL("SELECT \(changes), \(lastTransaction)").statement
  }()

  /// A query for the highest primary key ever used for a string; 0 if there was no string.
  package static let selectLastString: Statement = {
    let strings = PrimaryKeys.highestOrZero(
      of: HistorySchema.stringNumber,
      in: HistorySchema.strings
    )
    return SQL("SELECT \(strings)").statement
  }()

  /// A query for the lowest primary key of a transaction in the history, and the highest ever used for a
  /// transaction.
  ///
  /// The first is NULL if the history is empty, and the second is 0 if there was never a transaction.
  package static let selectExtent = SQL(
    """
    SELECT (SELECT MIN(Z_PK) FROM \(name: HistorySchema.transactions)), \(lastTransaction)
    """
  ).statement

  private static let lastTransaction = PrimaryKeys.highestOrZero(
    of: HistorySchema.transactionNumber,
    in: HistorySchema.transactions
  )

  /// The INSERT of one transaction; the parameters are the transaction's primary key, the primary keys of the
  /// strings for author, bundle, context name and process, and the time.
  package static let insertTransaction = Statement(
    text: "INSERT INTO ATRANSACTION(Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, "
      + "ZPROCESSIDTS, ZTIMESTAMP) VALUES(?, \(HistorySchema.transactionNumber), ?, ?, ?, ?, ?)"
  )

  /// A query for the primary key and value of each stored string that is in a list; the list is bound as a
  /// JSON array.
  package static let selectStrings = Statement(
    text: "SELECT Z_PK, ZNAME FROM ATRANSACTIONSTRING "
      + "WHERE ZNAME IN (SELECT value FROM json_each(?))"
  )

  /// The INSERT of one string; the parameters are the string's primary key and value.
  package static let insertString = Statement(
    text: "INSERT INTO ATRANSACTIONSTRING(Z_PK, Z_ENT, ZNAME) "
      + "VALUES(?, \(HistorySchema.stringNumber), ?)"
  )

  /// Returns a statement that records the deletion of rows, with their preserved values; must run before the
  /// rows are deleted.
  ///
  /// The parameters are the primary key of the first change, the primary key of the transaction, and the
  /// primary keys of the rows as a JSON array.
  package func insertDeletions(of entity: EntityLayout) -> Statement {
    let columns = entities[entity.entity].kept.enumerated().compactMap { index, column in
      column.map { (HistorySchema.tombstone(index), "t." + $0.name) }
    }
    let names = columns.map { ", " + $0.0 }.joined()
    let values = columns.map { ", " + $0.1 }.joined()
    return Statement(
      text: "INSERT INTO ACHANGE"
        + "(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID\(names)) "
        + "SELECT ? + j.key, \(HistorySchema.changeNumber), 2, t.Z_ENT, t.Z_PK, ?\(values) "
        + "FROM json_each(?) AS j JOIN \(entity.table) AS t ON t.Z_PK = j.value"
    )
  }

  /// A query for the changes of the transactions whose primary keys are bound as a JSON array.
  ///
  /// The columns are the change's primary key and kind, the object's `Z_ENT` and `Z_PK`, the transaction's
  /// primary key, the bitmap, and the preserved values.
  package var selectChanges: Statement {
    let values = (0..<tombstones).map { ", " + HistorySchema.tombstone($0) }.joined()
    return Statement(
      text: "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(values) "
        + "FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT value FROM json_each(?)) "
        + "ORDER BY ZTRANSACTIONID, Z_PK"
    )
  }

  /// Returns a statement that selects transactions in the order of their primary keys.
  ///
  /// The columns are primary key, time, author, context name, bundle and process.
  package static func selectTransactions(_ range: HistoryRange) -> Statement {
    let texts = ["AUTHOR", "CONTEXTNAME", "BUNDLEID", "PROCESSID"].map { name in
      "COALESCE((SELECT ZNAME FROM ATRANSACTIONSTRING AS s WHERE s.Z_PK = t.Z\(name)TS), t.Z\(name))"
    }
    let columns = texts.joined(separator: ", ")
    let sql: SQL = """
      SELECT t.Z_PK, t.ZTIMESTAMP, \(name: columns) FROM ATRANSACTION AS t\
      \(condition(range)) ORDER BY t.Z_PK
      """
    return sql.statement
  }

  /// The statements that delete a part of the history, in the order in which they run.
  package struct Deletion {
    package let changes: Statement
    package let transactions: Statement
    /// The statement that deletes the strings that no transaction uses any longer.
    package let names: Statement
  }

  /// Returns the statements that delete the transactions of a range, their changes, and the strings that no
  /// remaining transaction uses.
  package static func delete(_ range: HistoryRange) -> Deletion {
    let transactions: SQL = "FROM ATRANSACTION AS t\(condition(range))"
    let changes: SQL = """
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT t.Z_PK \(transactions))
      """
    let named = ["AUTHOR", "CONTEXTNAME", "BUNDLEID", "PROCESSID"].map {
      "SELECT Z\($0)TS FROM ATRANSACTION WHERE Z\($0)TS IS NOT NULL"
    }
    return Deletion(
      changes: changes.statement,
      transactions: SQL("DELETE \(transactions)").statement,
      names: Statement(
        text: "DELETE FROM ATRANSACTIONSTRING WHERE Z_PK NOT IN "
          + "(\(named.joined(separator: " UNION ")))"
      )
    )
  }

  private static func condition(_ range: HistoryRange) -> SQL {
    switch range {
    case .all: ""
    case .after(let number): " WHERE t.Z_PK > \(bind: .integer(number))"
    case .before(let number): " WHERE t.Z_PK < \(bind: .integer(number))"
    case .since(let seconds): " WHERE t.ZTIMESTAMP > \(bind: .double(seconds))"
    case .until(let seconds): " WHERE t.ZTIMESTAMP < \(bind: .double(seconds))"
    }
  }
}
