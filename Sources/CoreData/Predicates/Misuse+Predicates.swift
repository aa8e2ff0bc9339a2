// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension Misuse {
  /// A key that the evaluated object does not have.
  static func undefinedKey(_ error: UnknownKey) -> Never {
    fatalError(
      "[<\(error.owner)> valueForUndefinedKey:]: this class is not key value coding-compliant "
        + "for the key \(error.key)."
    )
  }

  /// A function that expressions do not know, or not with so many arguments.
  static func unsupportedFunction(_ name: String) -> Never {
    fatalError("Unsupported function expression \(name)")
  }

  /// A property that the kind of expression does not have.
  static func absentPart(_ part: String, of expression: String) -> Never {
    fatalError("-\(part) is not defined for the expression \(expression)")
  }

  /// A Swift key path that no table names.
  static func namelessKeyPath(_ path: AnyKeyPath, _ reason: String) -> Never {
    fatalError(KeyPathNames.sentence(path, reason))
  }

  /// A sort descriptor of Swift's that compares by no key path.
  static func pathlessDescriptor(_ descriptor: String) -> Never {
    fatalError("The sort descriptor \(descriptor) has no key path, so it cannot order a fetch.")
  }

  /// A comparison that Linux cannot send.
  static func unknownSelector(_ name: String) -> Never {
    fatalError("The selector \(name) is not one that values can be compared with")
  }

  /// A predicate that holds what archives cannot, such as a block.
  static func failedArchiving(_ reason: String) -> Never { fatalError(reason) }

  /// A predicate, expression or sort descriptor from a secure archive that nobody has allowed yet.
  static func disabledEvaluation(_ kind: String) -> Never {
    fatalError("This \(kind) has evaluation disabled")
  }
}
