// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// Uses names that Foundation has too; the plugin supplies the type aliases.
enum Expressions {
  static func isTitled(_ title: String) -> NSComparisonPredicate {
    NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: "title"),
      rightExpression: NSExpression(forConstantValue: title),
      modifier: .direct,
      type: .equalTo,
      options: []
    )
  }
}
