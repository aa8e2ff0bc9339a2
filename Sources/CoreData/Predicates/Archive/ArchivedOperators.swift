// SPDX-License-Identifier: Apache-2.0

import CoreDataPredicate
import Foundation

/// The operator of a comparison as an archived object.
class OperatorObject: NSObject, NSSecureCoding {
  class var supportsSecureCoding: Bool { true }
  let part: ArchivedPart?
  let content: ArchivedOperator?
  private var kept: KeptObjects?

  init(_ part: ArchivedPart) {
    self.part = part
    content = nil
  }

  required init?(coder: NSCoder) {
    let fields = CoderFields(coder, "")
    content = ArchivedOperator(integer: fields.integer, text: fields.text)
    part = nil
    if content == nil { return nil }
  }

  func encode(with coder: NSCoder) {
    if let part { kept = coder.encode(part) }
  }
  override var classForKeyedArchiver: AnyClass? {
    part.flatMap { ArchiveNames.class($0.className) }
  }
}

// Archives name the class of each group of operators.
final class ArchivedEquality: OperatorObject {}
final class ArchivedOrder: OperatorObject {}
final class ArchivedMembership: OperatorObject {}
final class ArchivedSubstring: OperatorObject {}
final class ArchivedLike: OperatorObject {}
final class ArchivedMatch: OperatorObject {}
final class ArchivedBetween: OperatorObject {}
final class ArchivedMessage: OperatorObject {}
