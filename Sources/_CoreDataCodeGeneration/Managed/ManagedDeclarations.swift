// SPDX-License-Identifier: Apache-2.0

/// The declarations in one source file that accessors depend on: types, extensions and `@NSManaged` members.
package struct SourceDeclarations {
  /// The path of the file.
  package let file: String
  /// The modules that the file imports, such as `Foundation`.
  package var imports: [String] = []
  /// The types and extensions at the top level of the file.
  package var types: [TypeDeclaration] = []
  /// The problems that the scanner found in the file.
  package var problems: [SourceProblem] = []
}

/// An access level; a level that permits more access is greater.
package enum DeclaredAccess: Int, Comparable {
  case `private`, `fileprivate`, `internal`, package, `public`, open

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A class, structure, enumeration, actor, protocol, type alias or extension.
///
/// This type is a class, so that `parent` can refer to the enclosing declaration.
package final class TypeDeclaration {
  package enum Kind: String {
    case `class`, `struct`, `enum`, actor, `protocol`, `typealias`, `extension`
  }

  package let kind: Kind
  /// The name of the type; for an extension, the name of the extended type.
  package let name: String
  package let file: String
  package let line: Int
  /// The type or extension that contains the declaration; nil at the top level of the file.
  package private(set) weak var parent: TypeDeclaration?
  /// The access level that the source states; nil if it states none.
  package var access: DeclaredAccess?
  /// The conditions of the `#if` blocks around the declaration.
  package var conditions: [String] = []
  package var genericParameters: [String] = []
  /// The types after the colon, as written; a superclass or a raw type is first.
  package var inherited: [TypeSyntax] = []
  /// The type to which a type alias refers, or which an extension extends; nil for other declarations.
  package var underlying: TypeSyntax?
  package var hasWhereClause = false
  /// The name in `@objc(Name)`, even if the attribute is in an `#if` block that is not compiled on Linux.
  package var objectiveCName: String?
  /// The offsets of the text between the braces; nil for a type alias.
  package var body: Range<Int>?
  /// The instance properties without `@NSManaged`.
  package var properties: [DeclaredProperty] = []
  package private(set) var members: [TypeDeclaration] = []
  package var managed: [ManagedMember] = []

  package init(kind: Kind, name: String, file: String, line: Int, parent: TypeDeclaration?) {
    self.kind = kind
    self.name = name
    self.file = file
    self.line = line
    self.parent = parent
  }

  package func add(_ member: TypeDeclaration) { members.append(member) }
}

/// A property without `@NSManaged`.
package struct DeclaredProperty: Hashable {
  package let name: String
  /// The type; nil if the source does not state it.
  package let type: TypeSyntax?
  /// The name in `@objc(Name)`; nil without such an attribute.
  package let objectiveCName: String?
}

/// A property or function with `@NSManaged`.
package struct ManagedMember {
  package struct Parameter: Hashable {
    /// The argument label; nil for `_`.
    package let label: String?
    package let type: TypeSyntax
  }
  package enum Kind: Hashable {
    case property(TypeSyntax)
    case function([Parameter], result: TypeSyntax?)
  }

  package let name: String
  package let kind: Kind
  package let line: Int
  /// The access level that the source states; nil if it states none.
  package let access: DeclaredAccess?
  /// The access level of the setter, as in `private(set)`; nil if the source states none.
  package let setterAccess: DeclaredAccess?
  package let conditions: [String]
  /// The selector or name in `@objc(…)`; nil without such an attribute.
  package let objectiveCName: String?
  /// The key of a property: its Objective-C name.
  package var key: String { objectiveCName ?? name }
  /// The reason why no accessor can be generated, for example that the type is not written; nil if there is
  /// no such reason.
  package let obstacle: String?
}

/// A part of a source file that the generator cannot handle.
package struct SourceProblem: Hashable {
  package let line: Int
  package let reason: String
  /// Whether the problem is an error, because accessors will be missing.
  ///
  /// If false, the problem is only a warning, because the compiler may accept the source.
  package var isError = false
}
