import Foundation
import TestSupport
import Testing

/// The ring file is deleted under a running daemon.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct RingFaultTests {
    /// Replaces the ring file with a directory while two ergs row, then removes the directory. The new
    /// file must hold every published stroke.
    @Test(.timeLimit(.minutes(30)))
    func recoversARingDeletedWhileRowing() async throws {
        let room = try await SimulatedRoom(ergs: 2, simulator: "--workout 2000m --seed 7".words)
        let gateway = try await room.startGateway(untilStrokes: 3)
        let ring = room.folder.path("ring.log")
        try FileManager.default.removeItem(atPath: ring)
        try FileManager.default.createDirectory(
            atPath: ring, withIntermediateDirectories: false)
        #expect(await eventually { room.ringReason != nil }, "\(gateway.text)")
        #expect(room.ringReason?.contains(ring) == true)
        let status = try await room.status()
        #expect(status["status"] as? String == "degraded")
        let counts = room.strokeCounts
        #expect(
            await eventually {
                zip(room.strokeCounts, counts).allSatisfy { $0 >= $1 + 3 }
            }, "strokes arrive while the ring is in memory")

        try FileManager.default.removeItem(atPath: ring)
        #expect(
            await eventually {
                room.messages(ofKind: "health").last?.fields["status"] as? String == "ok"
            }, "\(gateway.text)")
        #expect(await gateway.terminate() == 0)
        let verification = try await room.control(["log", "verify", "--ring", ring])
        #expect(verification.status == 0, "\(verification.text)")
        let export = try await room.control(["log", "export", "--ring", ring, "--kind", "stroke"])
        let stored = Set(export.text.split(separator: "\n").map(String.init))
        let published = room.expectUniqueRecords().filter { $0.kind == "stroke" }
        #expect(published.count > 12)
        for stroke in published {
            let payload = stroke.payload.replacing(/,"historical":(true|false)/, with: "")
            #expect(stored.contains(payload))
        }
    }
}

extension SimulatedRoom {
    /// Reason of the last `health` about the ring.
    fileprivate var ringReason: String? {
        let reasons = messages(ofKind: "health").last?.fields["reasons"] as? [String]
        return reasons?.first { $0.contains("the ring log is not on disk") }
    }
}
