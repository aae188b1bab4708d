import Foundation
import TestSupport
import Testing

/// The gateway over a long time, with the memory use of the real daemon.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct RoomSoakTests {
    private static let minutes = ProcessInfo.processInfo.environment["ROWGATE_SOAK_MINUTES"]
        .flatMap(Double.init)

    private static let kinds = [
        #"{"cmd":"drop","pm":P}"#, #"{"cmd":"vanish","pm":P,"back":60}"#,
        #"{"cmd":"abort","pm":P,"n":4}"#, #"{"cmd":"refuse","pm":P,"n":2}"#,
        #"{"cmd":"hang","pm":P,"on":true}"#, #"{"cmd":"hang","pm":P,"on":false}"#,
        #"{"cmd":"garbage","pm":P,"id":"33","n":20}"#,
        #"{"cmd":"update_firmware","pm":P,"to":"8200-000409-217.067"}"#,
        #"{"cmd":"remove_adapter","hci":"hci1"}"#, #"{"cmd":"restore_adapter","hci":"hci1"}"#,
        #"{"cmd":"lose","pm":P,"n":20}"#, #"{"cmd":"restart_service"}"#,
        #"{"cmd":"kill_service","back":1}"#,
    ]

    /// Real programs at real speed with a seeded fault every 2 s, for `ROWGATE_SOAK_MINUTES` minutes.
    @Test(.enabled(if: minutes != nil), .timeLimit(.minutes(600)))
    func theGatewayDoesNotGrow() async throws {
        let room = try await SimulatedRoom(ergs: 8, simulator: "--link-speed 20 --seed 3".words)
        let gateway = try await room.startGateway(untilStrokes: 3)
        let first = try Self.residentKilobytes(of: gateway)
        let end = ContinuousClock.now + .seconds(60 * (Self.minutes ?? 0))
        var random = SeededGenerator(seed: 3)
        var faults = 0
        while ContinuousClock.now < end {
            try await Task.sleep(for: .seconds(2))
            let kind = Self.kinds.randomElement(using: &random) ?? Self.kinds[0]
            let number = Int.random(in: 1...8, using: &random)
            try await room.command(kind.replacingOccurrences(of: "P", with: "\(number)"))
            faults += 1
        }
        try await room.command(#"{"cmd":"hang","on":false}"#)
        try await room.command(#"{"cmd":"restore_adapter","hci":"hci1"}"#)
        let before = room.strokeCounts
        #expect(
            await eventually {
                zip(room.strokeCounts, before).allSatisfy { $0 >= $1 + 3 }
            }, "all eight stream again")
        let last = try Self.residentKilobytes(of: gateway)
        let counts = (1...8).map { expectEveryStrokeAccountedFor(room, "erg-\($0)") }
        print(
            "\(Self.minutes ?? 0) min, \(faults) faults, strokes and gaps of each erg \(counts), "
                + "daemon resident \(first) kB, \(last) kB at the end")
        #expect(last - first < 16 * 1024)
        #expect(await gateway.terminate() == 0)
    }

    /// Checks that strokes and gaps cover each session completely.
    private func expectEveryStrokeAccountedFor(_ room: SimulatedRoom, _ erg: String) -> [Int] {
        let records = room.messages.filter { $0.erg == erg }.map { ($0.kind, $0.fields) }
        let strokes = records.filter { $0.0 == "stroke" }
        let gaps = records.filter { $0.0 == "gap" }
        var numbers: [String: Set<Int>] = [:]
        for (_, stroke) in strokes {
            guard let session = stroke["session_id"] as? String,
                let number = stroke["stroke"] as? Int
            else { continue }
            numbers[session, default: []].insert(number)
        }
        for (_, gap) in gaps {
            guard let session = gap["session_id"] as? String,
                let from = gap["from_stroke"] as? Int, let to = gap["to_stroke"] as? Int
            else { continue }
            numbers[session, default: []].formUnion(from...to)
        }
        for (session, covered) in numbers {
            let missing = Set(1...(covered.max() ?? 1)).subtracting(covered)
            #expect(missing.isEmpty, "\(erg), \(session): neither stroke nor gap: \(missing.sorted())")
        }
        #expect(numbers.count == 1, "\(erg): one piece, one session")
        return [strokes.count, gaps.count]
    }

    private static func residentKilobytes(of process: ChildProcess) throws -> Int {
        let text = try String(
            contentsOfFile: "/proc/\(process.identifier)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { $0.split(whereSeparator: \.isWhitespace).dropFirst().first }
            .flatMap { Int($0) } ?? 0
    }
}
