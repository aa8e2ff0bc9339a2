// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value of a statement, in one of the engine's storage classes.
package enum Binding: Hashable, Sendable {
  case null
  case integer(Int64)
  case double(Double)
  case text(String)
  case blob(Data)
}

/// Text and values of one statement, ready for an engine.
package struct Statement: Hashable, Sendable {
  /// The text, with one `?` for each value: equal shapes give equal texts.
  package let text: String
  package let bindings: [Binding]
  package init(text: String, bindings: [Binding] = []) {
    self.text = text
    self.bindings = bindings
  }
}
