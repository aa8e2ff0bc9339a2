// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  PhoneNumber+CoreDataClass.swift
//  Rolodex
//
//  Created by Ada Example on 21/09/16.
//

import Foundation
import CoreData

@objc(PhoneNumber)
public class PhoneNumber: NSManagedObject {

    @objc enum Kind: Int16 {
        case home, work, mobile
    }

    convenience init(context: NSManagedObjectContext, digits: String, kind: Kind) {
        self.init(context: context)
        self.digits = digits
        self.kind = kind.rawValue
    }

    public override func validateForInsert() throws {
        try super.validateForInsert()
        guard digits?.rangeOfCharacter(from: .decimalDigits) != nil else {
            throw NSError(domain: "Rolodex", code: 1, userInfo: [
                NSLocalizedDescriptionKey: "A phone number needs a digit.",
                NSValidationObjectErrorKey: self,
                NSValidationKeyErrorKey: #keyPath(PhoneNumber.digits),
            ])
        }
    }
}
