// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Identifies one query generation of a coordinator's stores.
///
/// Contexts can keep reading the generation while others write.
///
/// The stores keep a generation until the last token and the last context that use it are released. An
/// archived token does not keep its generation: a decoded token is valid only in the process that created the
/// generation, and only while the generation is still in use there.
///
/// Source: documented, “NSQueryGenerationToken”; the archive format is this library's choice.
open class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Unchecked: the class is immutable.
  /// The generation, which the token retains; nil for `current`, and for a decoded token whose generation did
  /// not exist in this process when the token was decoded.
  let generation: QueryGeneration?
  private let identifier: UUID

  /// The token of the generation that a context creates at its next read.
  open class var current: NSQueryGenerationToken { currentToken }
  private static let currentToken = NSQueryGenerationToken(identifier: .current, generation: nil)

  private init(identifier: UUID, generation: QueryGeneration?) {
    self.identifier = identifier
    self.generation = generation
    super.init()
  }

  convenience init(_ generation: QueryGeneration) {
    self.init(identifier: generation.identifier, generation: generation)
  }

  var isCurrent: Bool { identifier == .current }

  /// Returns the token itself, because tokens are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSQueryGenerationToken)?.identifier == identifier
  }
  open override var hash: Int { identifier.hashValue }

  // MARK: Coding

  /// True: tokens can be decoded with `requiresSecureCoding`.
  open class var supportsSecureCoding: Bool { true }

  private static let codingKey = "CDGeneration"

  /// Decodes a token; returns nil if the archive contains no token, or a malformed one.
  public required init?(coder: NSCoder) {
    guard
      let text = coder.decodeObject(of: NSString.self, forKey: Self.codingKey) as String?,
      let identifier = UUID(uuidString: text)
    else { return nil }
    self.identifier = identifier
    generation = QueryGeneration.living(identifier)
    super.init()
  }

  /// Encodes the generation's identifier.
  open func encode(with coder: NSCoder) {
    coder.encode(NSString(string: identifier.uuidString), forKey: Self.codingKey)
  }
}

extension UUID {
  /// The identifier of the token `current`; no generation has it, because all of its bits are zero.
  fileprivate static let current = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
