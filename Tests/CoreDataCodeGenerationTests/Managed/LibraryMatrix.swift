// SPDX-License-Identifier: Apache-2.0

/// Sources and models of a program and of a module that it imports, with `@NSManaged` properties of each type and
/// access level, half of them in classes and half in extensions.
///
/// The program sets, reads, observes, saves and reads again each property, where its access level allows it also
/// from another file and from the other module.
enum LibraryMatrix {
  /// A type of a property.
  private struct Kind {
    let name: String
    let type: String
    /// The attributes of the property's element in the model.
    let model: String
    /// Two values in source text, which can use `$0`, a function that makes an object.
    let values: (String, String)
  }

  private static func attribute(_ type: String, scalar: Bool = false, _ more: String = "") -> String
  {
    "attribute optional=\"YES\" attributeType=\"\(type)\" usesScalarValueType=\"\(scalar ? "YES" : "NO")\" \(more)"
  }

  private static let number = "defaultValueString=\"0\""
  private static func kinds(_ prefix: String) -> [Kind] {
    let other = "\(prefix)Other"
    let toMany = "relationship optional=\"YES\" toMany=\"YES\" destinationEntity=\"\(other)\""
    return [
      Kind(name: "text", type: "String?", model: attribute("String"), values: ("\"a\"", "nil")),
      Kind(name: "title", type: "String", model: attribute("String"), values: ("\"é\"", "\"\"")),
      Kind(
        name: "i16",
        type: "Int16",
        model: attribute("Integer 16", scalar: true, number),
        values: (".min", "7")
      ),
      Kind(
        name: "i32",
        type: "Int32",
        model: attribute("Integer 32", scalar: true, number),
        values: (".max", "7")
      ),
      Kind(
        name: "i64",
        type: "Int64",
        model: attribute("Integer 64", scalar: true, number),
        values: (".min", "7")
      ),
      Kind(
        name: "flag",
        type: "Bool",
        model: attribute("Boolean", scalar: true, number),
        values: ("true", "false")
      ),
      Kind(
        name: "double",
        type: "Double",
        model: attribute("Double", scalar: true, number),
        values: (".pi", "-0.5")
      ),
      Kind(
        name: "float",
        type: "Float",
        model: attribute("Float", scalar: true, number),
        values: ("0.1", "3")
      ),
      Kind(
        name: "date",
        type: "Date?",
        model: attribute("Date"),
        values: ("Date(timeIntervalSinceReferenceDate: 3.5)", "nil")
      ),
      Kind(
        name: "moment",
        type: "TimeInterval",
        model: attribute("Date", scalar: true),
        values: ("3.5", "4")
      ),
      Kind(
        name: "data",
        type: "Data?",
        model: attribute("Binary"),
        values: ("Data([1, 2])", "Data()")
      ),
      Kind(
        name: "uuid",
        type: "UUID?",
        model: attribute("UUID"),
        values: ("UUID(uuidString: \"5C4E2F6A-0000-4000-8000-000000000001\")", "nil")
      ),
      Kind(
        name: "url",
        type: "URL?",
        model: attribute("URI"),
        values: ("URL(string: \"https://example.org/a\")", "nil")
      ),
      Kind(
        name: "price",
        type: "NSDecimalNumber?",
        model: attribute("Decimal"),
        values: ("NSDecimalNumber(string: \"9.95\")", "nil")
      ),
      Kind(
        name: "decimal",
        type: "Decimal",
        model: attribute("Decimal"),
        values: ("1.5", "-2")
      ),
      Kind(
        name: "number",
        type: "NSNumber?",
        model: attribute("Integer 32"),
        values: ("NSNumber(value: 5)", "nil")
      ),
      Kind(
        name: "level",
        type: "\(prefix)Level",
        model: attribute("Integer 16", scalar: true, number),
        values: (".high", ".low")
      ),
      Kind(
        name: "mood",
        type: "\(prefix)Mood?",
        model: attribute("String"),
        values: (".bad", "nil")
      ),
      Kind(
        name: "labels",
        type: "[String]?",
        model: attribute("Transformable"),
        values: ("[\"a\", \"b\"]", "nil")
      ),
      Kind(
        name: "old",
        type: "NSString?",
        model: attribute("String"),
        values: ("NSString(string: \"o\")", "nil")
      ),
      Kind(
        name: "one",
        type: "\(other)?",
        model: "relationship optional=\"YES\" maxCount=\"1\" destinationEntity=\"\(other)\"",
        values: ("$0()", "nil")
      ),
      Kind(
        name: "many",
        type: "NSSet?",
        model: toMany,
        values: ("NSSet(array: [$0(), $0()])", "NSSet()")
      ),
      Kind(name: "members", type: "Set<\(other)>", model: toMany, values: ("[$0(), $0()]", "[]")),
      Kind(
        name: "ordered",
        type: "NSOrderedSet?",
        model: toMany + " ordered=\"YES\"",
        values: ("NSOrderedSet(array: [$0(), $0()])", "NSOrderedSet(object: $0())")
      ),
    ]
  }

  /// An access level as written, in a class with an access level.
  private struct Access {
    let name: String
    let member: String
    let type: String
    /// Whether another file, or another module, can set the property.
    let file: Bool
    let module: Bool
  }

  private static let levels = [
    Access(name: "Private", member: "private", type: "", file: false, module: false),
    Access(name: "Fileprivate", member: "fileprivate", type: "final", file: false, module: false),
    Access(name: "Internal", member: "", type: "", file: true, module: false),
    Access(name: "Package", member: "package", type: "package", file: true, module: true),
    Access(name: "Public", member: "public", type: "public", file: true, module: true),
    Access(
      name: "PrivateSet",
      member: "public private(set)",
      type: "public",
      file: false,
      module: false
    ),
    Access(name: "Open", member: "open", type: "open", file: true, module: true),
  ]

  /// The number of declarations, and of the checks that the program runs.
  static var declarations: Int { 2 * levels.count * kinds("").count }
  static var checks: Int {
    let (all, files) = (levels.count, levels.count { $0.file })
    return kinds("").count * (2 * (all + files) + levels.count { $0.module })
  }

  static func model(_ prefix: String) -> String {
    let properties = kinds(prefix).map { kind in
      let words = kind.model.split(separator: " ", maxSplits: 1)
      return "<\(words[0]) name=\"\(kind.name)\" \(words[1])/>"
    }
    let entities = levels.map { level in
      let name = prefix + level.name
      return
        "<entity name=\"\(name)\" representedClassName=\"\(name)\">\(properties.joined())</entity>"
    }
    return "<entity name=\"\(prefix)Other\" representedClassName=\"\(prefix)Other\"/>\n"
      + entities.joined(separator: "\n")
  }

  /// The sources of the program (`App`), or of the module (`Lib`).
  static func files(_ prefix: String) -> [(path: String, text: String)] {
    let isProgram = prefix == "App"
    let imports = "public import CoreData" + (isProgram ? "\npublic import MatrixLib" : "")
    let types = """
      \(imports)
      public enum \(prefix)Level: Int16 { case low, high }
      public enum \(prefix)Mood: String { case good, bad }
      public class \(prefix)Other: NSManagedObject {}
      """
    let classes = levels.map { level in
      let name = prefix + level.name
      // Private members are visible in extensions in the same file.
      let own = "extension \(name) {\nstatic \(checks(name, prefix, "own"))\n}\n"
      let text = "\(imports)\n\(source(of: level, prefix))\n\(own)"
      return (path: "\(name).swift", text: text)
    }
    let shared = levels.filter(\.file).map {
      checks(prefix + $0.name, prefix, prefix + $0.name + "_file")
    }
    let outside =
      isProgram
      ? levels.filter(\.module).map { checks("Lib" + $0.name, "Lib", "Lib\($0.name)_module") } : []
    let others = "\(imports)\n" + (shared + outside).joined(separator: "\n")
    let calls =
      levels.map { "\(prefix + $0.name).own(matrix)" }
      + levels.filter(\.file).map { "\(prefix + $0.name)_file(matrix)" }
      + (isProgram ? levels.filter(\.module).map { "Lib\($0.name)_module(matrix)" } : [])
    let all = """
      \(imports)
      public func check\(prefix)(_ matrix: Matrix) {
        \(calls.joined(separator: "\n  "))
      }
      """
    return [
      ("\(prefix)Types.swift", types), ("\(prefix)Others.swift", others),
      ("\(prefix)All.swift", all),
    ]
      + classes + [isProgram ? ("Main.swift", program) : ("Matrix.swift", matrix)]
  }

  private static func source(of level: Access, _ prefix: String) -> String {
    let kinds = kinds(prefix)
    func members(_ rest: Int, _ access: String) -> String {
      kinds.indices.filter { $0 % 2 == rest }
        .map { "  @NSManaged \(access) var \(kinds[$0].name): \(kinds[$0].type)" }
        .joined(separator: "\n")
    }
    // An extension has no open members.
    let outside = level.member == "open" ? "public" : level.member
    let name = prefix + level.name
    return """
      \(level.type) class \(name): NSManagedObject {
      \(members(0, level.member))
      }
      extension \(name) {
      \(members(1, outside))
      }
      """
  }

  private static func checks(_ name: String, _ prefix: String, _ function: String) -> String {
    let lines = kinds(prefix).map { kind in
      let (first, second) = kind.values
      func closure(_ text: String) -> String {
        "{ \(text.contains("$0") ? "" : "_ in ")\(text) }"
      }
      return
        "  matrix.check(\"\(function)\", \"\(kind.name)\", \\\(name).\(kind.name), \(prefix)Other.self, "
        + "\(closure(first)), \(closure(second)))"
    }
    return "func \(function)(_ matrix: Matrix) {\n\(lines.joined(separator: "\n"))\n}"
  }

  private static let matrix = ##"""
    public import CoreData

    public final class Matrix {
      public let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      public private(set) var count = 0
      public private(set) var failures: [String] = []

      public init(_ models: [String]) throws {
        let parts = models.compactMap { NSManagedObjectModel(contentsOf: URL(fileURLWithPath: $0)) }
        guard let model = NSManagedObjectModel(byMerging: parts) else { throw CocoaError(.fileReadUnknown) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
          ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
        context.persistentStoreCoordinator = coordinator
      }

      // Not specialised for each type, which would take most of the time of the build.
      @_optimize(none) public func check<Object: NSManagedObject, Other: NSManagedObject, Value: Equatable>(
        _ place: String, _ name: String, _ path: ReferenceWritableKeyPath<Object, Value>, _ other: Other.Type,
        _ first: (() -> Other) -> Value, _ second: (() -> Other) -> Value
      ) {
        count += 1
        func expect(_ condition: Bool, _ what: String) {
          if !condition { failures.append("\(Object.self).\(name) (\(place)): \(what)") }
        }
        let object = Object(context: context)
        var made: [Other] = []
        func make() -> Other {
          made.append(Other(context: context))
          return made[made.count - 1]
        }
        let values = [first(make), second(make)]
        for value in values {
          var seen: [Value] = []
          let observation = object.observe(path, options: [.new]) { _, change in
            if let value = change.newValue { seen.append(value) }
          }
          object[keyPath: path] = value
          observation.invalidate()
          expect(seen == [value], "\(seen) was observed")
          expect(object[keyPath: path] == value, "is \(object[keyPath: path]), not \(value)")
          expect(object.changedValues().keys.contains(name), "no change is recorded")
          do { try context.save() } catch { expect(false, "\(error)") }
          context.refresh(object, mergeChanges: false)
          expect(object[keyPath: path] == value, "is \(object[keyPath: path]) in the store, not \(value)")
        }
        expect((path as AnyKeyPath).keyPathName == name, "has another key")
      }
    }
    """##

  private static let program = ##"""
    import CoreData
    import MatrixLib

    @main struct Main {
      static func main() throws {
        let matrix = try Matrix(Array(CommandLine.arguments.dropFirst()))
        matrix.context.performAndWait {
          checkLib(matrix)
          checkApp(matrix)
        }
        for failure in matrix.failures.prefix(20) { print(failure) }
        print(matrix.count, matrix.failures.count)
      }
    }
    """##
}
