// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation

/// The files of one simulated disk for SQLite: a file system (VFS) in memory.
///
/// SQLite changes copies of the files, so the simulated disk stays as it is.
enum MemoryFiles {
  static let name = "crash-memory"

  /// A file as SQLite sees it.
  final class File {
    fileprivate var buffer: FileBuffer
    fileprivate var isOwn = false

    init(_ buffer: FileBuffer) { self.buffer = buffer }

    fileprivate func change() -> FileBuffer {
      if !isOwn {
        buffer = buffer.copy()
        isOwn = true
      }
      return buffer
    }
  }

  /// The state of an open file, in the form that SQLite allocates.
  private struct Handle {
    var base: sqlite3_file
    var file: Unmanaged<File>?
  }

  // Unsafe: only one database is judged at a time, on one thread.
  nonisolated(unsafe) static var files: [String: File] = [:]

  private static func file(_ handle: UnsafeMutablePointer<sqlite3_file>?) -> File? {
    guard let handle else { return nil }
    return UnsafeMutableRawPointer(handle).assumingMemoryBound(to: Handle.self).pointee.file?
      .takeUnretainedValue()
  }

  // Unsafe: SQLite keeps the pointer to these functions, which never change.
  nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    var methods = sqlite3_io_methods()
    methods.iVersion = 1
    methods.xClose = { handle in
      guard let handle else { return SQLITE_OK }
      let place = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: Handle.self)
      place.pointee.file?.release()
      place.pointee.file = nil
      return SQLITE_OK
    }
    methods.xRead = { handle, target, count, offset in
      guard let file = MemoryFiles.file(handle), let target else { return SQLITE_IOERR }
      let found = file.buffer.read(target, Int(count), at: Int(offset))
      if found == Int(count) { return SQLITE_OK }
      memset(target + found, 0, Int(count) - found)
      return MemoryFiles.shortRead
    }
    methods.xWrite = { handle, source, count, offset in
      guard let file = MemoryFiles.file(handle) else { return SQLITE_IOERR }
      file.change().write(
        UnsafeRawBufferPointer(start: source, count: Int(count)),
        at: Int(offset)
      )
      return SQLITE_OK
    }
    methods.xTruncate = { handle, size in
      MemoryFiles.file(handle)?.change().resize(Int(size))
      return SQLITE_OK
    }
    methods.xSync = { _, _ in SQLITE_OK }
    methods.xFileSize = { handle, size in
      size?.pointee = sqlite3_int64(MemoryFiles.file(handle)?.buffer.count ?? 0)
      return SQLITE_OK
    }
    methods.xLock = { _, _ in SQLITE_OK }
    methods.xUnlock = { _, _ in SQLITE_OK }
    methods.xCheckReservedLock = { _, result in
      result?.pointee = 0
      return SQLITE_OK
    }
    methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.xSectorSize = { _ in 4096 }
    // As SQLite's own file system: SQLite then expects journals with headers of 512 bytes.
    methods.xDeviceCharacteristics = { _ in MemoryFiles.keepsNeighbours }
    let place = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    place.initialize(to: methods)
    return place
  }()

  /// The value of the macro `SQLITE_IOERR_SHORT_READ`, which Swift does not import.
  private static let shortRead: Int32 = 522
  /// The value of `SQLITE_IOCAP_POWERSAFE_OVERWRITE`: a torn write does not change bytes beside it.
  private static let keepsNeighbours: Int32 = 0x1000

  /// Registers the file system; does so once.
  static let register: Void = {
    guard let system = sqlite3_vfs_find(nil) else { return }
    var vfs = sqlite3_vfs()
    vfs.iVersion = 1
    vfs.szOsFile = Int32(MemoryLayout<Handle>.size)
    vfs.mxPathname = 512
    vfs.zName = UnsafePointer(strdup(MemoryFiles.name))
    vfs.pAppData = UnsafeMutableRawPointer(system)
    vfs.xOpen = { _, name, handle, flags, result in
      guard let handle else { return SQLITE_CANTOPEN }
      let place = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: Handle.self)
      let name = name.map { String(cString: $0) }
      var file = name.flatMap { MemoryFiles.files[$0] }
      if file == nil {
        handle.pointee.pMethods = nil
        if flags & SQLITE_OPEN_CREATE == 0 { return SQLITE_CANTOPEN }
        let new = File(FileBuffer())
        if let name { MemoryFiles.files[name] = new }
        file = new
      }
      place.pointee.file = file.map { Unmanaged.passRetained($0) }
      handle.pointee.pMethods = UnsafePointer(MemoryFiles.methods)
      result?.pointee = flags
      return SQLITE_OK
    }
    vfs.xDelete = { _, name, _ in
      if let name { MemoryFiles.files[String(cString: name)] = nil }
      return SQLITE_OK
    }
    vfs.xAccess = { _, name, flags, result in
      let file = name.flatMap { MemoryFiles.files[String(cString: $0)] }
      result?.pointee = file == nil ? 0 : 1
      return SQLITE_OK
    }
    vfs.xFullPathname = { _, name, size, target in
      guard let name, let target else { return SQLITE_CANTOPEN }
      strncpy(target, name, Int(size))
      return SQLITE_OK
    }
    vfs.xRandomness = { _, count, target in
      if let target { memset(target, 7, Int(count)) }
      return count
    }
    vfs.xSleep = { _, microseconds in microseconds }
    vfs.xCurrentTime = { _, time in
      time?.pointee = 2_460_000
      return SQLITE_OK
    }
    vfs.xGetLastError = { _, _, _ in 0 }
    let place = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    place.initialize(to: vfs)
    sqlite3_vfs_register(place, 0)
  }()
}
