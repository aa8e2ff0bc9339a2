// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

extension StoreReport {
  /// Returns the report as text.
  ///
  /// The table of entities is limited to `width` terminal columns; nil means no limit.
  package func text(width: Int?) -> String {
    var lines = [path, ""]
    lines += pairs(facts)
    lines.append("")
    lines += table(width)
    if let history { lines += [""] + pairs(self.facts(of: history)) }
    return lines.joined(separator: "\n") + "\n"
  }

  private var facts: [(String, String)] {
    var facts = [
      ("UUID", metadata.uuid ?? "none"),
      ("Type", metadata.type ?? "unknown"),
    ]
    if let version = metadata.values[StoreMetadata.frameworkVersionKey] {
      facts.append(("Framework", "\(version)"))
    }
    if !modelVersions.isEmpty {
      facts.append(("Model version", modelVersions.joined(separator: ", ")))
    }
    facts.append(("Model cache", hasModelCache ? "in the file" : "none"))
    facts.append(("Journal", journal))
    facts.append(
      ("Size", sizes.map { "\(CellText.bytes($0.bytes)) \($0.name)" }.joined(separator: ", "))
    )
    let free = freePages == 0 ? "" : ", \(CellText.count(freePages)) of them free"
    facts.append(("Pages", "\(CellText.count(pages)) of \(pageSize) bytes\(free)"))
    if externalFiles.count > 0 {
      facts.append(
        (
          "External data",
          "\(CellText.count(externalFiles.count, "file")), \(CellText.bytes(externalFiles.bytes))"
        )
      )
    }
    facts.append(("Entities", "\(entities.count), \(CellText.objects(count))"))
    return facts
  }

  private var modelVersions: [String] {
    (metadata.values[StoreMetadata.identifiersKey] as? [String] ?? []).filter { !$0.isEmpty }
  }

  private func facts(of history: HistoryReport) -> [(String, String)] {
    var text = CellText.count(history.transactions, "transaction")
    if let first = history.first, let last = history.last {
      text += " from \(CellText.date(first)) to \(CellText.date(last))"
    }
    if let historyBytes { text += ", \(CellText.bytes(historyBytes))" }
    return [
      ("History", text),
      (
        "Changes",
        "\(CellText.count(history.inserts, "insert")), \(CellText.count(history.updates, "update")), "
          + CellText.count(history.deletes, "delete")
      ),
    ]
  }

  private func pairs(_ facts: [(String, String)]) -> [String] {
    let width = facts.map(\.0.count).max() ?? 0
    return facts.map { $0.padding(toLength: width + 2, withPad: " ", startingAt: 0) + $1 }
  }

  /// The names of the columns of `rows`.
  package static let columns = [
    "entity", "number", "parent", "table", "objects", "lastKey", "bytes",
  ]

  /// A row for each entity, with the values of `columns`.
  package var rows: [[Value]] {
    entities.map { entity in
      [
        .text(entity.name), .int(entity.number), entity.parent.map(Value.text) ?? .null,
        entity.table.map(Value.text) ?? .null, entity.count.map { .int(Int64($0)) } ?? .null,
        entity.rootKey.map(Value.int) ?? .null,
        bytes(of: entity).map { .int(Int64($0)) } ?? .null,
      ]
    }
  }

  private func table(_ width: Int?) -> [String] {
    let parents = Dictionary(entities.map { ($0.name, $0.parent) }) { first, _ in first }
    let shown = entities.map { entity -> [Value] in
      [
        .text(indented(entity, parents)), .int(entity.number),
        entity.table.map(Value.text) ?? .null,
        entity.count.map { .int(Int64($0)) } ?? .null,
        entity.rootKey.map(Value.int) ?? .null,
      ] + size(bytes(of: entity))
    }
    let joined = joins.map { join -> [Value] in
      [.text("(pairs)"), .null, .text(join.name), .int(Int64(join.count)), .null]
        + size(tableSizes?[join.name])
    }
    let table = TextTable(
      columns: ["Entity", "Number", "Table", "Objects", "Last key"]
        + (tableSizes == nil ? [] : ["Size"]),
      sample: shown + joined,
      width: width
    )
    return table.head + (shown + joined).map(table.line)
  }

  private func size(_ bytes: Int?) -> [Value] {
    tableSizes == nil ? [] : [bytes.map { .text(CellText.bytes($0)) } ?? .null]
  }

  private func indented(_ entity: Entity, _ parents: [String: String?]) -> String {
    var depth = 0
    var parent = entity.parent
    while let name = parent, depth < Self.depth {
      depth += 1
      parent = parents[name] ?? nil
    }
    return String(repeating: "  ", count: depth) + entity.name
  }

  /// The report as one JSON object.
  package var json: String {
    var members: [(String, Value)] = [
      ("path", .text(path)), ("uuid", metadata.uuid.map(Value.text) ?? .null),
      ("type", metadata.type.map(Value.text) ?? .null),
      (
        "framework",
        metadata.values[StoreMetadata.frameworkVersionKey].map(MetadataText.value) ?? .null
      ),
      ("modelVersions", .collection(ValueCollection(.array, modelVersions.map(Value.text)))),
      ("journal", .text(journal)), ("pageSize", .int(Int64(pageSize))),
      ("pages", .int(Int64(pages))), ("freePages", .int(Int64(freePages))),
      ("hasModelCache", .bool(hasModelCache)), ("objects", .int(Int64(count))),
      ("externalFiles", .int(Int64(externalFiles.count))),
      ("externalBytes", .int(Int64(externalFiles.bytes))),
      (
        "sizes",
        .dictionary(
          Dictionary(sizes.map { ($0.name, .int(Int64($0.bytes))) }) { first, _ in first }
        )
      ),
      (
        "joins",
        .dictionary(
          Dictionary(joins.map { ($0.name, .int(Int64($0.count))) }) { first, _ in first }
        )
      ),
      (
        "entities",
        .collection(
          ValueCollection(
            .array,
            rows.map { .dictionary(Dictionary(zip(Self.columns, $0)) { first, _ in first }) }
          )
        )
      ),
    ]
    if let history {
      let numbers = [
        "transactions": history.transactions, "inserts": history.inserts,
        "updates": history.updates, "deletes": history.deletes,
      ]
      var told = numbers.mapValues { Value.int(Int64($0)) }
      told["first"] = history.first.map(Value.date) ?? .null
      told["last"] = history.last.map(Value.date) ?? .null
      if let historyBytes { told["bytes"] = .int(Int64(historyBytes)) }
      members.append(("history", .dictionary(told)))
    }
    return JSONText.object(members)
  }
}

extension StoreReport.Entity {
  /// The last primary key of a root entity; nil for any other entity, and if the value is not an integer.
  fileprivate var rootKey: Int64? { parent == nil ? lastKey : nil }
}
