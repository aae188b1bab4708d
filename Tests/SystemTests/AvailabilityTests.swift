import Foundation
import TestSupport
import Testing

/// What a subscriber is told while the gateway dies and comes back, and while somebody rows.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct AvailabilityTests {
    /// Goal: a gateway that dies is `offline` once its will's delay is over, and one that is back
    /// before then never was; a stranger's `offline` is set right. While somebody rows, `marks` come
    /// by themselves.
    /// Method: kill -9 and a start at once; a message of a stranger; kill -9 and no start. Two ergs
    /// row for as long as that takes.
    @Test(.timeLimit(.minutes(30)))
    func deathAndReturn() async throws {
        let room = try await SimulatedRoom(ergs: 2, simulator: "--workout 2000m --seed 5".words)
        // A start on a busy machine may take ten seconds.
        try room.configure("[broker]\nwill_delay_s = 20\n", inFile: "broker.toml")
        let first = try await room.startGateway()
        #expect(await eventually { room.availability == ["online"] })
        first.signal(SIGKILL)
        await first.waitForExit()
        let second = try await room.startGateway()
        #expect(await eventually { room.availability == ["online", "online"] })

        try await room.broker.publish(
            "offline", to: "rowgate/v1/test/availability", ["-r"])
        #expect(
            await eventually {
                room.availability == ["online", "online", "offline", "online"]
            })
        // Longer than the delay of the first will, which must never be sent.
        #expect(await eventually { room.marksWhileRowing >= 8 })
        #expect(room.availability.count == 4)

        second.signal(SIGKILL)
        await second.waitForExit()
        #expect(await eventually { room.availability.last == "offline" })
        #expect(room.availability.count == 5)
    }
}

extension SimulatedRoom {
    /// What was said of the gateway, in order.
    fileprivate var availability: [String] {
        messages.filter { $0.kind == "availability" && $0.erg == nil }.map(\.payload)
    }

    /// `marks` that name a stroke and that no end of a session brought.
    fileprivate var marksWhileRowing: Int {
        messages(ofKind: "marks").count { ($0.fields["stroke_last_seq"] as? Int ?? 0) > 0 }
    }
}
