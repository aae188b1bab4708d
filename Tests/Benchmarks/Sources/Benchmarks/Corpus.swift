import Bytes
import CDecoder
import Foundation
import PM5Codec

/// Values to decode, as a link hands them over.
struct Corpus {
    struct Value {
        let characteristic: CharacteristicID
        /// Lives as long as the process.
        let bytes: UnsafeRawBufferPointer
        /// The time of arrival; 0 if unknown.
        var milliseconds = 0
    }

    private(set) var values: [Value] = []

    /// The codec's vectors that decode, in the order of the file.
    init() throws {
        for line in try Line.all(in: "PM5CodecTests/Vectors/notify.jsonl")
        where line.expect?.isTooShort == nil {
            values.append(line.value)
        }
    }

    /// A recorded session of a simulated erg.
    init(recording name: String) throws {
        let lines = try Line.all(in: "SessionReplayTests/Golden/\(name).in.jsonl")
        values = lines.filter { $0.dir == "rx" }.map(\.value)
    }

    /// Five minutes of rowing, from the same values: status every 500 ms, a
    /// stroke every 2.5 s with eight pieces of force curve, a split a minute, a summary at the end.
    func session() -> Corpus {
        var copy = self
        copy.values = []
        var usedCounts: [CharacteristicID: Int] = [:]
        func appendNext(_ ids: CharacteristicID...) {
            for id in ids {
                let kind = values.filter { $0.characteristic == id }
                copy.values.append(kind[usedCounts[id, default: 0] % kind.count])
                usedCounts[id, default: 0] += 1
            }
        }
        for tick in 1...600 {
            appendNext(.generalStatus, .additionalStatus1, .additionalStatus2, .additionalStatus3)
            if tick % 5 == 2 { appendNext(.strokeData, .additionalStrokeData) }
            if tick % 5 == 3 { for _ in 0..<8 { appendNext(.forceCurve) } }
            if tick % 5 == 0 { appendNext(.strokeData) }
            if tick % 120 == 0 { appendNext(.splitData, .additionalSplitData) }
        }
        appendNext(.workoutSummary, .additionalWorkoutSummary)
        return copy
    }

    /// The same values in an order that no branch predictor can learn.
    func shuffled() -> Corpus {
        var copy = self
        var generator = SplitMix64(state: 1)
        copy.values = (0..<64).flatMap { _ in values.shuffled(using: &generator) }
        return copy
    }

    /// The same for C.
    var cValues: [pm5_value] {
        values.map {
            pm5_value(
                bytes: $0.bytes.assumingMemoryBound(to: UInt8.self).baseAddress,
                length: $0.bytes.count, characteristic: $0.characteristic.rawValue)
        }
    }
}

/// A line of a vector file or of a recording.
private struct Line: Decodable {
    struct Expectation: Decodable {
        var isTooShort: Bool?

        enum CodingKeys: String, CodingKey { case isTooShort = "too_short" }
    }

    var characteristic: String
    var hex: String
    var milliseconds: Int?
    var dir: String?
    var expect: Expectation?

    enum CodingKeys: String, CodingKey {
        case characteristic, hex, dir, expect
        case milliseconds = "t_ms"
    }

    /// All lines of a file in `Tests`.
    static func all(in path: String) throws -> [Line] {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        return try text.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    var value: Corpus.Value {
        let name = characteristic.split(separator: ":")[0].dropFirst(2)
        let count = hex.utf8.count / 2
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        var rest = Substring(hex)
        for index in 0..<count {
            bytes[index] = UInt8(rest.prefix(2), radix: 16)!
            rest = rest.dropFirst(2)
        }
        return Corpus.Value(
            characteristic: CharacteristicID(rawValue: UInt16(name, radix: 16)!),
            bytes: UnsafeRawBufferPointer(bytes), milliseconds: milliseconds ?? 0)
    }
}

struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
