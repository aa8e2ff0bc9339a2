// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Property lists: what is read is written as something that reads equal.
struct PropertyListTarget: FuzzTarget {
  func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let root = try? PropertyListReader.root(of: Data(bytes)), root.holds(atMost: 100_000)
    else { return }
    let written = PropertyListWriter.data(root)
    guard let read = try? PropertyListReader.root(of: written) else {
      broken("What is written cannot be read", "\(root)")
    }
    // Bytes are compared, as a real that is no number differs from itself.
    if PropertyListWriter.data(read) != written { broken("It reads as another", "\(root)") }
    _ = try? VersionInfo(Data(bytes))
    if let archive = try? KeyedArchive(Data(bytes)) {
      for index in archive.objects.indices { _ = archive.value(.reference(index)) }
    }
  }
}
