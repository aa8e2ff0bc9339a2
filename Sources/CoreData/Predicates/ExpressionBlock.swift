// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// The block of a block expression, with the terms that compute the arguments of the block.
final class ExpressionBlock {
  let call: (Any?, [Any], NSMutableDictionary?) -> Any
  let arguments: [Term]
  private let prepared: [PreparedTerm]

  init(call: @escaping (Any?, [Any], NSMutableDictionary?) -> Any, arguments: [Term]) {
    self.call = call
    self.arguments = arguments
    prepared = arguments.map(PreparedTerm.init)
  }

  func value(_ object: Value, _ variables: [String: Value]) -> Value {
    let context = ExpressionContext(variables)
    let target = object.any
    let values = prepared.map { context.value(of: $0, target) ?? NSNull() }
    return Value(any: call(target, values, context.dictionary))
  }
}

/// The variables that an evaluation reads and changes; `dictionary` is nil if the caller passed no
/// dictionary.
struct ExpressionContext {
  let dictionary: NSMutableDictionary?

  init(_ dictionary: NSMutableDictionary?) { self.dictionary = dictionary }

  init(_ variables: [String: Value]) {
    let dictionary = NSMutableDictionary()
    for (name, value) in variables { dictionary[name] = value.any ?? NSNull() }
    self.dictionary = dictionary
  }

  /// Returns the value of a term for `object`, and stores in `dictionary` the variables that the term
  /// assigns.
  ///
  /// If nil is assigned to a variable that has a value, `dictionary` keeps the previous value. Stops the
  /// program if the term cannot be evaluated.
  func value(of prepared: PreparedTerm, _ object: Any?) -> Any? {
    var variables: [String: Value] = [:]
    for (key, value) in dictionary ?? [:] {
      if let name = key as? String { variables[name] = Value(any: value).evaluated }
    }
    let known = Set(variables.keys)
    do {
      let value = try prepared.value(for: Value(any: object).evaluated, updating: &variables)
      if let dictionary, prepared.term.assigns {
        for (name, value) in variables where !known.contains(name) || !value.isNull {
          dictionary[name] = value.any ?? NSNull()
        }
      }
      return value.any
    } catch let error as UnknownKey {
      Misuse.undefinedKey(error)
    } catch {
      Misuse.failedEvaluation("\(error)")
    }
  }
}

extension Term {
  fileprivate var assigns: Bool {
    switch self {
    case .assignment: true
    case .function(_, let arguments): arguments.contains(where: \.assigns)
    case .message(_, let receiver, let arguments):
      receiver.assigns || arguments.contains(where: \.assigns)
    case .aggregate(let members): members.contains(where: \.assigns)
    case .keyPathOf(let base, _): base.assigns
    default: false
    }
  }
}
