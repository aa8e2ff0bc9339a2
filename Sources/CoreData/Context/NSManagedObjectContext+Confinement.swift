// SPDX-License-Identifier: Apache-2.0

extension NSManagedObjectContext {
  /// Stops the program if checks are enabled and the caller is not on the context's queue.
  ///
  /// `subject` is the object, ID or request that the call concerned; the report names it.
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
