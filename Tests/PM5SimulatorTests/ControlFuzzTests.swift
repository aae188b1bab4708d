import Foundation
import Glibc
import PM5Codec
import SDBus
import TestSupport
import Testing

@testable import PM5Simulator

/// Requests of the control socket in any order and at any time, right ones and wrong ones, while a
/// client uses what there is.
///
/// A second of bluetoothd takes 5 ms here. `ROWGATE_FUZZ_SEQUENCES=3000` plays so many sequences,
/// and `ROWGATE_SEED` names the first one's seed, which is printed before it is played.
@Suite(.serialized, .enabled(if: InstalledPrograms.areAllowed)) struct ControlFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let sequences =
        environment["ROWGATE_FUZZ_SEQUENCES"].flatMap(UInt64.init) ?? 12
    private static let firstSeed = environment["ROWGATE_SEED"].flatMap(UInt64.init) ?? 1
    private static let linkSpeed = 200.0

    @Test(.timeLimit(.minutes(240)))
    func anySequenceOfRequestsLeavesTheRoomUsable() async throws {
        // Forty random requests and calls per sequence; then faults end, and each monitor is
        // scanned and connected.
        let bus = try await PrivateBus()
        for seed in Self.firstSeed..<Self.firstSeed + Self.sequences {
            print("control fuzz: seed \(seed)")
            fflush(nil)
            try await play(seed, on: bus)
        }
    }

    private func play(_ seed: UInt64, on bus: PrivateBus) async throws {
        var draw = RequestDraw(seed: seed)
        let room = try await SimulatedRoom(
            ergs: 3, adapters: "hci0:3,hci1:3", workout: "500m", speed: 20,
            linkSpeed: Self.linkSpeed, on: bus)
        var history: [String] = []
        for _ in 0..<40 {
            if draw.chance(of: 3) {
                let call = draw.call(on: (try? await room.client.managedObjects()) ?? [:])
                history.append("\(call)")
                Task { [client = room.client] in await call.make(by: client) }
            } else {
                let line = draw.line()
                history.append(line)
                let answer = await room.control(line)
                #expect(answer.hasPrefix(#"{"ok":"#) && !answer.contains("\n"), "\(line)")
            }
            if !draw.chance(of: 3) {
                try await Task.sleep(for: .milliseconds(draw.integer(0...20)))
            }
            let inconsistencies = await room.service.inconsistencies
            #expect(inconsistencies == [], "seed \(seed): \(history)")
            if !inconsistencies.isEmpty { return await room.stop() }
        }
        let isUsable = await endAllFaults(in: room)
        #expect(isUsable, "seed \(seed): \(history)")
        await room.stop()
    }

    /// Whether every monitor can be found, connected and read once all that was done is undone.
    private func endAllFaults(in room: SimulatedRoom) async -> Bool {
        for line in RequestDraw.faultEnds { await room.control(line) }
        let isUp = await eventually {
            let tree = (try? await room.client.managedObjects()) ?? [:]
            let adapters = tree.values.compactMap { $0[InterfaceName.adapter] }
            return adapters.count == 2 && adapters.allSatisfy { $0["Powered"] == .boolean(true) }
        }
        guard isUp else { return false }
        for number in 1...3 {
            let isRead = await eventually { await read(number, in: room) }
            guard isRead else { return false }
        }
        return await room.service.inconsistencies.isEmpty
    }

    /// Links one adapter at least to a monitor, and reads its serial number.
    private func read(_ number: Int, in room: SimulatedRoom) async -> Bool {
        let path = "/org/bluez/hci1"
        _ = await room.client.refusal(path, InterfaceName.adapter, "StartDiscovery")
        let device = room.device(number, on: "hci1")
        // A monitor that is connected to another adapter does not advertise.
        _ = await room.client.refusal(
            room.device(number, on: "hci0"), InterfaceName.device, "Disconnect")
        try? await Task.sleep(for: .milliseconds(20))
        _ = await room.client.refusal(path, InterfaceName.adapter, "StopDiscovery")
        _ = await room.client.refusal(device, InterfaceName.device, "Connect")
        try? await Task.sleep(for: .milliseconds(30))
        let serial = try? await room.characteristic(.serialNumber, of: number, on: "hci1")
        if let serial, let value = try? await room.client.read(serial) {
            return value == Array("43000000\(number)".utf8)
        }
        // After a change of firmware bluetoothd remembers the wrong attributes.
        _ = await room.client.refusal(path, InterfaceName.adapter, "RemoveDevice") {
            message throws(BusError) in try message.append(objectPath: device)
        }
        return false
    }
}

/// Draws the next step of a sequence.
private struct RequestDraw {
    private var generator: PM5Simulator.SeededGenerator

    init(seed: UInt64) { generator = PM5Simulator.SeededGenerator(seed: seed) }

    mutating func chance(of one: UInt64) -> Bool { generator.next() % one == 0 }

    mutating func integer(_ range: ClosedRange<Int>) -> Int { generator.integer(range) }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[generator.integer(0...values.count - 1)]
    }

    // MARK: - Requests

    /// Every request that the help text names, with a P, H, I, B and N to be drawn.
    private static let requests = FaultRequest.syntax.split(separator: "\n").compactMap { line in
        line.hasPrefix("{") ? line.prefix { $0 != "}" } + "}" : nil
    }.map(String.init)

    static let faultEnds: [String] =
        ["hci0", "hci1"].flatMap { name in
            [
                #"{"cmd":"restore_adapter","hci":"\#(name)","as":"\#(name)"}"#,
                #"{"cmd":"block_adapter","hci":"\#(name)","on":false}"#,
                #"{"cmd":"power_adapter","hci":"\#(name)","on":false}"#,
                #"{"cmd":"power_adapter","hci":"\#(name)","on":true}"#,
                #"{"cmd":"tell_limit","hci":"\#(name)","on":false}"#,
            ]
        }
        + ["22", "31", "35", "80"].flatMap { id in
            [
                #"{"cmd":"mute","id":"\#(id)","on":false}"#,
                #"{"cmd":"early","id":"\#(id)","hex":""}"#,
                #"{"cmd":"prompt","id":"\#(id)","hex":""}"#,
            ]
        } + [
            #"{"cmd":"refuse","n":0}"#, #"{"cmd":"abort","n":0}"#, #"{"cmd":"lose","n":0}"#,
            #"{"cmd":"hang","on":false}"#, #"{"cmd":"delay_services","ms":0}"#,
            #"{"cmd":"refuse_acquire","on":false}"#, #"{"cmd":"vanish","back":0}"#,
            #"{"cmd":"advertise","on":true}"#,
        ]

    /// A line for the control socket: valid, with changed values, or invalid.
    mutating func line() -> String {
        var line = pick(Self.requests)
        for (pattern, values) in [
            (#""hci":"hci\d""#, [#""hci":"hci0""#, #""hci":"hci1""#]),
            (#""as":"hci\d""#, [#""as":"hci0""#, #""as":"hci1""#]),
            (#""id":"\d+""#, ["22", "31", "35", "80"].map { #""id":"\#($0)""# }),
            (#""back":\d+"#, ["0", "0.005", "0.02", "0.05"].map { #""back":\#($0)"# }),
            (#""on":\w+"#, [#""on":true"#, #""on":false"#]),
            (#""n":\d+"#, ["0", "1", "3", "10000"].map { #""n":\#($0)"# }),
            (#"\}$"#, ["}", #","pm":1}"#, #","pm":2}"#, #","pm":3}"#]),
        ] {
            line = line.replacingOccurrences(
                of: pattern, with: pick(values), options: .regularExpression)
        }
        return chance(of: 6) ? spoiled(line) : line
    }

    private mutating func spoiled(_ line: String) -> String {
        if chance(of: 3) {
            return line.replacingOccurrences(
                of: #":("[^"]*"|[\w.]+)(?=[,}])"#,
                with: ":"
                    + pick([
                        "1e300", "1e999", "-1", "0.5", "null", "\"\"", "\"hci99\"", "\"\\u00e4\"",
                        "[]", "{}", "true", "99999999999999999999", "\"../x\"", "\"hci-1\"",
                    ]),
                options: .regularExpression,
                range: line.range(of: #","\w+":.*"#, options: .regularExpression))
        }
        var bytes = Array(line.utf8)
        for _ in 0..<integer(1...4) where !bytes.isEmpty {
            let index = integer(0...bytes.count - 1)
            switch integer(0...2) {
            case 0: bytes[index] = UInt8(truncatingIfNeeded: generator.next())
            case 1: bytes.remove(at: index)
            default: bytes.insert(contentsOf: bytes[index...], at: index)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: - Calls

    private static let methods: [String: [String]] = [
        InterfaceName.adapter: ["StartDiscovery", "StartDiscovery", "StopDiscovery"],
        InterfaceName.device: ["Connect", "Connect", "Connect", "Disconnect"],
        InterfaceName.characteristic: [
            "AcquireNotify", "AcquireNotify", "StartNotify", "StopNotify", "AcquireWrite",
            "ReadValue", "WriteValue",
        ],
    ]

    /// Something that a client may call; adapters and devices as often as characteristics.
    mutating func call(on tree: BusObjectTree) -> DrawnCall {
        let interface = pick(Self.methods.keys.sorted())
        let paths = tree.keys.filter { tree[$0]?[interface] != nil }.sorted()
        let path = paths.isEmpty ? "/org/bluez/hci0" : pick(paths)
        if interface == InterfaceName.device, chance(of: 8) {
            return DrawnCall(
                path: path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 },
                interface: InterfaceName.adapter, member: "RemoveDevice", argument: path)
        }
        return DrawnCall(
            path: path, interface: interface, member: pick(Self.methods[interface] ?? []),
            argument: "")
    }
}

private struct DrawnCall: Sendable {
    let path: String
    let interface: String
    let member: String
    let argument: String

    func make(by client: BlueZClient) async {
        switch member {
        case "AcquireNotify", "AcquireWrite":
            guard let (descriptor, _) = try? await client.acquire(member, path) else { return }
            try? await Task.sleep(for: .milliseconds(10))
            close(descriptor)
        case "ReadValue": _ = try? await client.read(path)
        // A CSAFE query of the firmware version.
        case "WriteValue": try? await client.write([0xF1, 0x7E, 0x01, 0x80, 0xFF, 0xF2], path)
        case "RemoveDevice":
            _ = await client.refusal(path, interface, member) { message throws(BusError) in
                try message.append(objectPath: argument)
            }
        default: _ = await client.refusal(path, interface, member)
        }
    }
}

extension BlueZService {
    /// Contradictions between objects, radios and monitors about the links.
    fileprivate var inconsistencies: [String] {
        var found: [String] = []
        for radio in radios {
            let holders = adapters.flatMap(\.devices.values).filter {
                $0.radio === radio && $0.isConnected
            }
            if holders.count > 1 { found.append("\(radio.number) is linked twice") }
            if holders.first !== radio.link {
                found.append("\(radio.number): its link is not the one that is shown")
            }
            if radio.link == nil, (radio.monitor as? SimulatedErg)?.isConnected == true {
                found.append("\(radio.number) believes to be linked")
            }
        }
        for adapter in adapters {
            if adapter.linkCount > adapter.linkLimit { found.append("\(adapter.name) is overfull") }
            if !adapter.isPresent, !adapter.devices.isEmpty {
                found.append("\(adapter.name) is gone, its devices are not")
            }
            if adapter.linkCount > 0, !adapter.isPowered {
                found.append("\(adapter.name) is off, and has links")
            }
        }
        let names = adapters.filter(\.isPresent).map(\.name)
        if Set(names).count < names.count { found.append("two adapters are called \(names)") }
        return found
    }
}
