import Foundation
import TestSupport
import Testing

/// The daemon dies in the middle of a piece, and the piece goes on.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct KillTests {
    /// Goal: after kill -9 and a restart the session is the same, no number names two records, and
    /// one gap says what was missed.
    /// Method: two ergs row 200 m in real time, because a gap is judged by what a rower can do in
    /// it; the daemon is killed and started again, and adopts the links that it left behind.
    @Test(.timeLimit(.minutes(30)))
    func killedInMidPiece() async throws {
        let room = try await SimulatedRoom(
            ergs: 2, simulator: "--workout 200m --link-speed 8 --seed 11".words)
        let first = try await room.startGateway(untilStrokes: 4)
        first.signal(SIGKILL)
        await first.waitForExit()
        // The rowers go on while nobody listens.
        let missed = await eventually { room.unsentStrokes >= 4 }
        try #require(missed, "the simulator notes what it could not send")
        let second = try await room.startGateway()
        let finished = await eventually {
            Set(room.messages(ofKind: "manifest").compactMap(\.erg)).count == 2
        }
        try #require(finished, "\(second.text)")

        let records = room.expectUniqueRecords(allowingRepeats: true)
        for erg in ["erg-1", "erg-2"] {
            expectOneSession(records.filter { $0.erg == erg })
            expectEveryStrokeAccountedFor(
                records.filter { $0.erg == erg }, rowed: room.rowed(by: erg))
        }
        #expect(await second.terminate() == 0)
    }

    private func expectOneSession(_ records: [ReceivedMessage]) {
        let edges = records.filter { $0.kind == "session" }
        let sessions = Set(records.compactMap { $0.fields["session_id"] as? String })
        #expect(sessions.count == 1)
        #expect(edges.count { $0.fields["event"] as? String == "started" } == 1)
        for kind in ["stroke", "force", "session", "gap"] {
            let numbers = records.filter { $0.kind == kind }.compactMap { $0.fields["seq"] as? Int }
            #expect(numbers == Array(1..<numbers.count + 1), "\(kind): nothing missing or repeated")
        }
    }

    /// Every stroke from the first to the last is either there or in the one gap.
    private func expectEveryStrokeAccountedFor(_ records: [ReceivedMessage], rowed: Int) {
        let gaps = records.filter { $0.kind == "gap" && !$0.isOfAPause }.map(\.fields)
        #expect(gaps.count == 1)
        #expect(gaps.first?["reason"] as? String == "gateway_restart")
        let strokes = records.filter { $0.kind == "stroke" }
            .compactMap { $0.fields["stroke"] as? Int }
        guard let from = gaps.first?["from_stroke"] as? Int,
            let to = gaps.first?["to_stroke"] as? Int
        else {
            Issue.record("a gap without stroke numbers: \(gaps)")
            return
        }
        #expect((strokes + Array(from...to)).sorted() == Array(1...rowed))
    }
}
