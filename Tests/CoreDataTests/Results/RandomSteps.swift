// SPDX-License-Identifier: Apache-2.0

import CoreDataTestSupport

typealias RandomSteps = CoreDataTestSupport.RandomSteps

extension RandomSteps {
  var zone: String { mutating get { ["Asia", "Europe", "Africa", "Oceania"][below(4)] } }
  var wins: Int { mutating get { below(20) } }
}
