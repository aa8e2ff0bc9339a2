// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Item+CoreDataClass.swift
//  Shop
//
//  As Xcode's “Create NSManagedObject Subclass…” writes it, except for “@objc(Item)”.
//

import Foundation
import CoreData


public class Item: NSManagedObject {

}
