// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

/// Whether contexts and their objects check that they are used on their queue.
///
/// Off unless the program is started with `-com.apple.CoreData.ConcurrencyDebug 1` or with
/// `COREDATA_CONCURRENCY_DEBUG=1` in its environment. Off, a context's methods test one constant, and
/// objects test nothing: the flag that sends their accessors to a check is not set.
package enum Confinement {
  static let isChecked =
    DebugLevel.of("com.apple.CoreData.ConcurrencyDebug", "COREDATA_CONCURRENCY_DEBUG") > 0
  /// Told of the call instead of the program's being stopped, where a test wants to go on.
  @TaskLocal package static var witness: (@Sendable (String) -> Void)?
}

extension NSManagedObjectContext {
  /// Stops the program where checks are on and the thread does not run the context's work.
  ///
  /// `subject` is what the call is about: a request, an object, an ID.
  @inline(__always)
  func checkQueue(_ call: StaticString, _ subject: @autoclosure () -> Any? = nil) {
    if Confinement.isChecked { verifyQueue("-[NSManagedObjectContext \(call)]", subject()) }
  }

  @inline(never)
  func verifyQueue(_ call: String, _ subject: Any?) {
    if queue.isCurrent { return }
    guard let witness = Confinement.witness else { Misuse.usedOffQueue(queue, call, subject) }
    witness(call)
  }
}

extension NSFetchRequest {
  /// The request in a report.
  var subject: String { "a request for the entity \(entityName ?? "?")" }
}

extension NSManagedObject {
  /// The check of `NSManagedObjectContext.checkQueue(_:_:)` for a property that is read or written.
  @inline(__always)
  final func checkQueue(_ slot: Int, _ verb: StaticString) {
    if flags.contains(.confined) { verifyQueue(slot, verb) }
  }

  /// The same for a method that is about the whole object.
  @inline(__always)
  final func checkQueue(_ call: StaticString) {
    if flags.contains(.confined) { context?.verifyQueue("-[\(type(of: self)) \(call)]", self) }
  }

  @inline(never)
  private final func verifyQueue(_ slot: Int, _ verb: StaticString) {
    guard let context else { return }
    let properties = entityDefinition.properties
    let key = properties.indices.contains(slot) ? properties[slot].name : "?"
    context.verifyQueue("-[\(type(of: self)) \(verb):\(key)]", self)
  }
}
