// SPDX-License-Identifier: Apache-2.0

/// The text and values of one statement, ready for an engine, and what its maker knows about it.
///
/// A statement that is prepared once and bound many times, such as an `INSERT` of rows, has its `?` in the
/// text and no `bindings`: its user binds the values.
package struct Statement: Hashable, Sendable {
  /// The text, with one `?` for each value: statements of equal shape have equal texts, so that the text is
  /// the key of a connection's cache.
  package let text: String
  package let bindings: [Binding]
  package let traits: SQL.Traits

  package init(text: String, bindings: [Binding] = [], traits: SQL.Traits = []) {
    self.text = text
    self.bindings = bindings
    self.traits = traits
  }
}
