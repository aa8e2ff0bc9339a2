// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
  name: "swift-coredata",
  products: [
    .library(name: "CoreData", targets: ["CoreData"]),
    .library(name: "CoreDataCompatibility", targets: ["CoreDataCompatibility"]),
    .library(name: "CoreDataTestSupport", targets: ["CoreDataTestSupport"]),
    .executable(name: "coredata", targets: ["_CoreDataCommand"]),
    .plugin(name: "CoreDataModelPlugin", targets: ["CoreDataModelPlugin"]),
    // For the simulation of power failures: a program loads it before the C library.
    .library(name: "CoreDataCallRecorder", type: .dynamic, targets: ["CallRecorder"]),
  ],
  traits: [
    .trait(
      name: "Command",
      description: "The program coredata has its commands, which need swift-argument-parser."
    ),
    .trait(
      name: "OpenCombine",
      description: "CoreDataCompatibility re-exports OpenCombine, for sources that use Combine."
    ),
    .trait(
      name: "PostgreSQL",
      description: "CoreData opens stores in PostgreSQL databases, through the system's libpq."
    ),
  ],
  dependencies: [
    // Not downloaded unless the trait that uses it is enabled.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CCoreDataSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),
    .systemLibrary(
      name: "CCoreDataZlib",
      pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
    ),
    .systemLibrary(
      name: "CCoreDataPostgres",
      pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
    ),
    .target(name: "CCoreDataObjectLifetime"),

    .target(name: "_CoreDataModel", dependencies: ["CCoreDataZlib"]),
    .target(name: "_CoreDataPredicate", dependencies: ["_CoreDataModel"]),
    .target(name: "_CoreDataStore", dependencies: ["_CoreDataModel", "_CoreDataPredicate"]),
    .target(
      name: "_CoreDataSQL",
      dependencies: ["_CoreDataModel", "_CoreDataPredicate", "_CoreDataStore"]
    ),
    .target(
      name: "_CoreDataSQLite",
      dependencies: [
        "CCoreDataSQLite", "_CoreDataModel", "_CoreDataPredicate", "_CoreDataStore", "_CoreDataSQL",
      ]
    ),
    // Without the trait, the module is empty, and neither the header nor the library is needed.
    .target(
      name: "_CoreDataPostgres",
      dependencies: [
        .target(name: "CCoreDataPostgres", condition: .when(traits: ["PostgreSQL"])),
        "_CoreDataModel", "_CoreDataPredicate", "_CoreDataStore", "_CoreDataSQL",
      ]
    ),
    .target(
      name: "_CoreDataGraph",
      dependencies: [
        "CCoreDataObjectLifetime", "_CoreDataModel", "_CoreDataPredicate", "_CoreDataStore",
      ]
    ),
    .target(
      name: "CoreData",
      dependencies: [
        "_CoreDataModel", "_CoreDataPredicate", "_CoreDataStore", "_CoreDataSQLite",
        "_CoreDataGraph",
        .target(name: "_CoreDataPostgres", condition: .when(traits: ["PostgreSQL"])),
      ]
    ),
    .target(
      name: "CoreDataCompatibility",
      dependencies: [
        "CoreData",
        .product(
          name: "OpenCombine",
          package: "OpenCombine",
          condition: .when(traits: ["OpenCombine"])
        ),
        .product(
          name: "OpenCombineDispatch",
          package: "OpenCombine",
          condition: .when(traits: ["OpenCombine"])
        ),
        .product(
          name: "OpenCombineFoundation",
          package: "OpenCombine",
          condition: .when(traits: ["OpenCombine"])
        ),
      ]
    ),
    .target(name: "_CoreDataTableRows"),
    .target(
      name: "CoreDataTestSupport",
      dependencies: [
        "CoreData", "_CoreDataModel", "_CoreDataSQLite", "_CoreDataTableRows", "_CoreDataTools",
      ]
    ),
    .target(
      name: "_CoreDataCodeGeneration",
      dependencies: ["_CoreDataModel", "_CoreDataPredicate"]
    ),
    // What the plugin runs at every build: without the store, and without a package of others.
    .executableTarget(
      name: "_CoreDataGenerator",
      dependencies: ["_CoreDataCodeGeneration", "_CoreDataModel"]
    ),
    .target(
      name: "_CoreDataTools",
      dependencies: [
        "CoreData", "_CoreDataModel", "_CoreDataPredicate", "_CoreDataSQL", "_CoreDataSQLite",
        "_CoreDataStore",
        .target(name: "_CoreDataPostgres", condition: .when(traits: ["PostgreSQL"])),
      ]
    ),
    .target(
      name: "_CoreDataPort",
      dependencies: ["_CoreDataCodeGeneration", "_CoreDataModel", "_CoreDataTools"]
    ),
    // Without the trait, the program only says how it is built.
    .executableTarget(
      name: "_CoreDataCommand",
      dependencies: [
        "CoreData", "_CoreDataCodeGeneration", "_CoreDataModel", "_CoreDataPort",
        "_CoreDataPredicate", "_CoreDataSQLite", "_CoreDataStore", "_CoreDataTools",
        .product(
          name: "ArgumentParser",
          package: "swift-argument-parser",
          condition: .when(traits: ["Command"])
        ),
      ]
    ),
    .plugin(
      name: "CoreDataModelPlugin",
      capability: .buildTool(),
      dependencies: ["_CoreDataGenerator"]
    ),

    .target(name: "SharedFolder", path: "Tests/SharedFolder"),
    .testTarget(name: "CoreDataModelTests", dependencies: ["_CoreDataModel", "SharedFolder"]),
    .testTarget(
      name: "CoreDataCodeGenerationTests",
      dependencies: [
        "_CoreDataCodeGeneration", "_CoreDataModel", "_CoreDataPredicate", "SharedFolder",
      ]
    ),
    .testTarget(
      name: "CoreDataPortTests",
      dependencies: ["_CoreDataCodeGeneration", "_CoreDataModel", "_CoreDataPort"]
    ),
    .testTarget(
      name: "ManagedClassTests",
      dependencies: ["CoreData", "_CoreDataGraph"],
      resources: [.copy("Shop.xcdatamodeld"), .copy("Generations.xcdatamodeld")],
      plugins: ["CoreDataModelPlugin"]
    ),
    .testTarget(
      name: "CoreDataPredicateTests",
      dependencies: ["_CoreDataPredicate", "_CoreDataModel", "PredicateCases"]
    ),
    .target(
      name: "PredicateCases",
      dependencies: ["_CoreDataPredicate", "_CoreDataModel", "SharedFolder"],
      path: "Tests/PredicateCases"
    ),
    .target(
      name: "PredicateLaw",
      dependencies: ["_CoreDataStore", "_CoreDataModel", "_CoreDataPredicate"],
      path: "Tests/PredicateLaw"
    ),
    .target(
      name: "StoreConformance",
      dependencies: ["_CoreDataStore", "_CoreDataModel", "_CoreDataPredicate"],
      path: "Tests/StoreConformance"
    ),
    // The custom stores of the example, which the suites of all stores check.
    .target(name: "JSONStores", dependencies: ["CoreData"], path: "Examples/Sources/JSONStore"),
    .testTarget(
      name: "CoreDataStoreTests",
      dependencies: [
        "_CoreDataStore", "_CoreDataModel", "_CoreDataPredicate", "StoreConformance",
        "PredicateLaw",
      ]
    ),
    .testTarget(
      name: "CoreDataSQLTests",
      dependencies: ["_CoreDataSQL", "_CoreDataStore", "_CoreDataModel", "_CoreDataPredicate"]
    ),
    .testTarget(
      name: "CoreDataSQLiteTests",
      dependencies: [
        "_CoreDataSQLite", "_CoreDataSQL", "_CoreDataStore", "_CoreDataModel", "_CoreDataPredicate",
        "CCoreDataSQLite", "StoreConformance", "PredicateLaw", "PredicateCases", "FixtureStores",
        "SharedFolder",
      ]
    ),
    .testTarget(
      name: "CoreDataPostgresTests",
      dependencies: [
        .target(name: "_CoreDataPostgres", condition: .when(traits: ["PostgreSQL"])),
        "_CoreDataSQL", "_CoreDataStore", "_CoreDataModel", "_CoreDataPredicate",
        "StoreConformance", "PredicateLaw",
      ]
    ),
    .target(
      name: "FixtureStores",
      dependencies: ["CCoreDataSQLite", "_CoreDataModel", "_CoreDataSQLite", "_CoreDataStore"],
      path: "Tests/FixtureStores"
    ),
    .testTarget(
      name: "CoreDataGraphTests",
      dependencies: [
        "_CoreDataGraph", "_CoreDataStore", "_CoreDataModel", "_CoreDataPredicate",
        "_CoreDataTableRows",
      ]
    ),
    .executableTarget(
      name: "LaunchedProgram",
      dependencies: ["CoreData"],
      path: "Tests/LaunchedProgram",
      plugins: ["CoreDataModelPlugin"]
    ),
    .executableTarget(
      name: "StandaloneProgram",
      dependencies: ["CoreData"],
      path: "Tests/StandaloneProgram"
    ),
    .executableTarget(
      name: "DatabaseWriter",
      dependencies: ["CoreData"],
      path: "Tests/DatabaseWriter"
    ),
    .target(name: "CallRecorder", path: "Tests/CallRecorder"),
    .target(
      name: "CrashSimulation",
      dependencies: [
        "CoreData", "CoreDataTestSupport", "CCoreDataSQLite", "_CoreDataSQLite", "_CoreDataTools",
      ],
      path: "Tests/CrashSimulation"
    ),
    .executableTarget(
      name: "SimulationProgram",
      dependencies: ["CrashSimulation"],
      path: "Tests/SimulationProgram"
    ),
    .testTarget(name: "CrashSimulationTests", dependencies: ["CrashSimulation"]),
    .testTarget(
      name: "CoreDataToolsTests",
      dependencies: [
        "_CoreDataTools", "CoreData", "_CoreDataModel", "_CoreDataPredicate", "_CoreDataSQL",
        "_CoreDataSQLite", "_CoreDataStore",
      ]
    ),
    .testTarget(
      name: "CoreDataCommandTests",
      dependencies: [
        "_CoreDataCommand", "_CoreDataModel", "_CoreDataSQL", "_CoreDataSQLite", "SharedFolder",
      ],
      exclude: ["PortedSources"]
    ),
    .testTarget(
      name: "CoreDataCompatibilityTests",
      dependencies: ["CoreData", "CoreDataCompatibility"]
    ),
    .testTarget(
      name: "CoreDataTests",
      dependencies: [
        "CoreData", "_CoreDataGraph", "_CoreDataModel", "_CoreDataPredicate", "_CoreDataSQL",
        "_CoreDataSQLite", "_CoreDataTools", "CCoreDataSQLite",
        "CoreDataTestSupport", "PredicateCases", "FixtureStores", "LaunchedProgram",
        "SharedFolder", "StandaloneProgram", "StoreConformance", "_CoreDataStore", "JSONStores",
        "PredicateLaw",
        .target(name: "_CoreDataPostgres", condition: .when(traits: ["PostgreSQL"])),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// The scripts build everything with the same traits. SwiftPM gives traits to the compiler in the same order for this
// package and for a package that depends on it only if they are the default.
if let names = Context.environment["COREDATA_TRAITS"] {
  let traits = names.split(separator: ",").map(String.init)
  package.traits.insert(.default(enabledTraits: Set(traits)))
}

// The fuzzer is there only where `scripts/fuzz` asks for it and names the library it links.
if let library = Context.environment["COREDATA_FUZZ"] {
  for target in package.targets where target.type == .regular && target.path == nil {
    target.swiftSettings = [.unsafeFlags(["-sanitize=fuzzer"])]
  }
  package.targets.append(
    .executableTarget(
      name: "coredata-fuzz",
      dependencies: ["_CoreDataModel", "_CoreDataPredicate", "_CoreDataStore"],
      path: "Fuzz/Sources",
      swiftSettings: [.unsafeFlags(["-sanitize=fuzzer"])],
      linkerSettings: [.unsafeFlags(["-Xlinker", library, "-lstdc++", "-lm"])]
    )
  )
}
