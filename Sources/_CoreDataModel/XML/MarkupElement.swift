// SPDX-License-Identifier: Apache-2.0

/// One element of an XML file: its name, attributes, children, text and line.
struct MarkupElement {
  let name: String
  var attributes: [String: String]
  /// Line of the element's start tag, from 1; nil in a file without lines.
  let line: Int?
  var children: [MarkupElement] = []
  /// The text directly inside it, without white space at its ends.
  var text = ""

  subscript(_ attribute: String) -> String? {
    get { attributes[attribute] }
    set { attributes[attribute] = newValue }
  }

  func children(named name: String) -> [MarkupElement] { children.filter { $0.name == name } }
}
