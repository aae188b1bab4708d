// swift-tools-version:6.0
// 6.0, and no newer language feature, so that Debian trixie's own swiftlang builds it on a Pi.

import PackageDescription

/// A library of ours, named after its folder in Sources, and the folder's tests, which may need
/// other libraries to hold it against.
func library(
    _ name: String, _ dependencies: [Target.Dependency] = [],
    testedWith others: [Target.Dependency] = []
) -> [Target] {
    [
        .target(name: name, dependencies: dependencies),
        .testTarget(
            name: name + "Tests",
            dependencies: [.byName(name: name), "TestSupport"] + dependencies + others,
            exclude: excludedTestData[name] ?? []),
    ]
}

/// Data that a test reads from its source folder by path; it is not a bundle resource.
let excludedTestData: [String: [String]] = [
    "Diagnosis": ["Golden"], "PM5Codec": ["Vectors"], "PM5Simulator": ["Strangers"],
    "RowgateControl": ["Golden"], "SessionReplay": ["Golden"], "LogInspection": ["Golden"],
    "DeliveryProof": ["Golden"], "RingLog": ["Strangers"],
]

let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let systemLibraries: [Target] = [
    .systemLibrary(
        name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(
        name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
    .systemLibrary(
        name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
]

let pureCore =
    library("PM5Codec")
    + library("Rowing", ["PM5Codec"], testedWith: ["PM5Simulator"])

let adapters =
    library("RingLog", testedWith: ["MQTTPublishing"])
    + library("HostRuntime", ["CSystemd"])
    + library("SDBus", ["HostRuntime", "CSystemd"])
    + library(
        "BlueZLink", ["Rowing", "PM5Codec", "SDBus", "HostRuntime", "CBluetooth"],
        testedWith: ["PM5Simulator"])
    + library("MQTTPublishing", ["PM5Codec", "Rowing", "HostRuntime", "CMosquitto", "CCrypto"])
    + library("RowgateControl", ["HostRuntime"])
    + library(
        "Diagnosis", ["HostRuntime", "SDBus", "Rowing", "MQTTPublishing", "RowgateControl"],
        testedWith: ["PM5Simulator"])
    + library(
        "SessionReplay", ["PM5Codec", "Rowing", "MQTTPublishing"], testedWith: ["PM5Simulator"])
    + library(
        "DeliveryProof", ["Rowing", "MQTTPublishing", "RowgateControl", "SessionReplay"],
        testedWith: ["RowgateDaemon", "HostRuntime", "PM5Codec"])

let composition =
    library(
        "RowgateDaemon",
        [
            "PM5Codec", "Rowing", "RingLog", "HostRuntime", "SDBus", "BlueZLink",
            "MQTTPublishing", "RowgateControl", "CTOML",
        ])
    + library("PM5Simulator", ["PM5Codec", "SDBus", "HostRuntime"])
    + library(
        "LogInspection", ["PM5Codec", "Rowing", "RingLog", "MQTTPublishing", "RowgateControl"])

let programs: [Target] = [
    .executableTarget(name: "rowgate", dependencies: ["RowgateDaemon", "CGlibcFloor", arguments]),
    .executableTarget(
        name: "rowgatectl",
        dependencies: [
            "RowgateControl", "LogInspection", "Rowing", "PM5Codec", "SessionReplay", "Diagnosis",
            "HostRuntime", "DeliveryProof", "MQTTPublishing", "CGlibcFloor", arguments,
        ]),
    .executableTarget(
        name: "pm5sim", dependencies: ["PM5Simulator", "HostRuntime", "CGlibcFloor", arguments]),
]

let package = Package(
    name: "rowgate",
    products: [
        .executable(name: "rowgate", targets: ["rowgate"]),
        .executable(name: "rowgatectl", targets: ["rowgatectl"]),
        .executable(name: "pm5sim", targets: ["pm5sim"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
    ],
    targets: systemLibraries + pureCore + adapters + composition + programs + [
        .target(name: "CTOML", cxxSettings: [.define("TOML_EXCEPTIONS", to: "0")]),
        .target(name: "CGlibcFloor"),
        .target(
            name: "TestSupport", dependencies: ["HostRuntime", "RingLog"], path: "Tests/TestSupport"
        ),
        .testTarget(
            name: "SystemTests",
            dependencies: [
                "TestSupport", "PM5Simulator", "RowgateDaemon", "RingLog", "MQTTPublishing",
                "Rowing",
                "rowgate", "rowgatectl", "pm5sim", "JournalWriter",
            ],
            exclude: ["Golden", "Strangers"]),
        .executableTarget(
            name: "JournalWriter",
            dependencies: ["RowgateDaemon", "HostRuntime", "MQTTPublishing", "Rowing"],
            path: "Tests/JournalWriter"),
        .testTarget(name: "TidyTests", dependencies: ["TestSupport"]),
    ],
    cxxLanguageStandard: .cxx17
)
