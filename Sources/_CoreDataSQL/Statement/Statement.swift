// SPDX-License-Identifier: Apache-2.0

/// The text and values of one statement, ready for an engine, with its traits.
///
/// A statement that is prepared once and bound many times, such as an `INSERT` of rows, has `?` in its text
/// and no `bindings`; the code that runs the statement binds the values.
package struct Statement: Hashable, Sendable {
  /// The text, with one `?` for each value.
  ///
  /// Statements of the same form have equal texts, so the text is the key of a connection's statement cache.
  package let text: String
  package let bindings: [Binding]
  package let traits: SQL.Traits

  package init(text: String, bindings: [Binding] = [], traits: SQL.Traits = []) {
    self.text = text
    self.bindings = bindings
    self.traits = traits
  }
}
