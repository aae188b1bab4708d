// swift-tools-version:6.0
// 6.0, and no newer language feature, so that Debian trixie's own swiftlang builds it on a Pi.

import PackageDescription

/// The layers: folders of Sources, from what knows nothing of a machine to what people start.
/// `Tests/TidyTests` reads from them what may import what.
enum Layer: String {
    case core = "Core"
    case adapters = "Adapters"
    case services = "Services"
    case tools = "Tools"
    case programs = "Programs"
    case system = "System"
}

func path(_ layer: Layer, _ name: String) -> String { "Sources/\(layer.rawValue)/\(name)" }

/// A library of ours, and the folder's tests, which may need other libraries to hold it against.
func library(
    _ layer: Layer, _ name: String, _ dependencies: [Target.Dependency] = [],
    testedWith others: [Target.Dependency] = [], excluding excluded: [String] = []
) -> [Target] {
    [
        .target(
            name: name, dependencies: dependencies, path: path(layer, name), exclude: excluded,
            swiftSettings: settings(of: name)),
        .testTarget(
            name: name + "Tests",
            dependencies: [.byName(name: name), "TestSupport"] + dependencies + others,
            exclude: excludedTestData[name] ?? []),
    ]
}

/// Data that a test reads from its source folder by path; it is not a bundle resource.
let excludedTestData: [String: [String]] = [
    "Bytes": ["Golden"], "DeliveryProof": ["Golden"], "Diagnosis": ["Golden"],
    "Gateway": ["Golden"], "HTTPClient": ["Interop"], "LogInspection": ["Golden"],
    "Logbook": ["Golden", "Interop"],
    "LogbookInspection": ["Golden"],
    "MQTTClient": ["Interop"], "Plans": ["Interop"], "PM5Codec": ["Vectors"],
    "PM5Simulator": ["Interop"],
    "RingLog": ["Interop"], "RoomTables": ["Golden"], "SessionReplay": ["Golden"],
    "TrainingFiles": ["Interop"],
]

/// Swift's parser of regular expressions, which every file imports otherwise, is a megabyte of each
/// program; `Bytes` searches in text.
let withoutExpressions: [SwiftSetting] = [
    .unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])
]

/// What runs when a person asks for it, and not at each stroke: small rather than fast.
let unhurried: Set = [
    "Bests", "Training", "Suggestions", "Plans", "People", "Club", "TrainingFiles", "DeliveryProof",
    "AvahiClient", "ControlSocket", "HTTPClient", "LogbookStores", "WebServer", "QRCodes", "Settings",
    "Logbook", "Uploads", "WebPages",
    "CommandLineText", "RoomTables", "Diagnosis", "LogInspection", "LogbookInspection",
    "SessionReplay",
]

/// What tests run for millions of strokes and power cuts: optimized in a debug build too, which halves the time
/// of the tests. `ROWGATE_DEBUG=1` builds it for a debugger.
let optimizedForTests: Set =
    Context.environment["ROWGATE_DEBUG"] != nil
    ? []
    : [
        "Bytes", "Timeline", "PM5Codec", "Rowing", "RingLog", "Insights", "PM5Simulator", "Recording",
        "DemoClub", "Contract",
    ]

func settings(of name: String) -> [SwiftSetting] {
    let isUnhurried = unhurried.contains(name) || !name.contains { $0.isUppercase }
    return withoutExpressions
        + (optimizedForTests.contains(name)
            ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : [])
        + (isUnhurried ? [.unsafeFlags(["-Osize"], .when(configuration: .release))] : [])
}

let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// A library of Debian's, by its header.
func system(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
    .systemLibrary(
        name: name, path: path(.system, name), pkgConfig: pkgConfig, providers: [.apt([package])])
}

let systemTargets: [Target] = [
    system("CSystemd", "libsystemd", "libsystemd-dev"),
    system("CMosquitto", "libmosquitto", "libmosquitto-dev"),
    system("CBluetooth", "bluez", "libbluetooth-dev"),
    system("CCrypto", "openssl", "libssl-dev"),
    system("CMicroHTTPD", "libmicrohttpd", "libmicrohttpd-dev"),
    system("CQREncode", "libqrencode", "libqrencode-dev"),
    system("CCurl", "libcurl", "libcurl4-openssl-dev"),
    system("CSQLite", "sqlite3", "libsqlite3-dev"),
    system("CPostgreSQL", "libpq", "libpq-dev"),
    system("CZlib", "zlib", "zlib1g-dev"),
    system("CZstd", "libzstd", "libzstd-dev"),
    .target(
        name: "CTOML", path: path(.system, "CTOML"),
        cxxSettings: [.define("TOML_EXCEPTIONS", to: "0")]),
    .target(name: "CGlibcFloor", path: path(.system, "CGlibcFloor")),
    .target(
        name: "CPageFiles", path: path(.system, "CPageFiles"),
        cSettings: [
            .headerSearchPath("../../Services/WebPages/Files"),
            .headerSearchPath("../../Services/Logbook/Interface"),
        ]),
]

let core =
    library(.core, "Timeline")
    + library(.core, "Bytes")
    + library(.core, "PM5Codec", ["Bytes"])
    + library(.core, "Rowing", ["PM5Codec", "Bytes", "Timeline"], testedWith: ["PM5Simulator"])
    + library(
        .core, "Contract", ["Rowing", "PM5Codec", "Bytes", "Timeline"], testedWith: ["Insights"])
    + library(
        .core, "Insights", ["Contract", "Rowing", "PM5Codec", "Bytes", "Timeline"],
        testedWith: ["PM5Simulator"])
    + library(
        .core, "Relay", ["Rowing", "PM5Codec", "Timeline", "Bytes"], testedWith: ["PM5Simulator"])
    + library(.core, "Bests", ["Contract", "Bytes", "Timeline"], testedWith: ["Training"])
    + library(.core, "Training", ["Bests", "Contract", "Bytes", "Timeline"])
    + library(.core, "Suggestions", ["Training", "Bests", "Contract", "Bytes", "Timeline"])
    + library(
        .core, "TrainingFiles", ["Bests", "Contract", "Bytes", "Timeline"],
        testedWith: ["PM5Simulator", "Rowing", "PM5Codec"])
    + library(
        .core, "Plans",
        ["TrainingFiles", "Bests", "Contract", "Rowing", "PM5Codec", "Bytes", "Timeline"],
        testedWith: ["Training"])
    + library(.core, "People", ["Contract", "Bytes"])
    + library(.core, "Club", ["Bests", "People", "Contract", "Bytes", "Timeline"])
    + library(
        .core, "DeliveryProof", ["Contract", "Bytes", "Timeline"],
        testedWith: [
            "Recording", "Publishing", "MQTTClient", "CommandLineText", "HostRuntime", "Rowing",
            "PM5Codec",
        ])

let adapters =
    library(.adapters, "HostRuntime", ["Bytes", "Timeline", "CSystemd"])
    + library(.adapters, "RingLog", testedWith: ["HostRuntime"])
    + library(.adapters, "SDBus", ["HostRuntime", "CSystemd"])
    + library(.adapters, "AvahiClient", ["SDBus", "Timeline", "HostRuntime"])
    + library(
        .adapters, "BlueZLink",
        ["Relay", "Rowing", "PM5Codec", "Timeline", "SDBus", "HostRuntime", "CBluetooth"],
        testedWith: ["PM5Simulator"])
    + library(
        .adapters, "MQTTClient",
        ["Contract", "Bytes", "Timeline", "HostRuntime", "CMosquitto", "CCrypto"])
    + library(
        .adapters, "ControlSocket", ["HostRuntime", "Bytes"],
        testedWith: ["RoomTables", "Contract"])
    + library(
        .adapters, "WebServer", ["HostRuntime", "Bytes", "Timeline", "CMicroHTTPD"])
    + library(.adapters, "QRCodes", ["CQREncode"])
    + library(.adapters, "HTTPClient", ["HostRuntime", "Bytes", "CCurl"])
    + library(
        .adapters, "LogbookStores",
        [
            "DeliveryProof", "Contract", "Bytes", "Timeline", "HostRuntime", "CSQLite",
            "CPostgreSQL", "CZstd",
        ])

let services =
    library(
        .services, "Recording",
        [
            "RingLog", "Insights", "Contract", "Rowing", "PM5Codec", "Bytes", "Timeline",
            "HostRuntime",
        ],
        testedWith: ["DeliveryProof"])
    + library(
        .services, "Publishing",
        ["MQTTClient", "Contract", "Rowing", "Bytes", "Timeline", "HostRuntime"],
        testedWith: ["PM5Codec"])
    + library(.services, "Settings", ["MQTTClient", "Contract", "Bytes", "CTOML"])
    + library(
        .services, "Gateway",
        [
            "Recording", "Publishing", "Settings", "AvahiClient", "BlueZLink", "MQTTClient", "RingLog",
            "ControlSocket", "HostRuntime", "Insights", "Contract", "Rowing", "PM5Codec", "Bytes",
            "Timeline",
        ],
        testedWith: [
            "PM5Simulator", "DeliveryProof", "SessionReplay", "Diagnosis", "RoomTables",
            "LogbookInspection", "LogbookStores", "CommandLineText",
        ])
    + library(
        .services, "Uploads",
        [
            "HTTPClient", "TrainingFiles", "Plans", "Bests", "Contract", "PM5Codec", "Bytes", "Timeline",
            "CCrypto",
        ])
    + library(
        .services, "Logbook",
        [
            "Settings", "WebPages", "Uploads", "LogbookStores", "DeliveryProof", "MQTTClient", "HTTPClient",
            "WebServer", "QRCodes", "AvahiClient", "HostRuntime", "Bests", "Training", "Suggestions", "Plans",
            "People", "Club",
            "TrainingFiles", "Contract", "Rowing", "Bytes", "Timeline",
        ],
        excluding: ["Interface/openapi.json"])
    + library(.services, "WebPages", ["Bytes", "CPageFiles", "CZlib"], excluding: ["Files"])

let tools =
    library(.tools, "CommandLineText", ["DeliveryProof", "Contract"])
    + library(.tools, "PM5Simulator", ["PM5Codec", "Bytes", "Timeline", "SDBus", "HostRuntime"])
    + library(
        .tools, "DemoClub",
        ["PM5Simulator", "Contract", "Rowing", "PM5Codec", "Bytes", "Timeline"],
        testedWith: ["LogbookStores", "LogbookInspection", "People", "Plans", "HostRuntime"])
    + library(.tools, "RoomTables", ["CommandLineText", "ControlSocket", "Bests", "Contract"])
    + library(
        .tools, "Diagnosis",
        [
            "CommandLineText", "ControlSocket", "MQTTClient", "SDBus", "HostRuntime", "Contract",
            "Timeline",
        ],
        testedWith: ["PM5Simulator"])
    + library(
        .tools, "LogInspection",
        [
            "CommandLineText", "TrainingFiles", "RingLog", "Contract", "Rowing", "PM5Codec",
            "Bytes",
            "Timeline",
        ])
    + library(
        .tools, "LogbookInspection",
        [
            "CommandLineText", "LogbookStores", "MQTTClient", "DeliveryProof", "HostRuntime",
            "Bests", "Training", "Suggestions", "Plans", "People", "Contract", "Bytes", "Timeline",
        ])
    + library(
        .tools, "SessionReplay",
        ["Contract", "Rowing", "Insights", "PM5Codec", "Bytes", "Timeline"],
        testedWith: ["PM5Simulator"])

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies + ["CGlibcFloor"],
        path: path(.programs, name), swiftSettings: settings(of: name))
}

let programs: [Target] = [
    program("rowgate", ["Gateway", "MQTTClient", arguments]),
    program(
        "rowgatectl",
        [
            "CommandLineText", "RoomTables", "ControlSocket", "DeliveryProof", "Diagnosis",
            "LogInspection", "SessionReplay", "MQTTClient", "HostRuntime", "Contract", "Rowing",
            "Bytes", "Timeline",
            arguments,
        ]),
    program(
        "rowgate-logbook",
        [
            "Logbook", "LogbookInspection", "LogbookStores", "CommandLineText", "Settings",
            "MQTTClient", "WebServer", "QRCodes", "HostRuntime", "Bests", "Training", "Suggestions", "Plans",
            "People", "TrainingFiles", "Contract", "Bytes", "Timeline", arguments,
        ]),
    program("pm5sim", ["PM5Simulator", "HostRuntime", arguments]),
    program("demo-club", ["DemoClub", "HostRuntime", arguments]),
]

let testPrograms: [Target] = [
    .target(
        name: "TestSupport",
        dependencies: [
            "ControlSocket", "MQTTClient", "HostRuntime", "RingLog", "Contract", "Rowing", "Bytes",
            "Timeline",
        ],
        path: "Tests/TestSupport"),
    .executableTarget(
        name: "RecordWriter",
        dependencies: ["Recording", "HostRuntime", "Contract", "Rowing", "Timeline"],
        path: "Tests/RecordWriter"),
    .executableTarget(
        name: "GatewayFleet",
        dependencies: [
            "TestSupport", "Gateway", "BlueZLink", "MQTTClient", "PM5Simulator", "HostRuntime",
            "RingLog", "Rowing", "PM5Codec", "Timeline", arguments,
        ],
        path: "Tests/Load/GatewayFleet"),
    .testTarget(
        name: "SystemTests",
        dependencies: [
            "TestSupport", "PM5Simulator", "Recording", "RingLog", "Contract", "MQTTClient",
            "Rowing", "Bytes", "Timeline", "HostRuntime",
            "rowgate", "rowgatectl", "rowgate-logbook", "pm5sim", "demo-club", "RecordWriter",
        ],
        exclude: ["Golden", "Interop"]),
    .testTarget(name: "TidyTests", dependencies: ["TestSupport"]),
]

/// A program that measures: `Tests/Benchmarks/build` builds it.
func benchmark(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Tests/Benchmarks/Sources/\(name)",
        swiftSettings: withoutExpressions)
}

/// They need liblmdb-dev and are seldom used, so they exist only if somebody asks for them.
let benchmarks: [Target] =
    Context.environment["ROWGATE_BENCHMARKS"] == nil
    ? []
    : [
        .target(name: "CDecoder", path: "Tests/Benchmarks/Sources/CDecoder"),
        .target(name: "AllocationCount", path: "Tests/Benchmarks/Sources/AllocationCount"),
        .systemLibrary(
            name: "CLMDB", path: "Tests/Benchmarks/Sources/CLMDB",
            providers: [.apt(["liblmdb-dev"])]),
        benchmark(
            "Benchmarks",
            [
                "PM5Codec", "Rowing", "Contract", "Insights", "Bytes", "Timeline", "CDecoder",
                "AllocationCount",
            ]),
        benchmark("AthleteBenchmark", ["Bests", "Training", "Contract", "Bytes"]),
        .target(name: "BlockDevice", path: "Tests/Benchmarks/Sources/BlockDevice"),
        benchmark("StoreBenchmark", ["LogbookStores", "Contract", "BlockDevice"]),
        benchmark(
            "SeasonMaker",
            ["DemoClub", "LogbookStores", "Contract", "Rowing", "PM5Simulator", "Timeline"]),
        benchmark("StorageBenchmark", ["RingLog", "CSQLite", "CLMDB", "BlockDevice"]),
    ]

let package = Package(
    name: "rowgate",
    products: [
        .executable(name: "rowgate", targets: ["rowgate"]),
        .executable(name: "rowgatectl", targets: ["rowgatectl"]),
        .executable(name: "rowgate-logbook", targets: ["rowgate-logbook"]),
        .executable(name: "pm5sim", targets: ["pm5sim"]),
        .executable(name: "demo-club", targets: ["demo-club"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
    ],
    targets: systemTargets + core + adapters + services + tools + programs + testPrograms
        + benchmarks,
    cxxLanguageStandard: .cxx17
)
