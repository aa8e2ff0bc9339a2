// SPDX-License-Identifier: Apache-2.0

/// One element of a model file: its name, attributes, children and line; texts are not kept.
struct MarkupElement {
  let name: String
  let attributes: [String: String]
  /// Line of the element's start tag, from 1.
  let line: Int
  var children: [MarkupElement] = []

  subscript(_ attribute: String) -> String? { attributes[attribute] }

  func children(named name: String) -> [MarkupElement] { children.filter { $0.name == name } }
}
