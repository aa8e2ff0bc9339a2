// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// How the sections outlive the program.
extension TrackedResults {
  /// The cache for a fetch; nil without a cache name or sections, and where what is kept could be wrong:
  /// with unsaved changes, conditions or orders that only a block knows, and stores that cannot tell
  /// their state.
  func sectionCache<Result>(
    _ description: FetchDescription,
    _ request: NSFetchRequest<Result>
  ) -> SectionCache? {
    guard let cacheName, isSectioned, !context.graph.hasChanges, context.parentSource == nil,
      let digest = digest(description, request)
    else { return nil }
    return SectionCache(name: cacheName, request: digest) { [context] in
      var state = Data()
      // Without a state nothing is cached; the fetch itself throws what failed.
      guard let sources = try? context.sources(description) else { return nil }
      for source in sources {
        guard let store = source as? any RowStore, let token = store.stateToken() else {
          return nil
        }
        state += Data(store.identifier.utf8)
        state += token
      }
      return state
    }
  }

  /// The sections of a fetch in batches, counted by the store, so that no row is read for its name; nil
  /// where the store cannot count them.
  ///
  /// It can where the section key path leads the sort, the list is whole, and nothing is unsaved.
  /// - Complexity: one statement.
  func countedSections<Result>(
    _ description: FetchDescription,
    _ request: NSFetchRequest<Result>,
    of total: Int
  ) -> [KnownSection]? {
    guard request.fetchBatchSize > 0, let path = sectionNameKeyPath,
      let first = description.order.first, first.keyPath == path, first.comparison == .standard,
      description.limit == 0, description.offset == 0, !context.graph.hasChanges,
      context.parentSource == nil
    else { return nil }
    var counting = description
    counting.order = [first]
    var shape = DictionaryShape(columns: [
      .init(name: path, term: .keyPath(path)),
      .init(name: "@count", term: .function(.aggregate(.count), [.keyPath(path)])),
    ])
    shape.groupBy = [.keyPath(path)]
    counting.shape = .dictionaries(shape)
    // Without counts the fetched objects are counted; the fetch itself throws what failed.
    guard let sources = try? context.sources(description), sources.count == 1,
      case .dictionaries(let rows)? = try? sources[0].fetch(counting)
    else { return nil }
    var sections: [KnownSection] = []
    let named = rows.reduce(0) { sum, row in
      if case .int(let count)? = row.last { sum + Int(count) } else { sum }
    }
    for row in rows {
      guard row.count == 2, case .int(var count) = row[1] else { return nil }
      // What is nil is not counted.
      if row[0].isNull { count = Int64(total - named) }
      let name = SectionNames.name(of: row[0])
      // Nil and the empty text have one name.
      if let last = sections.last, SectionNames.areSame(last.name, name) {
        sections.removeLast()
        sections.append(KnownSection(name: name, count: last.count + Int(count)))
      } else {
        sections.append(KnownSection(name: name, count: Int(count)))
      }
    }
    return sections
  }

  /// Everything but the rows that decides which sections there are, as a digest.
  private func digest<Result>(
    _ description: FetchDescription,
    _ request: NSFetchRequest<Result>
  ) -> Data? {
    var parts: [String] = []
    let model = context.registry.model
    let entity = model.entities[description.entity]
    parts.append(entity.name)
    parts.append(ModelHashes(model: model).byEntity[entity.name]?.base64EncodedString() ?? "")
    if let condition = description.condition {
      if condition.isOpaque { return nil }
      parts.append(condition.format)
    }
    for key in description.order {
      if case .opaque = key.comparison { return nil }
      parts.append("\(key.keyPath) \(key.ascending) \(key.comparison)")
    }
    parts.append(sectionNameKeyPath ?? "")
    parts.append("\(description.includesSubentities) \(request.includesPendingChanges)")
    parts.append("\(description.limit) \(description.offset)")
    // What a class computes may depend on these, and on the program.
    parts.append(Locale.current.identifier)
    parts.append(TimeZone.current.identifier)
    parts.append(Self.program)
    var digest = SHA256()
    for part in parts {
      digest.update("\(part.utf8.count):")
      digest.update(part)
    }
    return digest.hash()
  }

  /// The executable's path, size and date.
  private static let program: String = {
    let path = Bundle.main.executablePath ?? CommandLine.arguments.first ?? ""
    // Part of a fingerprint: unknown values are as good as others while they stay the same.
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let date = (attributes?[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
    return "\(path) \(attributes?[.size] ?? 0) \(date)"
  }()
}

extension Condition {
  /// Whether a part of it is a block.
  fileprivate var isOpaque: Bool {
    switch self {
    case .opaque: true
    case .constant: false
    case .and(let parts), .or(let parts): parts.contains(where: \.isOpaque)
    case .not(let part): part.isOpaque
    case .comparison: format.contains("BLOCK")
    }
  }
}
