// swift-tools-version:6.0
// A separate package: it builds for release only, and no product depends on its C decoder. Nor
// are SQLite and LMDB, beside which StorageBenchmark runs the ring; StoreBenchmark runs the logbook's stores.

import PackageDescription

let package = Package(
    name: "rowgate-benchmarks",
    targets: [
        // The project's own sources, through symbolic links: its products are programs.
        .target(name: "Timeline"),
        .target(name: "Bytes"),
        .target(name: "PM5Codec", dependencies: ["Bytes"]),
        .target(name: "Rowing", dependencies: ["PM5Codec", "Bytes", "Timeline"]),
        .target(
            name: "Contract", dependencies: ["Rowing", "PM5Codec", "Bytes", "Timeline"],
            exclude: ["Documentation.docc"]),
        .target(
            name: "Insights",
            dependencies: ["Contract", "Rowing", "PM5Codec", "Bytes", "Timeline"]),
        .target(
            name: "PM5Simulator", dependencies: ["PM5Codec", "Rowing", "Bytes", "Timeline"],
            exclude: ["ReplayedErg.swift"]),
        .target(name: "RingLog"),
        .target(name: "DeliveryProof", dependencies: ["Contract", "Bytes", "Timeline"]),
        .target(name: "HostRuntime", dependencies: ["Bytes", "Timeline", "CSystemd", "CCrypto"]),
        .target(
            name: "LogbookStores",
            dependencies: [
                "DeliveryProof", "Contract", "Bytes", "Timeline", "HostRuntime", "CSQLite",
                "CPostgreSQL",
            ]),
        .target(name: "Bests", dependencies: ["Contract", "Bytes", "Timeline"]),
        .target(name: "Training", dependencies: ["Bests", "Contract", "Bytes", "Timeline"]),
        .target(name: "CDecoder"),
        .target(name: "AllocationCount"),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CLMDB", providers: [.apt(["liblmdb-dev"])]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "PM5Codec", "Rowing", "Contract", "Insights", "Bytes", "Timeline", "CDecoder",
                "AllocationCount",
            ]),
        .executableTarget(
            name: "AthleteBenchmark", dependencies: ["Bests", "Training", "Contract", "Bytes"],
            linkerSettings: [.linkedLibrary("m")]),
        .executableTarget(
            name: "StoreBenchmark", dependencies: ["LogbookStores", "Contract"]),
        .executableTarget(
            name: "SeasonMaker",
            dependencies: [
                "LogbookStores", "Contract", "Rowing", "PM5Simulator", "PM5Codec", "Timeline",
            ]),
        .executableTarget(name: "StorageBenchmark", dependencies: ["RingLog", "CSQLite", "CLMDB"]),
    ]
)
