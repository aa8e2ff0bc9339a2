// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The names that an expression of a mapping model contains.
package struct MappedNames {
  /// The source properties that the expression reads, or whose migrated destinations it requests from the
  /// migration manager.
  package private(set) var sourceProperties: [String] = []
  /// The entity mappings whose migrated objects the expression requests from the migration manager.
  package private(set) var mappings: [String] = []
  /// The formats of the predicates in the expression's fetch requests.
  package private(set) var predicates: [String] = []

  package init(_ term: Term) {
    var rest = [TreeNode.term(term)]
    while let node = rest.popLast() {
      switch node {
      case .term(.keyPathOf(.variable("source"), let path)): add(path)
      case .term(.message(let selector, let receiver, let arguments)):
        visitMessage(selector, receiver, arguments)
      default: break
      }
      node.forEachChild { rest.append($0) }
    }
  }

  private mutating func add(_ path: String) {
    if let name = path.split(separator: ".").first { sourceProperties.append(String(name)) }
  }

  private mutating func visitMessage(_ selector: String, _ receiver: Term, _ arguments: [Term]) {
    let texts = arguments.map { term -> String? in
      guard case .constant(let constant) = term, case .text(let text) = constant.value else {
        return nil
      }
      return text
    }
    switch selector {
    case "destinationInstancesForEntityMappingNamed:sourceInstances:":
      if let name = texts.first.flatMap(\.self) { mappings.append(name) }
    case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
      if let name = texts.first.flatMap(\.self) { sourceProperties.append(name) }
    case "fetchRequestForSourceEntityNamed:predicateString:":
      if let format = texts.last.flatMap(\.self) { predicates.append(format) }
    case "valueForKey:", "valueForKeyPath:":
      if case .variable("source") = receiver, let path = texts.first.flatMap(\.self) { add(path) }
    default: break
    }
  }
}
