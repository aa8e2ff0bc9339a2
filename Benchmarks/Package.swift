// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
  name: "swift-coredata-benchmarks",
  products: [
    .executable(name: "coredata-bench", targets: ["CoreDataBench"]),
    .executable(name: "migration-limit", targets: ["MigrationLimit"]),
    .executable(name: "postgres-limit", targets: ["PostgresLimit"]),
    .executable(name: "store-types", targets: ["StoreTypes"]),
  ],
  traits: [
    .trait(name: "Command", description: "The command coredata, whose forecasts are compared."),
    .trait(name: "PostgreSQL", description: "The workloads of stores in PostgreSQL."),
  ],
  dependencies: [
    .package(
      name: "swift-coredata",
      path: "..",
      traits: [
        .trait(name: "Command", condition: .when(traits: ["Command"])),
        .trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"])),
      ]
    )
  ],
  targets: [
    // The engine itself, as a measure for what is asked of it through the library.
    .systemLibrary(name: "CPlainSQLite", pkgConfig: "sqlite3"),
    // The measure for migrations: their SQL, typed in C.
    .executableTarget(name: "MigrationLimit", dependencies: ["CPlainSQLite"]),
    // The measure for stores in PostgreSQL: their work by hand, in C.
    .systemLibrary(name: "CPlainPostgres", pkgConfig: "libpq"),
    .executableTarget(name: "PostgresLimit", dependencies: ["CPlainPostgres"]),
    .executableTarget(
      name: "StoreTypes",
      dependencies: [.product(name: "CoreData", package: "swift-coredata")]
    ),
    .executableTarget(
      name: "CoreDataBench",
      dependencies: ["CPlainSQLite", .product(name: "CoreData", package: "swift-coredata")],
      resources: [.copy("Bench.xcdatamodeld")],
      plugins: [.plugin(name: "CoreDataModelPlugin", package: "swift-coredata")]
    ),
  ],
  swiftLanguageModes: [.v6]
)
