// SPDX-License-Identifier: Apache-2.0

extension ModelUnarchiver {
  /// Reads a fetch request template, or the request of a fetched property.
  ///
  /// - Throws: `ModelError` if the request is missing or cannot be read. The caller must add the names of the
  ///   request, the entity and the property.
  mutating func template(
    _ name: String,
    _ object: PropertyListNode?
  ) throws -> FetchRequestTemplate {
    guard let object else {
      throw ModelError(reason: "the archive does not contain the fetch request")
    }
    guard archive.className(object) == "NSFetchRequest" else {
      throw ModelError(
        reason: "the archived fetch request \(archive.mismatch(object, "NSFetchRequest"))"
      )
    }
    let entity =
      archive.text(object["NSEntityName"])
      ?? archive.text(archive[object["NSEntity"]]?["NSEntityName"])
    var template = FetchRequestTemplate(name: name, entity: entity ?? "")
    template.predicateFormat = try located("the predicate") {
      try $0.predicate(object["NSPredicate"])
    }
    template.resultType = UInt(clamping: archive.integer(object["NSResultType"]) ?? 0)
    template.fetchLimit = Int(clamping: archive.integer(object["NSFetchLimit"]) ?? 0)
    template.fetchOffset = Int(clamping: archive.integer(object["NSFetchOffset"]) ?? 0)
    template.fetchBatchSize = Int(clamping: archive.integer(object["NSBatchSize"]) ?? 0)
    if archive.flag(object["NSHasFetchRequestFlags"]) {
      template.archivedFlags = archive.integer(object["NSFetchRequestFlags"]) ?? 30
    }
    for descriptor in archive.members(object["NSSortDescriptors"]) {
      try spend(1)
      guard let key = archive.text(descriptor["NSKey"]) else { continue }
      template.sort.append(
        RequestSort(
          key: key,
          isAscending: archive.flag(descriptor["NSAscending"]),
          selector: archive.text(descriptor["NSSelector"]) ?? RequestSort.comparing
        )
      )
    }
    return template
  }
}

extension FetchRequestTemplate {
  /// The Boolean options of the request as the bits of an integer, as archives store them.
  ///
  /// Source: observed for 1 (distinct), 4 (property values), 16 (pending changes) and the default 30. The
  /// meanings of 2 and 8 are assumed, because every archive seen has both or neither.
  var archivedFlags: Int64 {
    get {
      (returnsDistinctResults ? 1 : 0) | (includesSubentities ? 2 : 0)
        | (includesPropertyValues ? 4 : 0) | (returnsObjectsAsFaults ? 8 : 0)
        | (includesPendingChanges ? 16 : 0)
    }
    set {
      returnsDistinctResults = newValue & 1 != 0
      includesSubentities = newValue & 2 != 0
      includesPropertyValues = newValue & 4 != 0
      returnsObjectsAsFaults = newValue & 8 != 0
      includesPendingChanges = newValue & 16 != 0
    }
  }
}
