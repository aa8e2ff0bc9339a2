// SPDX-License-Identifier: Apache-2.0

/// The check that a context is used on its queue.
extension NSManagedObjectContext {
  /// Stops the program if checks are enabled and the calling thread is not running the context's work.
  ///
  /// `subject` is the argument of the call, for the report: a request, an object, or an ID.
  @inline(__always)
  func checkQueue(_ call: StaticString, _ subject: @autoclosure () -> Any? = nil) {
    if Confinement.isChecked { verifyQueue("-[NSManagedObjectContext \(call)]", subject()) }
  }

  @inline(never)
  func verifyQueue(_ call: String, _ subject: Any?) {
    if queue.isCurrent { return }
    guard let violationHandler = Confinement.violationHandler else {
      Misuse.usedOffQueue(queue, call, subject.map(Self.describe))
    }
    violationHandler(call)
  }

  /// Describes an object by its address and ID, or an ID by its URI, for a report.
  private static func describe(_ subject: Any) -> String {
    switch subject {
    case let object as NSManagedObject:
      "the \(type(of: object)) 0x\(String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)) "
        + "of ID \(object.objectID.uriRepresentation().absoluteString)"
    case let id as NSManagedObjectID: "the ID \(id.uriRepresentation().absoluteString)"
    default: "\(subject)"
    }
  }
}
