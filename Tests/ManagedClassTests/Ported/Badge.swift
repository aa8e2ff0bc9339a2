// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Badge.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Badge)
#endif
class Badge: NSManagedObject {

    @NSManaged var code: String
    @NSManaged var isActive: NSNumber

}
