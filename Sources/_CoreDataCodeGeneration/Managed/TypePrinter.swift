// SPDX-License-Identifier: Apache-2.0

/// Writes resolved types as source text.
///
/// The spelling of a type in the class cannot be copied to the generated extension: in an extension of a
/// nested class, the compiler does not search the scopes around the class, so it may not find the name.
struct TypePrinter {
  let target: ModuleSources

  func text(_ type: ResolvedType) -> String {
    switch type {
    case .anyObject: return "AnyObject"
    case .optional(let wrapped):
      let text = text(wrapped)
      return text.hasPrefix("any ") ? "(\(text))?" : text + "?"
    case .existential(let protocols):
      if protocols.isEmpty { return "Any" }
      return "any " + protocols.map(name).joined(separator: " & ")
    case .nominal(let nominal, let arguments):
      let texts = arguments.map(text)
      if nominal.isSystem("Array"), texts.count == 1 { return "[\(texts[0])]" }
      if nominal.isSystem("Dictionary"), texts.count == 2 { return "[\(texts[0]): \(texts[1])]" }
      return name(nominal) + (texts.isEmpty ? "" : "<\(texts.joined(separator: ", "))>")
    }
  }

  /// Returns the type's name, qualified with the module if the target declares another type of the same name.
  private func name(_ type: NominalType) -> String {
    let path = type.path.split(separator: ".").map { SwiftName(text: String($0)).source }
      .joined(separator: ".")
    let first = type.path.split(separator: ".").first.map(String.init) ?? ""
    if type.module == target.module || target.types(named: first).isEmpty { return path }
    return (type.module.hasPrefix("Foundation") ? "Foundation" : type.module) + "." + path
  }
}
