// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The comparison of two stores of one model, object by object.
package struct ContentComparison {
  /// The greatest number of differences that are described.
  package static let limit = 20

  let model: ModelDefinition
  let first: any RowOrigin
  let second: any RowOrigin
  /// Returns the number that an object of the first store has in the second.
  let number: (_ number: Int64, _ root: Int) -> Int64
  /// The number of objects compared so far.
  package private(set) var count = 0
  /// Lines such as `Team/p7: name is “a” and “b”`, at most `limit`.
  package private(set) var differences: [String] = []
  private let progress: (Int) -> Void

  /// Creates a comparison of stores that do not change meanwhile.
  package init(
    _ first: any RowOrigin,
    _ second: any RowOrigin,
    model: ModelDefinition,
    number: @escaping (_ number: Int64, _ root: Int) -> Int64 = { number, _ in number },
    progress: @escaping (Int) -> Void = { _ in }
  ) {
    self.first = first
    self.second = second
    self.model = model
    self.number = number
    self.progress = progress
  }

  /// Compares keys and entities, all stored values, to-ones, and the members of every to-many, those of ordered
  /// ones in their order; stops when `limit` differences are found.
  ///
  /// - Throws: errors of the stores.
  /// - Complexity: O(objects); one block and the keys of one hierarchy are in memory.
  package mutating func run() throws {
    for root in model.entities where root.root == root.index {
      let common = try keys(of: root.index, first)
      try compare(common.map { mapped($0) }, keys(of: root.index, second))
      for start in stride(from: 0, to: common.count, by: ContentSource.blockSize) {
        if differences.count >= Self.limit { return }
        let block = Array(common[start..<min(start + ContentSource.blockSize, common.count)])
        try compareRows(block)
        try compareMembers(block)
        count += block.count
        progress(count)
      }
    }
  }

  private func keys(of root: Int, _ origin: any RowOrigin) throws -> [ObjectKey] {
    var description = FetchDescription(entity: root)
    description.shape = .keys
    guard case .keys(let keys) = try origin.fetch(description) else { return [] }
    return keys.sorted { $0.number < $1.number }
  }

  /// Returns the key that an object of the first store has in the second.
  private func mapped(_ key: ObjectKey) -> ObjectKey {
    let other = number(key.number, model.entities[key.entity].root)
    return ObjectKey(store: key.store, entity: key.entity, number: other) ?? key
  }

  /// Returns the key with the root entity, because not every store records the subentity of a destination.
  private func identity(_ key: ObjectKey) -> ObjectKey {
    key.with(entity: model.entities[key.entity].root)
  }

  private func name(_ key: ObjectKey) -> String {
    "\(model.entities[key.entity].name)/p\(key.number)"
  }

  private mutating func note(_ line: String) {
    if differences.count < Self.limit { differences.append(line) }
  }

  private mutating func compare(_ mine: [ObjectKey], _ theirs: [ObjectKey]) {
    let (left, right) = (Set(mine.map(\.raw)), Set(theirs.map(\.raw)))
    for key in mine where !right.contains(key.raw) {
      note("\(name(key)) is missing in the second store, or has another entity there")
    }
    for key in theirs where !left.contains(key.raw) {
      note("\(name(key)) is missing in the first store, or has another entity there")
    }
  }

  // MARK: Rows

  private mutating func compareRows(_ block: [ObjectKey]) throws {
    var places: [ObjectKey: LoadedRow] = [:]
    try second.rows(for: block.map { mapped($0) }).forEach { key, chunk, row in
      places[key] = LoadedRow(key: key, chunk: chunk, row: row)
    }
    var lines: [String] = []
    try first.rows(for: block).forEach { key, chunk, row in
      guard let other = places[mapped(key)] else { return }
      for slot in model.entities[key.entity].storedSlots {
        let (mine, theirs) = (chunk.value(row, slot), other.chunk.value(other.row, slot))
        if equal(mine, theirs) { continue }
        let property = model.entities[key.entity].properties[slot].name
        lines.append("\(name(key)): \(property) is \(text(mine)) and \(text(theirs))")
      }
    }
    for line in lines { note(line) }
  }

  private func equal(_ mine: Value, _ theirs: Value) -> Bool {
    switch (mine, theirs) {
    case (.null, .null): true
    case (.key(let mine), .key(let theirs)): identity(mapped(mine)) == identity(theirs)
    case (.bool(let mine), .bool(let theirs)): mine == theirs
    case (.int(let mine), .int(let theirs)): mine == theirs
    case (.double(let mine), .double(let theirs)): mine == theirs || mine.isNaN && theirs.isNaN
    case (.date(let mine), .date(let theirs)): mine == theirs
    case (.decimal(let mine), .decimal(let theirs)): mine == theirs || mine.isNaN && theirs.isNaN
    // Not by `==`, which takes texts with different bytes for equal.
    case (.text(let mine), .text(let theirs)): mine.utf8.elementsEqual(theirs.utf8)
    case (.data(let mine), .data(let theirs)): mine == theirs
    case (.uuid(let mine), .uuid(let theirs)): mine == theirs
    case (.url(let mine), .url(let theirs)): mine.absoluteString == theirs.absoluteString
    default: false
    }
  }

  private func text(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .text(let text): "“\(text.prefix(60))”"
    case .data(let data): "\(data.count) bytes"
    case .key(let key): name(key)
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .double(let value), .date(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .uuid(let value): "\(value)"
    case .url(let value): value.absoluteString
    default: "another value"
    }
  }

  // MARK: Members

  private mutating func compareMembers(_ block: [ObjectKey]) throws {
    for (index, owners) in Dictionary(grouping: block, by: \.entity).sorted(by: { $0.key < $1.key })
    {
      let entity = model.entities[index]
      for slot in entity.toManySlots where !entity.properties[slot].isTransient {
        let isOrdered = entity.properties[slot].relationship?.isOrdered ?? false
        let mine = try first.members(of: owners, slot: slot)
        let theirs = try second.members(of: owners.map { mapped($0) }, slot: slot)
        for (owner, (mine, theirs)) in zip(owners, zip(mine, theirs)) {
          let own = mine.map { identity(mapped($0)) }
          let theirs = theirs.map(identity)
          if isOrdered ? own == theirs : Set(own) == Set(theirs) && own.count == theirs.count {
            continue
          }
          let property = entity.properties[slot].name
          note(
            Set(own) == Set(theirs)
              ? "\(name(owner)): the members of \(property) have another order"
              : "\(name(owner)): \(property) has \(own.count) and \(theirs.count) members, or other members"
          )
        }
      }
    }
  }
}
