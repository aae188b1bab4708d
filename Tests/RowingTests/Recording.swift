import Foundation
import PM5Codec

/// A recorded connection: JSON Lines of `t_ms`, `dir`, `characteristic` and `hex`.
///
/// Recordings are kept beside the project, not in it; tests that read them skip without.
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

    /// What the monitor sent, in order.
    let lines: [Line]

    /// nil when the recording is not there.
    init?(_ name: String) {
        let file = URL(fileURLWithPath: #filePath)
            .appending(path: "../../../../shared/pm5/vectors/\(name)").standardizedFileURL
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
        lines = text.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }.filter { $0.dir == "rx" }
    }

    static let ergometerJS = Recording("session-ergometerjs-row100m.jsonl")
    static let emulator = Recording("session-orm-emulator-justrow.jsonl")

    /// Everything the fold makes of it, from connection to ten seconds after its end.
    func folded() -> Fold {
        var fold = Fold()
        let start = fold.now
        for line in lines {
            guard let id = line.id, id != .csafeOut else { continue }
            fold.wait(start + line.milliseconds - fold.now)
            fold.send(id, line.bytes)
        }
        fold.wait(10_000)
        return fold
    }
}
