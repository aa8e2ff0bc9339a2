// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Playlist+CoreDataClass.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Playlist)
#endif
public class Playlist: NSManagedObject {

}
