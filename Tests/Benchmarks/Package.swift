// swift-tools-version:6.0
// A package of its own: it builds for release only, and its C decoder is nobody's dependency.

import PackageDescription

let package = Package(
    name: "rowgate-benchmarks",
    targets: [
        // The project's own sources, through symbolic links: its products are programs.
        .target(name: "PM5Codec"),
        .target(name: "Rowing", dependencies: ["PM5Codec"]),
        .target(name: "CDecoder"),
        .target(name: "AllocationCount"),
        .executableTarget(
            name: "Benchmarks", dependencies: ["PM5Codec", "Rowing", "CDecoder", "AllocationCount"]),
    ]
)
