// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An index of an entity: a name and the properties it sorts by, in their order.
///
/// Source: documented, “NSFetchIndexDescription”.
open class NSFetchIndexDescription: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked: changed only before a coordinator uses the model, read-only from then on.

  /// The index's name, unique in its entity.
  open var name: String { willSet { willChange() } }
  private var storedElements: [NSFetchIndexElementDescription] = []
  /// Restricts the index to the rows that meet it; nil at first.
  @NSCopying open var partialIndexPredicate: NSPredicate? { willSet { willChange() } }
  /// The text of the predicate as a model file has it.
  package var partialPredicateFormat: String? { willSet { willChange() } }
  private let reference = BackReference<NSFetchIndexDescription>()
  package var owner: BackReference<NSEntityDescription>?

  /// An index of these elements; nil for none yet.
  public init(name: String, elements: [NSFetchIndexElementDescription]?) {
    self.name = name
    super.init()
    reference.set(self)
    adopt(elements ?? [])
  }

  deinit { reference.clear() }

  /// The entity of the index, nil outside one.
  open var entity: NSEntityDescription? { owner?.target }

  /// The elements, in their order.
  open var elements: [NSFetchIndexElementDescription] {
    get { storedElements }
    set {
      willChange()
      adopt(newValue)
    }
  }

  /// A copy with copied elements, which belongs to no entity.
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

  private func adopt(_ elements: [NSFetchIndexElementDescription]) {
    for element in storedElements { element.owner = nil }
    storedElements = elements
    for element in elements { element.owner = reference }
  }
}
