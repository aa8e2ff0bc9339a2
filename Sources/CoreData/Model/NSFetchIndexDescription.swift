// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An index of an entity: its name, its elements in order, and an optional predicate that limits the indexed
/// rows.
///
/// Source: documented, “NSFetchIndexDescription”.
open class NSFetchIndexDescription: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked: the index is changed only before the model is first used, and is read-only afterwards.

  /// The index's name, unique in its entity.
  open var name: String { willSet { willChange() } }
  private var storedElements: [NSFetchIndexElementDescription] = []
  /// The predicate that a row must match to be indexed; nil by default, which indexes all rows.
  @NSCopying open var partialIndexPredicate: NSPredicate? { willSet { willChange() } }
  /// The format of the predicate in the model file; nil for an index that has no predicate or was built in
  /// code.
  package var partialPredicateFormat: String? { willSet { willChange() } }
  private let reference = BackReference<NSFetchIndexDescription>()
  package var owner: BackReference<NSEntityDescription>?

  /// Creates an index with the given elements; nil means an empty list.
  public init(name: String, elements: [NSFetchIndexElementDescription]?) {
    self.name = name
    super.init()
    reference.set(self)
    setElements(elements ?? [])
  }

  deinit { reference.clear() }

  /// The entity of the index; nil if the index does not belong to an entity.
  open var entity: NSEntityDescription? { owner?.target }

  /// The indexed properties and expressions, in order.
  open var elements: [NSFetchIndexElementDescription] {
    get { storedElements }
    set {
      willChange()
      setElements(newValue)
    }
  }

  /// Returns a copy that has copied elements and does not belong to an entity.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copied = storedElements.map { $0.duplicate() }
    let copy = NSFetchIndexDescription(name: name, elements: copied)
    copy.partialIndexPredicate = partialIndexPredicate
    copy.partialPredicateFormat = partialPredicateFormat
    return copy
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSFetchIndexDescription else { return false }
    return name == other.name && storedElements == other.storedElements
      && partialIndexPredicate == other.partialIndexPredicate
      && partialPredicateFormat == other.partialPredicateFormat
  }
  open override var hash: Int { name.hashValue }
  open override var description: String {
    "<NSFetchIndexDescription: (\(entity?.name ?? "(null)"):\(name), "
      + "elements: \(storedElements), predicate: \(partialIndexPredicate?.description ?? "(null)"))>"
  }

  package func willChange() { owner?.target?.willChange() }

  private func setElements(_ elements: [NSFetchIndexElementDescription]) {
    for element in storedElements { element.owner = nil }
    storedElements = elements
    for element in elements { element.owner = reference }
  }
}
