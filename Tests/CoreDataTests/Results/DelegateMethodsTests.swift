// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// The form in which a delegate is notified, as its methods become known.
@Suite("The methods of a delegate")
struct DelegateMethodsTests {
  private func methods(
    present: DelegateMethods.Names...,
    absent: DelegateMethods.Names...
  ) -> DelegateMethods {
    var methods = DelegateMethods()
    absent.forEach { methods.markAbsent($0) }
    (absent + present).forEach { methods.markCalled($0) }
    return methods
  }

  @Test("A method whose default ran is absent, however often it is called")
  func absence() {
    let known = methods(present: .object, absent: .section)
    #expect(known.present == .object)
    #expect(!known.mayImplement(.section))
    #expect(known.mayImplement(.object))
    #expect(known.mayImplement(.didChange))
  }

  @Test("The form is known when the snapshot method is, and without sections the difference")
  func form() {
    #expect(methods().isFormUnknown(isSectioned: true))
    #expect(!methods(present: .snapshot).isFormUnknown(isSectioned: false))
    let withoutSnapshot = methods(absent: .snapshot)
    #expect(!withoutSnapshot.isFormUnknown(isSectioned: true))
    #expect(withoutSnapshot.isFormUnknown(isSectioned: false))
    #expect(withoutSnapshot.isFormCallbacks(isSectioned: true))
    #expect(!withoutSnapshot.isFormCallbacks(isSectioned: false))
    let withDifference = methods(present: .difference, absent: .snapshot)
    #expect(withDifference.isFormCallbacks(isSectioned: true))
    #expect(!withDifference.isFormUnknown(isSectioned: false))
    #expect(!withDifference.isFormCallbacks(isSectioned: false))
  }

  @Test("A delegate has none when all that such a list would call are absent")
  func none() {
    let withoutCallbacks = methods(absent: .willChange, .object, .didChange, .snapshot)
    #expect(!withoutCallbacks.hasNone(isSectioned: true))
    #expect(!withoutCallbacks.hasNone(isSectioned: false))
    var known = withoutCallbacks
    known.markAbsent(.difference)
    #expect(known.hasNone(isSectioned: false))
    #expect(!known.hasNone(isSectioned: true))
    known = withoutCallbacks
    known.markAbsent(.section)
    #expect(known.hasNone(isSectioned: true))
  }
}
