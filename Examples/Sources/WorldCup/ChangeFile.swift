// SPDX-License-Identifier: Apache-2.0

import CoreData

/// A file beside the store in which each program writes the IDs of what it has saved, a line a save.
///
/// The system tells readers when the file grows; nobody asks the store in vain, and what a reader then
/// reads of the store are the rows named. A program that does not write here is not heard of.
final class ChangeFile: Sendable {
  private let path: String
  /// This run of the program: its own lines are passed over.
  private let writer = UUID().uuidString

  init(store: URL) { path = store.path + "-changes" }

  private struct Line: Codable {
    var writer: String
    var inserted: [URL]
    var updated: [URL]
    var deleted: [URL]
  }

  // MARK: Writing

  /// Writes a line for every save of this program from now on.
  func tellOthers() {
    _ = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didSaveObjectIDsNotification,
      object: nil,
      queue: nil
    ) { [self] notification in write(notification) }
  }

  private func write(_ notification: Notification) {
    func urls(_ key: String) -> [URL] {
      let ids = notification.userInfo?[key] as? Set<NSManagedObjectID> ?? []
      return ids.map { $0.uriRepresentation() }
    }
    let line = Line(
      writer: writer,
      inserted: urls(NSInsertedObjectIDsKey),
      updated: urls(NSUpdatedObjectIDsKey),
      deleted: urls(NSDeletedObjectIDsKey)
    )
    guard var bytes = try? JSONEncoder().encode(line) else { return }
    bytes.append(UInt8(ascii: "\n"))
    // One write at the end: lines of several programs do not mix.
    let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
    if file < 0 { return }
    bytes.withUnsafeBytes { _ = Glibc.write(file, $0.baseAddress, $0.count) }
    close(file)
  }

  // MARK: Reading

  /// Calls `hear` with what another program has saved, in the form that `mergeChanges` takes, for as long
  /// as this program runs.
  func hear(_ hear: @escaping @Sendable ([AnyHashable: Any]) -> Void) {
    let file = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0o644)
    let watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard file >= 0, watch >= 0, inotify_add_watch(watch, path, UInt32(IN_MODIFY)) >= 0 else {
      return
    }
    lseek(file, 0, SEEK_END)
    let reader = Reader(file: file, watch: watch, writer: writer)
    let source = DispatchSource.makeReadSource(
      fileDescriptor: watch,
      queue: DispatchQueue(label: "ChangeFile")
    )
    source.setEventHandler {
      for line in reader.lines() { hear(line) }
      // The handler keeps the source: it lasts as long as the program.
      _ = source
    }
    source.activate()
  }

  /// Reads whole lines as they come.
  // Unchecked: used on the watch's queue only.
  private final class Reader: @unchecked Sendable {
    let file: Int32
    let watch: Int32
    let writer: String
    var rest = Data()

    init(file: Int32, watch: Int32, writer: String) {
      self.file = file
      self.watch = watch
      self.writer = writer
    }

    func lines() -> [[AnyHashable: Any]] {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while read(watch, &bytes, bytes.count) > 0 {}
      while case let count = read(file, &bytes, bytes.count), count > 0 { rest += bytes[..<count] }
      var saved: [[AnyHashable: Any]] = []
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = try? JSONDecoder().decode(Line.self, from: Data(rest[..<end]))
        rest = Data(rest[(end + 1)...])
        guard let line, line.writer != writer else { continue }
        saved.append([
          NSInsertedObjectsKey: line.inserted, NSUpdatedObjectsKey: line.updated,
          NSDeletedObjectsKey: line.deleted,
        ])
      }
      return saved
    }
  }
}
