// SPDX-License-Identifier: Apache-2.0

import CoreData

// swift-format-ignore: AvoidRetroactiveConformances
// Unchecked: the tests share Apple's own policies alone, which never change.
extension NSMergePolicy: @unchecked Sendable {}
