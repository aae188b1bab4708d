import Foundation
import TestSupport
import Testing

/// The availability topic while the gateway is killed and restarted.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct AvailabilityTests {
    /// A restart within the will delay of 20 s never shows as offline. A foreign `offline` message is
    /// corrected. Two ergs row throughout, so that `marks` are published during a session.
    @Test(.timeLimit(.minutes(30)))
    func availabilityFollowsKillsAndRestarts() async throws {
        let room = try await SimulatedRoom(ergs: 2, simulator: "--workout 2000m --seed 5".words)
        // A start on a busy machine can take 10 s.
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
        // Takes longer than the delay of the first will, which must never be sent.
        #expect(await eventually { room.marksWhileRowing >= 8 })
        #expect(room.availability.count == 4)

        second.signal(SIGKILL)
        await second.waitForExit()
        #expect(await eventually { room.availability.last == "offline" })
        #expect(room.availability.count == 5)
    }
}

extension SimulatedRoom {
    /// Availability messages of the gateway, in order.
    fileprivate var availability: [String] {
        messages.filter { $0.kind == "availability" && $0.erg == nil }.map(\.payload)
    }

    /// Number of `marks` messages that name a stroke.
    fileprivate var marksWhileRowing: Int {
        messages(ofKind: "marks").count { ($0.fields["stroke_last_seq"] as? Int ?? 0) > 0 }
    }
}
