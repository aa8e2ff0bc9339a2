// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataCodeGeneration

/// Compares generated symbols with those that the compiler leaves undefined, so that a compiler with another
/// mangling is noticed.
@Suite(.serialized)
struct CompilerMatrixTests {
  /// Module names with words that recur in class names, with underscores and digits, and with a class's name.
  @Test(arguments: ["Shop1", "My_App_2", "ItemData"])
  func theCompilerAsksForTheGeneratedSymbols(module: String) throws {
    try expectSameSymbols(MatrixSources.files, module: module, atLeast: 200)
  }

  @Test func theTableOfSystemTypesHasTheModulesAndKindsOfTheCompiler() throws {
    var lines = ["import CoreData", "class Item: NSManagedObject {"]
    for group in SystemTypes.groups where group.visibleIn != "CoreData" && group.genericCount == 0 {
      for name in group.names.split(whereSeparator: \.isWhitespace)
      where !Self.notValues.contains(name) {
        let type = group.kind == .protocol ? "(any \(name))?" : "\(name)?"
        if group.kind == .protocol, !Self.protocols.contains(name) { continue }
        lines.append("  @NSManaged var p\(lines.count): \(type)")
      }
    }
    lines.append("}")
    try expectSameSymbols(
      [("Item.swift", lines.joined(separator: "\n"))],
      module: "App",
      atLeast: 400
    )
  }

  /// Names that cannot be the type of a property: uninhabited or unavailable types, and names with two meanings.
  private static let notValues: Set<Substring> = [
    "Dimension", "UnitDuration", "NSZone", "ProgressKind",
    "NSComparisonPredicate", "NSExpression",
  ]
  /// Protocols whose existential type needs no parameters.
  private static let protocols: Set<Substring> = [
    "NSCoding", "NSCopying", "Error", "CustomStringConvertible",
  ]

  private func expectSameSymbols(
    _ files: [(path: String, text: String)],
    module: String,
    atLeast count: Int
  ) throws {
    let asked = try Compiler().accessorSymbols(of: files, module: module)
    let output = ManagedAccessors.generate(module: module, texts: files)
    let supplied = Accessors.symbols(in: output.text)
    #expect(output.problems.map(\.description) == [])
    #expect(supplied.subtracting(asked).sorted() == [])
    #expect(asked.subtracting(supplied).sorted() == [])
    #expect(supplied.count >= count)
  }

  /// The program reads and sets properties of every kind through the symbols; only whole-module optimisation
  /// compares the types of the functions.
  @Test(arguments: [["-Onone", "-sanitize=address"], ["-O", "-wmo", "-swift-version", "6"]])
  func aProgramWithTheMatrixLinksAndRuns(options: [String]) throws {
    let output = ManagedAccessors.generate(module: "Shop1", texts: MatrixSources.files)
    let files =
      MatrixSources.files + [
        ("Generated.swift", output.text), ("Main.swift", MatrixSources.program),
      ]
    #expect(try Compiler().run(files, module: "Shop1", options: options) == MatrixSources.printed)
  }
  /// A subclass has the accessors of its superclass in its table of methods, so their symbols must be exported.
  @Test func classesOfADynamicLibraryHaveSubclassesAndExtensionsInOtherModules() throws {
    let library = ("Lib.swift", MatrixSources.dynamicLibrary)
    let client = ("App.swift", MatrixSources.client)
    let libraryCode = ManagedAccessors.generate(module: "Lib", texts: [library])
    let clientCode = ManagedAccessors.generate(
      module: "App",
      texts: [client],
      dependencies: [("Lib", library.0, library.1)]
    )
    #expect(libraryCode.problems.isEmpty && clientCode.problems.isEmpty)
    let printed = try Compiler().run(
      [client, ("AppCode.swift", clientCode.text)],
      module: "App",
      options: ["-O", "-wmo"],
      library: [library, ("LibCode.swift", libraryCode.text)]
    )
    #expect(printed == MatrixSources.printedByClient)
  }
}

/// Runs the compiler in a temporary folder, with a small stand-in for the library.
private struct Compiler {
  struct Failure: Error { let text: String }

  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("accessors-\(UUID().uuidString)")

  /// Returns the symbols of accessors and functions of the module that its object files leave undefined.
  func accessorSymbols(
    of files: [(path: String, text: String)],
    module: String
  ) throws -> Set<String> {
    defer { try? FileManager.default.removeItem(at: folder) }
    let paths = try write(files)
    try compile(["-c", "-module-name", module] + paths)
    let objects = files.map { folder.path + "/" + $0.path.replacing(".swift", with: ".o") }
    let symbols = try Self.output("nm", ["-u"] + objects, in: folder)
    let names = symbols.split(whereSeparator: \.isWhitespace).map(String.init)
      .filter { $0.hasSuffix("vg") || $0.hasSuffix("vs") || $0.hasSuffix("F") }
    let defined = try Self.output("nm", ["--defined-only"] + objects, in: folder)
      .split(whereSeparator: \.isWhitespace).map(String.init)
    let mark = "\(module.utf8.count)\(module)"
    // In the symbol of a member of another module's class, the module's name can be abbreviated.
    let own = names.filter { $0.contains(mark) || $0.contains("everywhere") }
    return Set(own).subtracting(defined)
  }

  /// Compiles and runs a program, and returns what it prints.
  func run(
    _ files: [(path: String, text: String)],
    module: String,
    options: [String],
    library: [(path: String, text: String)] = []
  ) throws -> String {
    defer { try? FileManager.default.removeItem(at: folder) }
    let paths = try write(files + library)
    let object = folder.path + "/libCoreData.o"
    var arguments = options
    if library.isEmpty {
      arguments.append(object)
    } else {
      let made = [
        "-module-name", "Lib", "-emit-module", "-emit-library", "-o", "libLib.so", object,
      ]
      try compile(options + made + paths.dropFirst(files.count))
      arguments += ["-L", folder.path, "-lLib", "-Xlinker", "-rpath", "-Xlinker", folder.path]
    }
    try compile(
      arguments + ["-o", "program", "-module-name", module] + paths.prefix(files.count)
    )
    return try Self.output(folder.path + "/program", [], in: folder)
  }

  private func write(_ files: [(path: String, text: String)]) throws -> [String] {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for file in files {
      try Data(file.text.utf8).write(to: folder.appendingPathComponent(file.path))
    }
    let source = folder.path + "/Library.swift"
    try Data(MatrixSources.library.utf8).write(to: URL(fileURLWithPath: source))
    _ = try Self.output(
      "swiftc",
      [
        "-parse-as-library", "-module-name", "CoreData", "-emit-module", "-emit-module-path",
        "CoreData.swiftmodule", "-c", source, "-o", "libCoreData.o",
      ],
      in: folder
    )
    return files.map { folder.path + "/" + $0.path }
  }

  private func compile(_ arguments: [String]) throws {
    _ = try Self.output(
      "swiftc",
      ["-parse-as-library", "-package-name", "shop", "-D", "DEBUG", "-I", folder.path] + arguments,
      in: folder
    )
  }

  private static func output(_ tool: String, _ arguments: [String], in folder: URL) throws -> String
  {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [tool] + arguments
    process.currentDirectoryURL = folder
    let printed = Pipe()
    process.standardOutput = printed
    let errors = folder.appendingPathComponent("errors.txt")
    try Data().write(to: errors)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    let data = printed.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(text: (try? String(contentsOf: errors, encoding: .utf8)) ?? tool)
    }
    return String(decoding: data, as: UTF8.self)
  }
}
