// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Finds the sections of a fetch without reading every row's section name: in the cache, or with a statement
/// that counts the rows of each section.
extension ResultsFetch {
  /// Returns the cache of the fetch's sections.
  ///
  /// Returns nil if there is no cache name or no section key path, or if cached sections could be wrong, for
  /// example because of unsaved changes.
  func sectionCache() -> SectionCache? {
    guard let cacheName, sectionNameKeyPath != nil, !context.graph.hasChanges,
      context.parentSource == nil, let digest = digest()
    else { return nil }
    return SectionCache(name: cacheName, request: digest) { [context, description] in
      var state = Data()
      // The error is dropped: without a state token nothing is cached, and the fetch itself throws the
      // stores' errors.
      guard let origins = try? context.origins(of: description) else { return nil }
      for origin in origins {
        guard let store = origin as? any RowStore, let token = store.stateToken() else {
          return nil
        }
        state += Data(store.identifier.utf8)
        state += token
      }
      return state
    }
  }

  /// Returns the sections of a batched fetch that found `total` rows.
  ///
  /// The store counts the rows of each section, so that no batch is read for its section names.
  ///
  /// Returns nil if the sections cannot be counted, for example because the fetch has no batch size or has a
  /// limit.
  /// - Complexity: one statement.
  func countedSections(of total: Int) -> [KnownSection]? {
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
    // The error is dropped: the sections are determined from the fetched objects, and the fetch itself throws
    // the stores' errors.
    guard let origins = try? context.origins(of: description), origins.count == 1,
      case .dictionaries(let rows)? = try? origins[0].fetch(counting)
    else { return nil }
    return Self.sections(of: rows, total: total)
  }

  /// Converts rows with a section name and a count to sections; returns nil if a row has another form.
  private static func sections(of rows: [[Value]], total: Int) -> [KnownSection]? {
    var sections: [KnownSection] = []
    let named = rows.reduce(0) { sum, row in
      if case .int(let count)? = row.last { sum + Int(count) } else { sum }
    }
    for row in rows {
      guard row.count == 2, case .int(var count) = row[1] else { return nil }
      // SQL's `COUNT` of a column does not include rows in which the column is NULL.
      if row[0].isNull { count = Int64(total - named) }
      let name = SectionNames.name(of: row[0])
      // A nil section name is equal to the empty section name.
      if let last = sections.last, SectionNames.areSame(last.name, name) {
        sections.removeLast()
        sections.append(KnownSection(name: name, count: last.count + Int(count)))
      } else {
        sections.append(KnownSection(name: name, count: Int(count)))
      }
    }
    return sections
  }

  /// Returns a digest of everything on which sections depend, except for the content of the stores; nil if
  /// the condition or the order contains a part without a format, such as a block.
  private func digest() -> Data? {
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
    // A section name can be computed by the program's code, whose result may depend on the locale and time
    // zone.
    parts.append(Locale.current.identifier)
    parts.append(TimeZone.current.identifier)
    parts.append(programFingerprint)
    var digest = SHA256()
    for part in parts {
      digest.update("\(part.utf8.count):")
      digest.update(part)
    }
    return digest.hash()
  }
}

private let programFingerprint: String = {
  let path = Bundle.main.executablePath ?? CommandLine.arguments.first ?? ""
  // The error is dropped: without the attributes, the fingerprint consists of the path alone.
  let attributes = try? FileManager.default.attributesOfItem(atPath: path)
  let date = (attributes?[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
  return "\(path) \(attributes?[.size] ?? 0) \(date)"
}()
