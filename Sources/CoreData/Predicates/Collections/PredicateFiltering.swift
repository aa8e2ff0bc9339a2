// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

extension Sequence {
  /// Returns the elements that match a predicate, in their order.
  ///
  /// Not in Apple's framework.
  ///
  /// Elements can be of any type. Values of custom types are read through `KeyValueReadable` or, if their
  /// type does not conform, by their stored properties. Stops the program if the predicate cannot be
  /// evaluated.
  /// - Complexity: O(n) evaluations; the predicate is prepared once.
  /// - Source: this library's choice; in Apple's framework `NSArray` has such a method.
  public func filtered(using predicate: NSPredicate) -> [Element] {
    let prepared = predicate.preparedCondition
    return filter { PredicateCore.holds(prepared, $0) }
  }

  /// Returns the elements sorted by sort descriptors in order of precedence; elements that the descriptors
  /// order equally keep their order.
  ///
  /// Not in Apple's framework.
  ///
  /// Stops the program if a key of an element cannot be read, or if a descriptor's key path has no name.
  /// - Complexity: O(n log n) comparisons; every key of every element is read once.
  /// - Source: this library's choice; in Apple's framework `NSArray` has such a method.
  public func sorted(using sortDescriptors: [NSSortDescriptor]) -> [Element] {
    let elements = Array(self)
    do {
      let order = SortOrder(sortDescriptors.map(\.sortKey))
      return try order.sorted(elements) { Value(any: $0).evaluated }
    } catch let error as UnknownKey {
      Misuse.undefinedKey(error)
    } catch {
      Misuse.failedEvaluation("\(error)")
    }
  }
}

extension Set {
  /// Returns the members that match a predicate; stops the program if the predicate cannot be evaluated.
  ///
  /// Not in Apple's framework.
  ///
  /// Source: this library's choice; in Apple's framework `NSSet` has such a method.
  public func filtered(using predicate: NSPredicate) -> Set<Element> {
    let prepared = predicate.preparedCondition
    return filter { PredicateCore.holds(prepared, $0) }
  }
}

extension Array {
  /// Removes the elements that do not match a predicate; stops the program if the predicate cannot be
  /// evaluated.
  ///
  /// Not in Apple's framework.
  ///
  /// Source: this library's choice; in Apple's framework `NSMutableArray` has such a method.
  public mutating func filter(using predicate: NSPredicate) {
    let prepared = predicate.preparedCondition
    removeAll { !PredicateCore.holds(prepared, $0) }
  }
}
