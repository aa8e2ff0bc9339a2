// SPDX-License-Identifier: Apache-2.0

/// Finds which names of a new model stand for which names of an old one; renaming identifiers are followed.
///
/// A renaming identifier that the old model has already for the same name says nothing new. Any other names
/// what the old model calls the thing, or the identifier that the old model gives it; where it is neither, the
/// name counts.
/// Source: documented, “Using lightweight migration”, “Managing changes”.
struct RenameMatcher {
  /// A name, and its renaming identifier where the model gives one.
  struct Item {
    let name: String
    let identifier: String?

    init(_ name: String, _ identifier: String?) {
      self.name = name
      self.identifier = identifier == name || identifier?.isEmpty == true ? nil : identifier
    }
  }

  /// By index of the new item: the index of the old one; nil where the item is new.
  private(set) var sources: [Int?] = []
  /// New items whose renaming cannot be followed, with the reason.
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
          "“\(new[other].name)” and “\(new[index].name)” are both renamed from “\(old[source].name)”"
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
