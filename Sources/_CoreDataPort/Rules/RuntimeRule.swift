// SPDX-License-Identifier: Apache-2.0

import _CoreDataCodeGeneration

/// The rule that reports uses of the Objective-C runtime and CloudKit for which there is no replacement.
struct RuntimeRule: PortRule {
  func finding(at cursor: TokenCursor, in text: PortText) -> PortFinding? {
    guard cursor.token.kind == .identifier, !cursor.token.isQuoted, cursor.text(before: 1) != "."
    else { return nil }
    let start = cursor.token.start
    if cursor.isAt(keyword: "optional"),
      ["func", "var", "static", "init", "subscript"].contains(cursor.source.text(cursor.following)),
      text.type(at: start)?.kind == .protocol
    {
      return .left(
        start,
        "optional requirement: remove “optional”, and write a default in an extension of the protocol"
      )
    }
    if cursor.isAt(keyword: "override"), text.type(at: start)?.kind == .extension {
      return .left(
        start,
        "override in an extension: move the override into the class; if the class is generated, set Codegen "
          + "of the entity to Category/Extension, and write the class"
      )
    }
    if cursor.isAt(keyword: "observeValue"), cursor.text(before: 1) == "func",
      cursor.following.first == 40
    {
      return .left(
        start,
        "observeValue(forKeyPath:…): observe managed objects with observe(_:options:changeHandler:), or put "
          + "the method inside #if canImport(ObjectiveC)"
      )
    }
    let name = cursor.text
    if Self.ofCloudKit.contains(name) {
      return .left(
        start,
        "\(name): put its use inside #if canImport(CloudKit), and NSPersistentContainer in #else"
      )
    }
    return nil
  }

  /// The Core Data types for CloudKit, which Linux does not have.
  private static let ofCloudKit: Set<String> = [
    "NSPersistentCloudKitContainer", "NSPersistentCloudKitContainerOptions",
    "NSPersistentCloudKitContainerSchemaInitializationOptions",
  ]
}
