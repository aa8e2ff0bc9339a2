// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension Misuse {
  /// The evaluated object does not have the key.
  static func undefinedKey(_ error: UnknownKey) -> Never {
    fatalError(
      "[<\(error.owner)> valueForUndefinedKey:]: this class is not key value coding-compliant "
        + "for the key \(error.key)."
    )
  }

  /// A function expression has an unknown selector or the wrong number of arguments.
  static func unsupportedFunction(_ name: String) -> Never {
    fatalError("Unsupported function expression \(name)")
  }

  /// The program read a property that expressions of this type do not have.
  static func absentPart(_ part: String, of expression: String) -> Never {
    fatalError("-\(part) is not defined for the expression \(expression)")
  }

  /// A Swift key path has no name.
  static func namelessKeyPath(_ path: AnyKeyPath, _ reason: String) -> Never {
    fatalError(KeyPathNames.sentence(path, reason))
  }

  /// A Swift sort descriptor does not compare by a key path.
  static func pathlessDescriptor(_ descriptor: String) -> Never {
    fatalError(
      "The sort descriptor \(descriptor) has no key path, so it cannot order a fetch. Create it with a key."
    )
  }

  /// The selector is not one of the comparison selectors supported on Linux.
  static func unknownSelector(_ name: String) -> Never {
    fatalError("The selector \(name) is not a supported comparison selector")
  }

  /// A predicate contains something that cannot be archived, such as a block.
  static func failedArchiving(_ reason: String) -> Never { fatalError(reason) }

  /// A predicate, expression or sort descriptor from a secure archive was evaluated before evaluation was
  /// allowed.
  static func disabledEvaluation(_ kind: String) -> Never {
    fatalError("This \(kind) has evaluation disabled")
  }
}
