// SPDX-License-Identifier: Apache-2.0

/// Matches the entities or properties of a new model with those of an old model.
///
/// An item without a renaming identifier matches the old item with its name. An item with an identifier
/// matches the first of these old items that exists: the item with the same name and identifier; the item
/// whose name is the identifier; the item with the same name; the item with the same identifier. The last two
/// cases do not apply to an old item that another new item matches in one of the first two cases.
///
/// Source: documented, “Using lightweight migration”, “Managing changes”.
struct RenameMatcher {
  /// A name and a renaming identifier; an identifier that is empty or equal to the name is ignored.
  struct Item {
    let name: String
    let identifier: String?

    init(_ name: String, _ identifier: String?) {
      self.name = name
      self.identifier = identifier == name || identifier?.isEmpty == true ? nil : identifier
    }
  }

  /// The indices of the old items, by the index of the new item; nil for an added item.
  private(set) var sources: [Int?] = []
  /// The new items whose renaming a migration cannot carry out, each with the reason.
  private(set) var problems: [(index: Int, reason: String)] = []

  init(old: [Item], new: [Item]) {
    let byName = Dictionary(zip(old.map(\.name), old.indices)) { first, _ in first }
    let identified = old.indices.compactMap { index in old[index].identifier.map { ($0, index) } }
    let byIdentifier = Dictionary(identified) { first, _ in first }
    let explicit = new.map { item -> Int? in
      guard let identifier = item.identifier else { return nil }
      if let same = byName[item.name], old[same].identifier == identifier { return same }
      return byName[identifier]
    }
    let claimed = Set(explicit.compactMap(\.self))
    sources = zip(new, explicit).map { item, source in
      if let source { return source }
      guard let identifier = item.identifier else { return byName[item.name] }
      if let same = byName[item.name], !claimed.contains(same) { return same }
      return byIdentifier[identifier].flatMap { claimed.contains($0) ? nil : $0 }
    }
    findShared(old, new)
    findCycles(old, new)
  }

  private mutating func findShared(_ old: [Item], _ new: [Item]) {
    var first: [Int: Int] = [:]
    for (index, source) in sources.enumerated() {
      guard let source else { continue }
      guard let other = first[source] else {
        first[source] = index
        continue
      }
      problems.append(
        (
          index,
          "“\(new[other].name)” and “\(new[index].name)” both match “\(old[source].name)” of the old model"
        )
      )
    }
  }

  private mutating func findCycles(_ old: [Item], _ new: [Item]) {
    var renamed: [String: (name: String, index: Int)] = [:]
    for (index, source) in sources.enumerated() {
      guard let source, old[source].name != new[index].name else { continue }
      renamed[old[source].name] = (new[index].name, index)
    }
    var seen: Set<String> = []
    for start in renamed.keys.sorted(by: utf8Less) where !seen.contains(start) {
      var path = [start]
      var next = renamed[start]?.name
      while let name = next, name != start, seen.insert(name).inserted {
        path.append(name)
        next = renamed[name]?.name
      }
      guard next == start, let index = renamed[start]?.index else { continue }
      problems.append(
        (
          index,
          "the renaming identifiers form a cycle: " + (path + [start]).joined(separator: " → ")
        )
      )
    }
  }
}
