// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

extension Sequence {
  /// The elements for which a predicate holds, in their order.
  ///
  /// Not in Apple's framework.
  ///
  /// Elements are managed objects, dictionaries, Foundation's and Swift's values, types that adopt
  /// `KeyValueReadable`, and any others by their stored properties. A predicate that cannot be evaluated
  /// stops the program. Source: chosen; Apple filters `NSArray`s.
  ///
  /// - Complexity: O(n); the predicate is made ready once.
  public func filtered(using predicate: NSPredicate) -> [Element] {
    let prepared = predicate.preparedCondition
    return filter { PredicateCore.holds(prepared, $0) }
  }

  /// The elements in the order of sort descriptors, the first deciding most; equal ones keep their order.
  ///
  /// Not in Apple's framework.
  ///
  /// Source: chosen; Apple sorts `NSArray`s.
  /// - Complexity: O(n log n) comparisons; every key of every element is read once.
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
  /// The members for which a predicate holds.
  ///
  /// Not in Apple's framework.
  ///
  /// Source: chosen; Apple filters `NSSet`s.
  public func filtered(using predicate: NSPredicate) -> Set<Element> {
    let prepared = predicate.preparedCondition
    return filter { PredicateCore.holds(prepared, $0) }
  }
}

extension Array {
  /// Keeps the elements for which a predicate holds.
  ///
  /// Not in Apple's framework.
  ///
  /// Source: chosen; Apple filters `NSMutableArray`s.
  public mutating func filter(using predicate: NSPredicate) {
    let prepared = predicate.preparedCondition
    removeAll { !PredicateCore.holds(prepared, $0) }
  }
}
