// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

// Apple declares these in UIKit and AppKit; here, where there is neither, code that uses a fetched
// results controller finds them with it.
extension IndexPath {
  /// The path of a row of a table.
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
  /// The path of an item of a collection.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

  /// The section: the first index.
  ///
  /// A path of other than two indexes stops the program.
  public var section: Int {
    get { self[checked: 0] }
    set { self = IndexPath(indexes: [newValue, self[checked: 1]]) }
  }
  /// The row: the second index.
  ///
  /// A path of other than two indexes stops the program.
  public var row: Int {
    get { self[checked: 1] }
    set { self = IndexPath(indexes: [self[checked: 0], newValue]) }
  }
  /// The item: the second index.
  ///
  /// A path of other than two indexes stops the program.
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
