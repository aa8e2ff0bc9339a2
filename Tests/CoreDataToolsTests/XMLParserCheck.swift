// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationXML

/// Whether a text is well-formed XML.
struct XMLParserCheck {
  let isWellFormed: Bool
  init(_ text: String) { isWellFormed = XMLParser(data: Data(text.utf8)).parse() }
}
