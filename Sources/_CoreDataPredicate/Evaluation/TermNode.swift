// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A node of a prepared term, in which constants are folded and conditions are prepared.
indirect enum TermNode: Sendable {
  case constant(Value)
  /// The evaluated object.
  case object
  case key(KeyReader)
  case keyPath(TermNode, String)
  case variable(String)
  case assignment(String, TermNode)
  case function(Function, [TermNode])
  /// `base[FIRST]`, `base[LAST]` or `base[SIZE]`.
  case element(TermNode, Term.SymbolicIndex)
  case message(PreparedMessage)
  case aggregate([TermNode])
  /// An aggregate on the right side of `IN` or the left side of `CONTAINS`.
  ///
  /// If the value of a key path in the aggregate is a collection, the members of that collection become
  /// members of the aggregate.
  case container([(member: TermNode, isPath: Bool)])
  case subquery(TermNode, variable: String, ConditionNode)
  case setOperation(Term.SetOperation, TermNode, TermNode)
  case ternary(ConditionNode, TermNode, TermNode)
  case anyKey
  case fetch(TermNode, context: TermNode, countOnly: Bool)
  case opaque(OpaqueTerm)
  case unusable(String)

  init(_ term: Term) {
    if let constant = term.constantValue {
      self = .constant(constant)
      return
    }
    switch term {
    case .constant(let constant): self = .constant(constant.value)
    case .evaluatedObject: self = .object
    // A `KeyReader` with an empty path would return the object itself.
    case .keyPath(let path): self = path.isEmpty ? .keyPath(.object, path) : .key(KeyReader(path))
    case .keyPathOf(let base, let path): self = .keyPath(TermNode(base), path)
    case .variable(let name): self = .variable(name)
    case .assignment(let name, let term): self = .assignment(name, TermNode(term))
    case .function(let function, let arguments):
      if function == .element, arguments.count == 2, case .symbolicIndex(let index) = arguments[1] {
        self = .element(TermNode(arguments[0]), index)
      } else {
        self = .function(function, arguments.map { TermNode($0) })
      }
    case .message(let selector, let receiver, let arguments):
      self = .message(PreparedMessage(selector, TermNode(receiver), arguments.map { TermNode($0) }))
    case .aggregate(let members): self = .aggregate(members.map { TermNode($0) })
    case .subquery(let collection, let variable, let condition):
      self = .subquery(TermNode(collection), variable: variable, ConditionNode(condition))
    case .setOperation(let operation, let left, let right):
      self = .setOperation(operation, TermNode(left), TermNode(right))
    case .ternary(let condition, let yes, let no):
      self = .ternary(ConditionNode(condition), TermNode(yes), TermNode(no))
    case .anyKey: self = .anyKey
    case .symbolicIndex(let index): self = .constant(.text(index.rawValue))
    case .fetch(let request, let context, let countOnly):
      self = .fetch(TermNode(request), context: TermNode(context), countOnly: countOnly)
    case .opaque(let opaque): self = .opaque(opaque)
    case .unusable(let reason): self = .unusable(reason)
    }
  }

  /// Creates the node of a term on the right side of `IN` or the left side of `CONTAINS`.
  ///
  /// Source: docs/reference/predicate-grammar.md §11, `name IN {const, hasUsers.hasTags.name}`.
  init(container term: Term) {
    guard case .aggregate(let terms) = term, term.constantValue == nil else {
      self.init(term)
      return
    }
    self = .container(
      terms.map { term in
        switch term {
        case .keyPath, .keyPathOf: (TermNode(term), true)
        default: (TermNode(term), false)
        }
      }
    )
  }
}

extension Term {
  var constantValue: Value? {
    switch self {
    case .constant(let constant): return constant.value
    case .aggregate(let members):
      let values = members.compactMap(\.constantValue)
      guard values.count == members.count else { return nil }
      return .collection(ValueCollection(.array, values))
    default: return nil
    }
  }
}
