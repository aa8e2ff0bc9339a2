// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// An object that stands for another by its key, as an object ID does.
package protocol KeyCarrier: AnyObject {
  /// The key it stands for, nil where it stands for none.
  var carriedKey: ObjectKey? { get }
}
