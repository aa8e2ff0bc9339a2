// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("coredata model, codegen, doctor", .needsCommand)
struct ModelCommandTests {
  private static let teams = """
    <model><entity name="Team" representedClassName="Team" codeGenerationType="class">
      <attribute name="name" optional="YES" attributeType="String"/>
      <relationship name="players" optional="YES" toMany="YES" destinationEntity="Player"
        inverseName="team" inverseEntity="Player"/></entity>
    <entity name="Player" representedClassName="Player" codeGenerationType="category">
      <attribute name="goals" attributeType="Integer 32" usesScalarValueType="YES"/>
      <relationship name="team" optional="YES" maxCount="1" destinationEntity="Team"
        inverseName="players" inverseEntity="Team"/></entity></model>
    """

  private func folder() throws -> (Fixtures, String) {
    let fixtures = try Fixtures()
    let model = fixtures.folder.appendingPathComponent("Teams.xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    try Data(Self.teams.utf8).write(to: model.appendingPathComponent("contents"))
    return (fixtures, model.path)
  }

  @Test("model show prints the entities, in any form")
  func show() throws {
    let (fixtures, model) = try folder()
    defer { fixtures.remove() }
    let shown = try Command.run("model", "show", model)
    #expect(
      shown.output
        == """
        Player
          goals  Integer 32
          team   Team?       inverse players

        Team
          name     String?
          players  [Player]  inverse team

        """.replacingOccurrences(of: "Integer 32", with: "Int32").replacingOccurrences(
          of: "team   Team?       inverse",
          with: "team   Team?  inverse"
        )
    )
    let csv = try Command.run("model", "show", model, "--entity", "Team", "--csv")
    #expect(csv.output.split(separator: "\n").count == 3)
    let wrong = try Command.run("model", "show", model, "--entity", "Tema")
    #expect(wrong.status == 2 && wrong.errors.contains("did you mean “Team”?"))
  }

  @Test("model diff exits with 1 where models differ")
  func diff() throws {
    let (fixtures, model) = try folder()
    defer { fixtures.remove() }
    let other = fixtures.folder.appendingPathComponent("Other.xcdatamodel")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    let text = Self.teams.replacingOccurrences(of: "goals", with: "points")
    try Data(text.utf8).write(to: other.appendingPathComponent("contents"))
    #expect(try Command.run("model", "diff", model, model).status == 0)
    let differs = try Command.run("model", "diff", model, other.path)
    #expect(differs.status == 1)
    #expect(differs.output.contains("+ Player.points: Int32\n    ! the property is mandatory"))
    #expect(try Command.run("model", "diff", model).status == 64)
  }

  @Test("model check reads compiled models and stores, and names what cannot be read")
  func check() throws {
    let (fixtures, model) = try folder()
    defer { fixtures.remove() }
    let compiled = fixtures.folder.appendingPathComponent("Teams.momd").path
    #expect(try Command.run("model", "compile", model, "--output", compiled).status == 0)
    let store = fixtures.folder.appendingPathComponent("Teams.sqlite").path
    _ = try Command.run("import", store, "-", "--ndjson", "--model", model, input: "")
    for good in [model, compiled, compiled + "/Teams.mom", store] {
      let outcome = try Command.run("model", "check", good)
      #expect(outcome.status == 0 && outcome.errors == "", "\(good): \(outcome.errors)")
    }
    let missing = try Command.run("model", "check", "Nothing.momd", in: fixtures.folder)
    #expect(missing.status == 1 && missing.errors.contains("Nothing.momd: error: "))
  }

  @Test("import --model creates a store in a file without tables, as a failed import leaves")
  func importIntoEmptyFile() throws {
    let (fixtures, model) = try folder()
    defer { fixtures.remove() }
    let store = fixtures.folder.appendingPathComponent("Teams.sqlite")
    try Data().write(to: store)
    let refused = try Command.run("import", store.path, "-", "--ndjson", input: "")
    #expect(refused.status == 2 && refused.errors.contains("without tables"))
    let text = #"{"$entity":"Team","name":"Reds"}"#
    let made = try Command.run(
      "import",
      store.path,
      "-",
      "--ndjson",
      "--model",
      model,
      input: text
    )
    #expect(made.status == 0 && made.output.contains("1 inserted"), "\(made.errors)")
  }

  @Test("model graph writes SVG, Mermaid and DOT")
  func graph() throws {
    let (fixtures, model) = try folder()
    defer { fixtures.remove() }
    #expect(try Command.run("model", "graph", model).output.hasPrefix("<svg "))
    let mermaid = try Command.run("model", "graph", model, "--as", "mermaid").output
    #expect(mermaid.contains("Player }o--o| Team : \"team / players\""))
    #expect(try Command.run("model", "graph", model, "--as", "dot").output.hasPrefix("digraph"))
    #expect(try Command.run("model", "graph", model, "--as", "pdf").status == 64)
  }

  @Test("codegen writes Xcode's files in Xcode's three modes")
  func codegen() throws {
    let (fixtures, model) = try folder()
    defer { fixtures.remove() }
    func files(_ mode: String) throws -> [String] {
      let folder = fixtures.folder.appendingPathComponent(mode)
      let outcome = try Command.run("codegen", model, "--mode", mode, "--output", folder.path)
      #expect(outcome.status == 0)
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      return names.sorted()
    }
    #expect(
      try files("model") == [
        "Player+CoreDataProperties.swift", "Team+CoreDataClass.swift",
        "Team+CoreDataProperties.swift",
      ]
    )
    #expect(
      try files("class") == [
        "Player+CoreDataClass.swift", "Player+CoreDataProperties.swift",
        "Team+CoreDataClass.swift", "Team+CoreDataProperties.swift",
      ]
    )
    #expect(
      try files("extension") == [
        "Player+CoreDataProperties.swift", "Team+CoreDataProperties.swift",
      ]
    )
    #expect(try files("none") == [])
    let text = try String(
      contentsOf: fixtures.folder.appendingPathComponent("class/Team+CoreDataClass.swift"),
      encoding: .utf8
    )
    #expect(text.contains("public class Team: NSManagedObject {"))
  }

  @Test("codegen says why it writes nothing")
  func nothingToGenerate() throws {
    let (fixtures, model) = try folder()
    defer { fixtures.remove() }
    func notice(_ arguments: String...) throws -> String {
      try Command.run(["codegen", model] + arguments).errors
    }
    #expect(try notice("--mode", "none") == "Nothing to write: mode none writes no files.\n")
    let contents = model + "/contents"
    let manual = Self.teams.replacingOccurrences(of: " codeGenerationType=\"class\"", with: "")
    try Data(manual.utf8).write(to: URL(fileURLWithPath: contents))
    #expect(
      try notice("--entity", "Team").hasPrefix(
        "Nothing to write: the model specifies no generated class for Team. Pass --mode class "
      )
    )
    try Data("<model/>".utf8).write(to: URL(fileURLWithPath: contents))
    #expect(try notice().contains("the model specifies no generated classes. Pass --mode class"))
    #expect(
      try notice("--mode", "class") == "Nothing to write: the model has no entities.\n"
    )
  }

  @Test(
    "what codegen writes compiles without a warning, in every mode",
    .enabled(if: Fixtures.compilerArguments != nil, "no build whose modules a compiler finds"),
    arguments: ["class", "extension", "model"]
  )
  func generatedCodeCompiles(mode: String) throws {
    let (fixtures, model) = try folder()
    defer { fixtures.remove() }
    // A model with every kind of attribute, and one of sub-entities.
    let kinds = [
      "Integer 16", "Integer 64", "Decimal", "Double", "Float", "String", "Boolean", "Date",
      "Binary", "UUID", "URI", "Transformable",
    ]
    let attributes = kinds.enumerated().map { index, kind in
      #"<attribute name="a\#(index)" optional="YES" attributeType="\#(kind)"/>"#
    }
    let text = Self.teams.replacingOccurrences(
      of: "</model>",
      with: """
        <entity name="Kinds" representedClassName="Kinds" codeGenerationType="class">
        \(attributes.joined())
        <attribute name="scalar" attributeType="Double" usesScalarValueType="YES"/>
        <relationship name="order" optional="YES" toMany="YES" ordered="YES"
          destinationEntity="Team"/></entity>
        <entity name="Special" parentEntity="Kinds" representedClassName="Special"
          codeGenerationType="class"/></model>
        """
    )
    try Data(text.utf8).write(to: URL(fileURLWithPath: model + "/contents"))
    let output = fixtures.folder.appendingPathComponent("out")
    let made = try Command.run("codegen", model, "--mode", mode, "--output", output.path)
    #expect(made.status == 0 && made.errors == "")
    // Classes that the mode leaves to the programmer.
    let own = [
      "class": "", "model": "public class Player: NSManagedObject {}",
      "extension": ["Team", "Player", "Kinds"].map { "public class \($0): NSManagedObject {}" }
        .joined(separator: "\n") + "\npublic class Special: Kinds {}",
    ]
    try Data(
      "public import CoreData\n\(own[mode] ?? "")\npublic typealias Any_ = NSManagedObject\n".utf8
    )
    .write(to: output.appendingPathComponent("Own.swift"))
    let files = try FileManager.default.contentsOfDirectory(atPath: output.path).sorted()
    #expect(files.count > 2)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["swiftc", "-typecheck", "-warnings-as-errors", "-module-name", "Generated"]
      // Extensions of a class written by hand do not know who sees it.
      + (mode == "class" ? ["-enable-upcoming-feature", "InternalImportsByDefault"] : [])
      + (Fixtures.compilerArguments ?? []) + files
    process.currentDirectoryURL = output
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0 && said == "", "\(said)")
  }

  @Test(
    "doctor finds nothing in a sound store; --repair makes a backup and says what it changed",
    .enabled(if: Fixtures.areComparable, "no shared folder or no sqlite3")
  )
  func doctor() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.cars)
    let model = try fixtures.model(Fixtures.carsModel)
    let sound = try Command.run("doctor", store, "--model", model)
    #expect(sound.status == 0 && sound.output.contains("is healthy"))
    _ = try Process.sqlite(store, "UPDATE ZCAR SET ZOWNER = 999 WHERE Z_PK IN (1, 2, 3)")
    let found = try Command.run("doctor", store, "--model", model)
    #expect(found.status == 1)
    #expect(found.output.contains("error: dangling: Car.owner"))
    let json = try Command.run("doctor", store, "--model", model, "--json")
    #expect(json.output.contains("\"check\":\"dangling\""))
    let repaired = try Command.run("doctor", store, "--model", model, "--repair")
    #expect(repaired.status == 0)
    #expect(repaired.output.contains("backup: \(store).backup\n"))
    #expect(repaired.output.contains("dangling: Car.owner: set owner to nil: 3 rows changed"))
    #expect(try Process.sqlite(store, "SELECT COUNT(*) FROM ZCAR WHERE ZOWNER = 999") == "0\n")
    #expect(
      try Process.sqlite(store + ".backup", "SELECT COUNT(*) FROM ZCAR WHERE ZOWNER = 999")
        == "3\n"
    )
  }

  @Test(
    "doctor --repair --no-backup prints all removed values, with --quiet to standard error",
    .enabled(if: Fixtures.areComparable, "no shared folder or no sqlite3"),
    arguments: [[], ["--json"]]
  )
  func doctorWithoutBackup(_ format: [String]) throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.cars)
    let model = try fixtures.model(Fixtures.carsModel)
    let command = ["doctor", store, "--model", model, "--repair", "--no-backup"] + format
    let damage = "UPDATE ZCAR SET ZOWNER = 900 + Z_PK WHERE Z_PK < 8"
    let count = try #require(
      Int(try Process.sqlite(store, "SELECT COUNT(*) FROM ZCAR WHERE Z_PK < 8").dropLast())
    )
    func values(_ text: String) -> [Substring] {
      text.split(separator: "\n").filter { $0.hasPrefix("    was ") && $0.contains("ZOWNER") }
    }
    _ = try Process.sqlite(store, damage)
    let loud = try Command.run(command)
    #expect(loud.status == 0)
    #expect(values(format.isEmpty ? loud.output : loud.errors).count == count)
    _ = try Process.sqlite(store, damage)
    let quiet = try Command.run(command + ["--quiet"])
    #expect(quiet.status == 0)
    #expect(values(quiet.output).isEmpty)
    #expect(values(quiet.errors).count == count)
    #expect(quiet.errors.contains("dangling: Car.owner: set owner to nil: \(count) rows changed"))
  }
}
