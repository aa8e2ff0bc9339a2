// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Team.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Team)
#endif
class Team: NSManagedObject {

// Insert code here to add functionality to your managed object subclass

}
