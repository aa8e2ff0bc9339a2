// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Player.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Player)
#endif
class Player: NSManagedObject {

// Insert code here to add functionality to your managed object subclass

}
