// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// Gives the predicate and the sort descriptors of a history request access to a transaction or change.
///
/// The token of a transaction is read as a `HistoryPosition`, which can be compared with tokens.
final class HistorySubject: KeyedContent {
  private let subject: any KeyValueReadable

  init(_ subject: any KeyValueReadable) { self.subject = subject }

  var objectKey: ObjectKey? { nil }
  var keyedContent: Any { subject }

  func keyedValue(_ key: String) throws -> Value {
    if let transaction = subject as? NSPersistentHistoryTransaction, key == "token" {
      return .object(HistoryPosition(transaction))
    }
    do {
      let value = try subject.value(forKey: key)
      if let transaction = value as? NSPersistentHistoryTransaction {
        return .object(HistorySubject(transaction))
      }
      return Value(any: value).evaluated
    } catch let error as UndefinedKey {
      throw UnknownKey(key: error.key, owner: "\(type(of: subject))")
    }
  }
}

/// The position of a transaction in the history of its store; predicates compare the position with tokens.
///
/// The number of the transaction is compared with the number that the token contains for the transaction's
/// store. If the token contains no such number, the position is after the token. Positions in different
/// stores are equal if their tokens are equal, and otherwise have no order.
///
/// Source: behaviour.md PH-6; the rule for stores missing from the token is this library's choice.
private final class HistoryPosition: OrderedContent, KeyedContent {
  private let store: String
  private let number: Int64
  private let token: NSPersistentHistoryToken

  init(_ transaction: NSPersistentHistoryTransaction) {
    store = transaction.storeID
    number = transaction.transactionNumber
    token = transaction.token
  }

  var objectKey: ObjectKey? { nil }
  var keyedContent: Any { token }

  func keyedValue(_ key: String) throws -> Value {
    throw UnknownKey(key: key, owner: "NSPersistentHistoryToken")
  }

  func order(to other: Value) -> Int? {
    switch other {
    case .object(let position as HistoryPosition):
      if position.store == store { return Self.order(number, position.number) }
      return token == position.token ? 0 : nil
    case .opaque(let token as NSPersistentHistoryToken):
      return token.numbers[store].map { Self.order(number, $0) } ?? 1
    default: return nil
    }
  }

  private static func order(_ left: Int64, _ right: Int64) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }
}

extension Condition {
  /// The history tokens that are themselves operands of comparisons in the condition.
  ///
  /// A token in a collection or in the arguments of a function is left out.
  var historyTokens: [NSPersistentHistoryToken] {
    switch self {
    case .constant, .opaque: []
    case .and(let parts), .or(let parts): parts.flatMap(\.historyTokens)
    case .not(let part): part.historyTokens
    case .comparison(let comparison):
      [comparison.left, comparison.right].compactMap { term in
        guard case .constant(let constant) = term, case .opaque(let any) = constant.value else {
          return nil
        }
        return any as? NSPersistentHistoryToken
      }
    }
  }
}
