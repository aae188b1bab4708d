import Foundation
import PM5Codec
import TestSupport

/// A recorded connection of `Tests/Recordings`.
struct Recording {
    struct Line: Decodable {
        let milliseconds: Int
        let dir: String
        let characteristic: String
        let hex: String

        enum CodingKeys: String, CodingKey {
            case milliseconds = "t_ms"
            case dir, characteristic, hex
        }

        var id: CharacteristicID? {
            UInt16(characteristic.dropFirst(2), radix: 16).map(CharacteristicID.init(rawValue:))
        }

        var bytes: [UInt8] {
            let digits = Array(hex.utf8)
            return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
            }
        }
    }

    /// The monitor's values, in order.
    let lines: [Line]

    init(_ name: String) throws {
        lines = try Recordings.text(name).split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }.filter { $0.dir == "rx" }
    }

    static func oldMonitor() throws -> Recording { try Recording("old-monitor-100m.jsonl") }
    static func countsAtTheCatch() throws -> Recording {
        try Recording("counts-at-the-catch.jsonl")
    }

    static func ringExport() throws -> Recording { try Recording("ring-export-60m.jsonl") }

    /// Replays the recording, from its first value to ten seconds after its end.
    func replayed() -> MachineHarness {
        var harness = MachineHarness()
        let start = harness.now - (lines.first?.milliseconds ?? 0)
        for line in lines {
            guard let id = line.id, id != .csafeOut else { continue }
            harness.wait(start + line.milliseconds - harness.now)
            harness.send(id, line.bytes)
        }
        harness.wait(10_000)
        return harness
    }
}
