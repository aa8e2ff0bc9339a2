// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// Constants, and comparisons with them.
extension PostgresDialect {
  package func exact(_ value: Value) -> SQL? {
    switch value {
    case .bool(let flag): SQL(bind: .converted(flag ? "true" : "false", .boolean))
    case .int(let number): SQL(bind: .integer(number))
    case .double(let number), .date(let number): number.isNaN ? nil : SQL(bind: .double(number))
    case .decimal(let number): SQL(bind: Self.numeric(number))
    case .text(let text): text.utf8.contains(0) ? nil : SQL(bind: .text(text))
    case .url(let url): SQL(bind: .text(url.absoluteString))
    case .uuid(let uuid): SQL(bind: .converted(uuid.uuidString, .uuid))
    case .data(let data): SQL(bind: .blob(data))
    default: nil
    }
  }

  package func selected(_ value: Value) -> SQL? {
    if case .double(let number) = value, number.isNaN { return "NULL" }
    return value.isNull ? "NULL" : exact(value)
  }

  static func numeric(_ number: Decimal) -> Binding {
    .converted(number.isNaN ? "NaN" : number.description, .numeric)
  }

  /// Returns the text form of an array; every element is in quotes.
  static func array(_ elements: [String], _ type: ServerType) -> Binding {
    var text = "{"
    for (index, element) in elements.enumerated() {
      if index > 0 { text += "," }
      if type == .integers || type == .reals || type == .numerics || type == .uuids {
        text += element
        continue
      }
      text += "\""
      for scalar in element.unicodeScalars {
        if scalar == "\"" || scalar == "\\" { text += "\\" }
        text.unicodeScalars.append(scalar)
      }
      text += "\""
    }
    return .converted(text + "}", type)
  }

  // MARK: Comparisons

  package func equal(_ piece: TypedPiece, _ value: Value) throws(Unsayable) -> SQL? {
    try answer(piece, .equal, value).piece(never: nil)
  }

  package func differs(_ piece: TypedPiece, _ value: Value) throws(Unsayable) -> SQL? {
    switch try answer(piece, .equal, value) {
    case .none, .never: return nil
    case .compared(let left, .equal, let right): return "\(left) IS DISTINCT FROM \(right)"
    case let other: return other.piece(never: nil).map(SQL.not)
    }
  }

  package func ordered(
    _ piece: TypedPiece,
    _ relation: Relation,
    _ value: Value
  ) throws(Unsayable) -> SQL? {
    try answer(piece, relation, value).piece(never: never)
  }

  /// What the comparison of a column with a constant is in SQL.
  enum Answer {
    /// The two have no order, and are never equal.
    case none
    case never
    /// The comparison holds for every value that is not null.
    case present(SQL)
    case compared(SQL, Relation, SQL)
    case condition(SQL)

    func piece(never: SQL?) -> SQL? {
      switch self {
      case .none: nil
      case .never: never
      case .present(let piece): "\(piece) IS NOT NULL"
      case .compared(let left, let relation, let right):
        "\(left) \(name: relation == .equal ? "=" : relation.spelling) \(right)"
      case .condition(let piece): piece
      }
    }
  }

  /// Compares a piece with a constant; the relation is `==` or one of order.
  func answer(
    _ piece: TypedPiece,
    _ relation: Relation,
    _ value: Value
  ) throws(Unsayable) -> Answer {
    let sql = piece.piece
    switch (piece.type, value) {
    case (.integer, _), (.reference, .int), (.entity, .int):
      return WholeBound(value)?.answer(sql, relation) ?? .none
    case (.boolean, _):
      guard let bound = WholeBound(value) else { return .none }
      if relation == .equal {
        guard let flag = bound.flag else { return .never }
        return .compared(sql, .equal, SQL(bind: .converted(flag ? "true" : "false", .boolean)))
      }
      return bound.answer("\(sql)::integer", relation)
    case (.number, _):
      return WholeBound(value)?.answer(sql, relation) ?? .none
    case (.real, _), (.computed, _): return RealBound(value)?.answer(sql, relation) ?? .none
    case (.mixed(let real, _), _):
      guard let whole = WholeBound(value)?.answer(sql, relation).piece(never: never),
        let other = RealBound(value)?.answer(real, relation).piece(never: never)
      else { return .none }
      return .condition(
        "CASE WHEN \(sql) IS NOT NULL THEN \(whole) ELSE \(other) END"
      )
    case (.decimal, _): return decimalAnswer(sql, relation, value)
    case (.date, .date(let seconds)):
      return seconds.isNaN ? .never : .compared(sql, relation, SQL(bind: .double(seconds)))
    case (.date, _):
      if relation == .equal { return .none }
      return RealBound(value)?.answer(sql, relation) ?? .none
    case (.text, .text(let text)): return try textAnswer(sql, relation, text)
    case (.url, .url(let url)): return try textAnswer(sql, relation, url.absoluteString)
    case (.uuid, .uuid), (.data, .data):
      guard let exact = exact(value) else { return .none }
      return .compared(sql, relation, exact)
    case (.any, _), (.sealed, _):
      throw Unsayable("a comparison with \(piece.type.kindName)")
    default: return .none
    }
  }

  private func textAnswer(
    _ piece: SQL,
    _ relation: Relation,
    _ text: String
  ) throws(Unsayable) -> Answer {
    if text.utf8.contains(0) {
      if relation == .equal { return .never }
      throw Unsayable("a text with a null character, which PostgreSQL cannot hold")
    }
    if relation == .equal { return .compared(piece, .equal, SQL(bind: .text(text))) }
    return .compared("\(piece) COLLATE \"C\"", relation, SQL(bind: .text(text)))
  }

  /// Compares decimals and integers exactly, and a decimal with a floating-point number as two such numbers.
  private func decimalAnswer(_ piece: SQL, _ relation: Relation, _ value: Value) -> Answer {
    switch value {
    case .bool, .int, .decimal:
      var number = Decimal(0)
      if case .decimal(let decimal) = value { number = decimal }
      if case .int(let whole) = value { number = Decimal(whole) }
      if case .bool(let flag) = value { number = flag ? 1 : 0 }
      return .compared(piece, relation, SQL(bind: Self.numeric(number)))
    case .double(let number):
      if number.isNaN { return .never }
      return .compared("\(piece)::double precision", relation, SQL(bind: .double(number)))
    default: return .none
    }
  }

  // MARK: Lists

  package func isOne(
    _ piece: TypedPiece,
    of values: [Value],
    _ options: TextOptions,
    isAlone: Bool
  ) throws(Unsayable) -> SQL? {
    var elements: [String] = []
    var type: ServerType?
    var last: SQL?
    var pieces: [SQL] = []
    for value in values {
      if !options.isEmpty, piece.type == .text {
        guard case .text(let text) = value else { continue }
        let other = SQL(bind: .text(text))
        pieces.append(
          try self.text(
            piece.piece,
            .equal,
            other,
            needle: text,
            options: options,
            bound: nil
          )
        )
        continue
      }
      switch try answer(piece, .equal, value) {
      case .none, .never: continue
      case .compared(let left, _, let right):
        if left == piece.piece, let element = Self.element(right) {
          elements.append(element.text)
          (type, last) = (element.type, right)
        } else {
          pieces.append("\(left) = \(right)")
        }
      case let other:
        if let piece = other.piece(never: nil) { pieces.append(piece) }
      }
    }
    if let type, elements.count > 1 {
      pieces.insert("\(piece.piece) = ANY(\(bind: Self.array(elements, type)))", at: 0)
    } else if let last {
      pieces.insert("\(piece.piece) = \(last)", at: 0)
    }
    return SQL.joined(pieces, with: " OR ")
  }

  /// Returns the bound value as an element of an array; nil if it is not an element of one.
  private static func element(_ piece: SQL) -> (text: String, type: ServerType)? {
    guard piece.segments.count == 1, case .value(let value) = piece.segments[0] else { return nil }
    switch value {
    case .integer(let number): return (String(number), .integers)
    case .double(let number): return (number.description, .reals)
    case .text(let text): return (text, .texts)
    case .blob(let data):
      return ("\\x" + data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(), .blobs)
    case .converted(let text, .numeric): return (text, .numerics)
    case .converted(let text, .uuid): return (text, .uuids)
    case .null, .converted: return nil
    }
  }
}
#endif
