// SPDX-License-Identifier: Apache-2.0

import _CoreDataCodeGeneration

/// The rule that replaces `Item.fetchRequest() as! NSFetchRequest<Item>` with
/// `NSFetchRequest<Item>(entityName: "Item")`.
///
/// On Linux generic classes with different arguments are unrelated, so the cast fails.
struct FetchRequestRule: PortRule {
  let keys: ClassKeys

  func finding(at cursor: TokenCursor, in text: PortText) -> PortFinding? {
    guard cursor.isAt(keyword: "as") || cursor.isAt(keyword: "is") else { return nil }
    var rest = cursor
    rest.advance()
    let isForced = rest.consume("!")
    let isOptional = rest.consume("?")
    guard isForced || isOptional || cursor.isAt(keyword: "is") else { return nil }
    let typeStart = rest.token.start
    let type = rest.parseType()
    let end = rest.token(before: 1)?.end ?? typeStart
    if Self.isResult(type) {
      return .left(
        cursor.token.start,
        "cast to NSFetchRequestResult: replace the type of the cast with NSManagedObject, NSDictionary, "
          + "NSNumber or NSManagedObjectID"
      )
    }
    guard case .named(let components) = type, let last = components.last,
      last.name == "NSFetchRequest", let argument = last.arguments.first
    else { return nil }
    if isForced, let call = Self.call(before: cursor), let owner = owner(call.owner, argument) {
      let replacement = "NSFetchRequest<\(argument.text)>(entityName: \(entityName(of: owner)))"
      let range = call.start..<end
      let message = "\(text.text(range)) → \(replacement)"
      return .rewritten(range, message, [SourceEdit(range, replacement)])
    }
    return .left(
      cursor.token.start,
      "cast to \(type.text): on Linux it succeeds only for a request that was created with this type; create "
        + "the request with \(type.text)(entityName:), or cast the results of the fetch"
    )
  }

  private static func isResult(_ type: TypeSyntax) -> Bool {
    switch type {
    case .array(let type), .optional(let type), .existential(let type): isResult(type)
    case .named(let components): components.last?.name == "NSFetchRequestResult"
    case .dictionary, .composition, .unsupported: false
    }
  }

  /// Returns the class and the offset of the call of `fetchRequest()` that ends before the cursor; nil if no
  /// such call ends there.
  ///
  /// The class is "" for a call without a class, `fetchRequest()`.
  private static func call(before cursor: TokenCursor) -> (owner: String, start: Int)? {
    guard cursor.text(before: 1) == ")", cursor.text(before: 2) == "(",
      cursor.text(before: 3) == "fetchRequest"
    else { return nil }
    var place = cursor.moved(to: cursor.index - 3)
    var names: [String] = []
    while place.text(before: 1) == "." {
      guard let name = place.token(before: 2), name.kind == .identifier else { return nil }
      names.insert(place.text(before: 2), at: 0)
      place = place.moved(to: place.index - 2)
    }
    return (names.joined(separator: "."), place.token.start)
  }

  /// Returns the class whose entity the request is for; nil if the source does not determine the class.
  private func owner(_ written: String, _ argument: TypeSyntax) -> String? {
    if argument.text == "NSFetchRequestResult" {
      return written.isEmpty || written == "self" ? "Self" : written
    }
    return written == argument.text || ["", "self", "Self"].contains(written)
      ? argument.text : nil
  }

  private func entityName(of owner: String) -> String {
    if let name = keys.entity(ofClass: owner) { return "\"\(name)\"" }
    return "\(owner).entity().name ?? String(describing: \(owner).self)"
  }
}
