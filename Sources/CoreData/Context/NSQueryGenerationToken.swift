// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Names one moment of a coordinator's stores, for contexts that go on reading it while others write.
///
/// A token holds its moment; the stores keep what it needs until the last token and the last context of
/// it are gone. An archive holds none: a decoded token is worth something only in the process that made
/// it, and while the moment is held there. Source: documented, “NSQueryGenerationToken”; archives: chosen.
open class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Unchecked: immutable.
  /// Nil for `current`, and where the moment is gone.
  let generation: QueryGeneration?
  private let identifier: UUID

  /// The moment at which a context that is pinned to it reads next.
  open class var current: NSQueryGenerationToken { currentToken }
  private static let currentToken = NSQueryGenerationToken(identifier: .current, generation: nil)

  private init(identifier: UUID, generation: QueryGeneration?) {
    self.identifier = identifier
    self.generation = generation
    super.init()
  }

  /// Names `generation`.
  convenience init(_ generation: QueryGeneration) {
    self.init(identifier: generation.identifier, generation: generation)
  }

  var isCurrent: Bool { identifier == .current }

  /// The same token: tokens do not change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSQueryGenerationToken)?.identifier == identifier
  }
  open override var hash: Int { identifier.hashValue }

  // MARK: Coding

  /// True.
  open class var supportsSecureCoding: Bool { true }

  private static let codingKey = "CDGeneration"

  /// Nil where the archive holds no token.
  public required init?(coder: NSCoder) {
    guard
      let text = coder.decodeObject(of: NSString.self, forKey: Self.codingKey) as String?,
      let identifier = UUID(uuidString: text)
    else { return nil }
    self.identifier = identifier
    generation = QueryGeneration.living(identifier)
    super.init()
  }

  /// Writes the moment's name.
  open func encode(with coder: NSCoder) {
    coder.encode(NSString(string: identifier.uuidString), forKey: Self.codingKey)
  }
}

extension UUID {
  /// All bits zero: no moment has this name.
  fileprivate static let current = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
