import Foundation
import TestSupport
import Testing

/// The daemon is killed during a session.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct KillTests {
    /// Two ergs row 200 m in real time, because the gateway limits a gap to the strokes that are possible in
    /// that time. The restarted daemon adopts the existing links.
    @Test(.timeLimit(.minutes(30)))
    func continuesTheSessionAfterAKill() async throws {
        let room = try await SimulatedRoom(
            ergs: 2, simulator: "--workout 200m --link-speed 8 --seed 11".words)
        let first = try await room.startGateway(untilStrokes: 4)
        first.signal(SIGKILL)
        await first.waitForExit()
        // The ergs keep rowing while the daemon is down.
        let missed = await eventually { room.unsentStrokes >= 4 }
        try #require(missed, "the simulator counts strokes that it could not send")
        let second = try await room.startGateway()
        let finished = await eventually {
            Set(room.messages(ofKind: "manifest").compactMap(\.erg)).count == 2
        }
        try #require(finished, "\(second.text)")

        let records = room.expectUniqueRecords(allowingRepeats: true)
        for erg in ["erg-1", "erg-2"] {
            expectOneSession(records.filter { $0.erg == erg })
            expectEveryStrokeAccountedFor(
                records.filter { $0.erg == erg }, total: room.simulatedStrokes(by: erg))
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

    /// Checks that each stroke is either recorded or in the only gap.
    private func expectEveryStrokeAccountedFor(_ records: [ReceivedMessage], total: Int) {
        let gaps = records.filter { $0.kind == "gap" && !$0.isPauseGap }.map(\.fields)
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
        #expect((strokes + Array(from...to)).sorted() == Array(1...total))
    }
}
