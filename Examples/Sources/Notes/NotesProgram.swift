// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Opens a store of an old release, and prints the migrations and the notes.
///
/// `Notes [1 | 2 | 3 | 4]` first writes a store of that release to a temporary file, or to the file that the
/// environment variable `STORE` names, if that file does not exist.
/// `Notes checksums` prints the checksum of each version.
@main
struct NotesProgram {
  static func main() throws {
    switch CommandLine.arguments.dropFirst().first {
    case nil: try run(release: .notes1)
    case "checksums":
      for version in ModelVersion.allCases {
        print("\(version.name): \(version.model?.versionChecksum ?? "missing")")
      }
    case let argument?:
      guard let version = Int(argument).flatMap(ModelVersion.init(rawValue:)), version != .notes5
      else { return print("usage: Notes [1 | 2 | 3 | 4 | checksums]") }
      try run(release: version)
    }
  }

  private static func run(release: ModelVersion) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("Notes-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url =
      ProcessInfo.processInfo.environment["STORE"].map { URL(fileURLWithPath: $0) }
      ?? folder.appendingPathComponent("Notes.sqlite")
    if FileManager.default.fileExists(atPath: url.path) {
      print("opening \(url.lastPathComponent)")
    } else {
      print("a store of “\(release.name)”")
      try Release.writeStore(at: url, release)
    }
    let container = try NotesStore.open(at: url) { print($0) }
    try show(container.viewContext)
  }

  private static func show(_ context: NSManagedObjectContext) throws {
    let request = NSFetchRequest<Note>(entityName: "Note")
    request.sortDescriptors = [NSSortDescriptor(key: "created", ascending: true)]
    for note in try context.fetch(request) {
      let folder = note.folder?.name.map { " in \($0)" } ?? ""
      let length = note.body?.length ?? 0
      print("- \(note.title ?? "")\(folder), \(length) characters: \(note.summary ?? "")")
    }
  }
}
