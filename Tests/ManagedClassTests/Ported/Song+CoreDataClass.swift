// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Song+CoreDataClass.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Song)
#endif
public class Song: NSManagedObject {

}
