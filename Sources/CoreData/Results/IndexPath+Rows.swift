// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

// Apple declares these members of `IndexPath` in UIKit and AppKit. This extension replaces them on systems
// without those frameworks.
extension IndexPath {
  /// Creates the index path of a row in a table view.
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
  /// Creates the index path of an item in a collection view.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

  /// The section, which is the first index.
  ///
  /// Stops the program if the path does not have exactly two indexes.
  public var section: Int {
    get { self[checked: 0] }
    set { self = IndexPath(indexes: [newValue, self[checked: 1]]) }
  }
  /// The row, which is the second index.
  ///
  /// Stops the program if the path does not have exactly two indexes.
  public var row: Int {
    get { self[checked: 1] }
    set { self = IndexPath(indexes: [self[checked: 0], newValue]) }
  }
  /// The item, which is the second index.
  ///
  /// Stops the program if the path does not have exactly two indexes.
  public var item: Int {
    get { row }
    set { row = newValue }
  }

  init(_ path: ResultPath) { self.init(indexes: [path.section, path.row]) }

  private subscript(checked position: Int) -> Int {
    guard count == 2 else { Misuse.indexPathIsNotRow(self) }
    return self[position]
  }
}
