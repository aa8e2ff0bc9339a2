// SPDX-License-Identifier: Apache-2.0

extension AnyKeyPath {
  /// The key path as Core Data writes it, such as `author.name`: what `#keyPath` gives on Apple's systems.
  ///
  /// Not in Apple's framework.
  ///
  /// Nil for a key path whose properties are not keys of a model, such as computed properties; see
  /// DEVIATIONS.md, “names of key paths”.
  /// - Complexity: O(1) for a generated class's property, and for a path that was asked for before.
  public var keyPathName: String? {
    if case .name(let name) = KeyPathNames.search(self) { return name }
    return nil
  }
}
