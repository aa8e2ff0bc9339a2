// SPDX-License-Identifier: Apache-2.0

/// How an attribute type is represented in model files, rows, tables, generated code and exported records.
///
/// `AttributeType.traits` defines the traits of all types in one exhaustive switch.
package struct AttributeTraits: Sendable {
  /// The name of the type in model files.
  package let modelFileName: String
  /// The name of the default class of the values, as in Apple's framework.
  ///
  /// Nil for undefined, transformable and composite attributes.
  package let valueClassName: String?
  /// The kind of the values in a slot of a row.
  package let slot: SlotKind
  /// The column that stores an attribute of the type; nil for a type that has no column of its own.
  package let column: AttributeColumn?
  /// The type of generated scalar properties; nil for a type without a scalar form.
  package let scalar: AttributeScalar?
  /// The text form of a value in model files and exported records.
  package let form: ValueForm
}

/// The column of an attribute in a table.
package struct AttributeColumn: Sendable {
  /// The group of the column, which determines its position in the table.
  package let group: ColumnGroup
  /// The declared type of the column, such as `INTEGER`.
  package let declaredType: String
}

/// The groups of attribute columns, in the order in which a table lists an entity's columns.
///
/// The columns of to-one relationships follow the group `integer`.
///
/// Source: observed, `docs/reference/sqlite-format.md`.
package enum ColumnGroup: CaseIterable, Sendable {
  case integer, real, decimal, text, url, uuid, transformable, data
}

/// The Swift type of a generated scalar property.
package enum AttributeScalar: Sendable {
  /// A type of the standard library, such as `Int16`.
  case standard(String)
  /// `TimeInterval`.
  case interval
}

/// The form in which a value is written as text.
package enum ValueForm: Sendable {
  /// An integer within these bounds.
  case whole(ClosedRange<Int64>)
  case double
  /// A floating-point number, rounded to single precision.
  case float
  case decimal
  case boolean
  case text
  case date
  case uuid
  case url
  /// Bytes; they have a text form in exported records, but not in model files.
  case bytes
  /// A value that has no text form.
  case none
}

extension AttributeType {
  /// The traits of the type; each read creates a new value.
  package var traits: AttributeTraits {
    switch self {
    case .undefined: Self.object("Undefined", nil, .opaque)
    case .integer16: Self.whole("Integer 16", Int16.self)
    case .integer32: Self.whole("Integer 32", Int32.self)
    case .integer64: Self.whole("Integer 64", Int64.self)
    case .decimal:
      AttributeTraits(
        modelFileName: "Decimal",
        valueClassName: "NSDecimalNumber",
        slot: .decimal,
        column: AttributeColumn(group: .decimal, declaredType: "DECIMAL"),
        scalar: nil,
        form: .decimal
      )
    case .double: Self.real("Double", .double)
    case .float: Self.real("Float", .float)
    case .string:
      AttributeTraits(
        modelFileName: "String",
        valueClassName: "NSString",
        slot: .text,
        column: AttributeColumn(group: .text, declaredType: "VARCHAR"),
        scalar: nil,
        form: .text
      )
    case .boolean:
      AttributeTraits(
        modelFileName: "Boolean",
        valueClassName: "NSNumber",
        slot: .boolean,
        column: AttributeColumn(group: .integer, declaredType: "INTEGER"),
        scalar: .standard("Bool"),
        form: .boolean
      )
    case .date:
      AttributeTraits(
        modelFileName: "Date",
        valueClassName: "NSDate",
        slot: .date,
        column: AttributeColumn(group: .real, declaredType: "TIMESTAMP"),
        scalar: .interval,
        form: .date
      )
    case .binaryData: Self.bytes("Binary", "NSData", .data, group: .data, form: .bytes)
    case .uuid: Self.bytes("UUID", "NSUUID", .uuid, group: .uuid, form: .uuid)
    case .uri:
      AttributeTraits(
        modelFileName: "URI",
        valueClassName: "NSURL",
        slot: .url,
        column: AttributeColumn(group: .url, declaredType: "VARCHAR"),
        scalar: nil,
        form: .url
      )
    case .transformable:
      Self.bytes("Transformable", nil, .opaque, group: .transformable, form: .bytes)
    case .objectID: Self.object("Object ID", "NSManagedObjectID", .reference)
    // A composite has no column of its own; each of its elements has one.
    case .composite: Self.object("Composite", nil, .opaque)
    }
  }

  private static func whole<Scalar: FixedWidthInteger>(
    _ name: String,
    _ scalar: Scalar.Type
  ) -> AttributeTraits {
    AttributeTraits(
      modelFileName: name,
      valueClassName: "NSNumber",
      slot: .integer,
      column: AttributeColumn(group: .integer, declaredType: "INTEGER"),
      scalar: .standard("\(scalar)"),
      form: .whole(Int64(Scalar.min)...Int64(Scalar.max))
    )
  }

  private static func real(_ name: String, _ form: ValueForm) -> AttributeTraits {
    AttributeTraits(
      modelFileName: name,
      valueClassName: "NSNumber",
      slot: .double,
      column: AttributeColumn(group: .real, declaredType: "FLOAT"),
      scalar: .standard(name),
      form: form
    )
  }

  private static func bytes(
    _ name: String,
    _ className: String?,
    _ slot: SlotKind,
    group: ColumnGroup,
    form: ValueForm
  ) -> AttributeTraits {
    AttributeTraits(
      modelFileName: name,
      valueClassName: className,
      slot: slot,
      column: AttributeColumn(group: group, declaredType: "BLOB"),
      scalar: nil,
      form: form
    )
  }

  private static func object(
    _ name: String,
    _ className: String?,
    _ slot: SlotKind
  ) -> AttributeTraits {
    AttributeTraits(
      modelFileName: name,
      valueClassName: className,
      slot: slot,
      column: nil,
      scalar: nil,
      form: .none
    )
  }
}

extension AttributeType {
  init?(modelFileName name: String) {
    guard let type = Self.byModelFileName[name] else { return nil }
    self = type
  }

  private static let byModelFileName = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0.traits.modelFileName, $0) }
  )
}
