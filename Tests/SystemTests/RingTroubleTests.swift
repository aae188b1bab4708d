import Foundation
import TestSupport
import Testing

/// The ring's file is taken from under a running daemon.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct RingTroubleTests {
    /// Goal: recording and publishing go on, `status` and `health` say what is wrong, and the ring
    /// is whole again once its place is free.
    /// Method: while two ergs row, the file is deleted and a folder put in its place; later the
    /// folder goes away. The new file must hold every stroke that was published.
    @Test(.timeLimit(.minutes(30)))
    func deletedWhileRowing() async throws {
        let room = try await SimulatedRoom(ergs: 2, simulator: "--workout 2000m --seed 7".words)
        let gateway = try await room.startGateway(untilStrokes: 3)
        let ring = room.folder.path("ring.log")
        try FileManager.default.removeItem(atPath: ring)
        try FileManager.default.createDirectory(
            atPath: ring, withIntermediateDirectories: false)
        #expect(await eventually { room.ringComplaint != nil }, "\(gateway.text)")
        #expect(room.ringComplaint?.contains(ring) == true)
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
    /// What the last `health` says of the ring.
    fileprivate var ringComplaint: String? {
        let reasons = messages(ofKind: "health").last?.fields["reasons"] as? [String]
        return reasons?.first { $0.contains("the ring log is not on disk") }
    }
}
