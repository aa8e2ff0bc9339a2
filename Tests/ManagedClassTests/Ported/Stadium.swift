// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Stadium.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Stadium)
#endif
class Stadium: NSManagedObject {

// Insert code here to add functionality to your managed object subclass

}
