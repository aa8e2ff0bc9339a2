// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataPredicate

extension SortKeyInitializable {
  /// The order of a Swift sort descriptor over the properties of a managed object class.
  ///
  ///     request.sortDescriptors = [NSSortDescriptor(SortDescriptor(\Team.wins, order: .reverse))]
  ///
  /// One whose key path has no known name stops the program. Texts go by their code units, which is
  /// the only comparator that Foundation has on Linux. Source: documented (NSSortDescriptor).
  public init<Compared: NSObject>(_ sortDescriptor: SortDescriptor<Compared>) {
    guard let path = sortDescriptor.keyPath else {
      Misuse.pathlessDescriptor("\(sortDescriptor)")
    }
    let name = KeyPathNames.requiredName(of: path)
    self.init(SortKey(name, ascending: sortDescriptor.order == .forward), path: path)
  }
}
