import Foundation
import TestSupport
import Testing

/// An athlete asks to be forgotten, and an administrator does it.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct ForgettingToolTests {
    private static let athlete = "zoe-forgotten"

    /// Goal: `rowgatectl athlete forget` leaves nothing of an athlete in the gateway's files and on
    /// the topics that the broker keeps, says what it cannot reach, and costs the other's records
    /// nothing; an alert that they have seen at the other's erg goes on without their name. Method: two
    /// pieces on two ergs whose batteries are low; files and retained messages before and after.
    @Test(.timeLimit(.minutes(30)))
    func nothingIsLeftInTheGateway() async throws {
        let room = try await SimulatedRoom(
            ergs: 2,
            simulator: "--workout wait --speed 4 --link-speed 8 --seed 12 --battery 9".words)
        try room.configure("[commands]\nenabled = true\n")
        let gateway = try await room.startGateway()
        let isLinked = await eventually {
            let online = room.messages.filter {
                $0.kind == "availability" && $0.payload == "online"
            }
            return Set(online.compactMap(\.erg)).count == 2
        }
        #expect(isLinked, "\(gateway.text)")
        for (erg, athlete) in [("erg-1", Self.athlete), ("erg-2", "bob-kept")] {
            let assigned = try await room.reply(
                "erg/\(erg)/cmd/assign",
                #"{"request_id":"a-\#(erg)","athlete_id":"\#(athlete)"}"#)
            #expect(assigned["code"] as? String == "done")
        }
        // Whose a stroke is was settled when it was rowed.
        try await room.broker.publish(
            #"{"request_id":"w-1","type":"distance","distance_m":200}"#,
            to: "rowgate/v1/test/erg/all/cmd/workout")
        let isOver = await eventually {
            Set(room.messages(ofKind: "last_summary").compactMap(\.erg)).count == 2
        }
        #expect(isOver, "\(gateway.text)")
        #expect(try contains(room, "ring.log") && contains(room, "commands"))
        #expect(await eventually { firing(in: room).ids?.count == 1 }, "\(gateway.text)")
        let alert = try #require(firing(in: room).ids?.first)
        let seen = try await room.reply(
            "cmd/ack", #"{"request_id":"s-1","alert_id":"\#(alert)","by":"\#(Self.athlete)"}"#)
        #expect(seen["code"] as? String == "done")
        #expect(await eventually { firing(in: room).seenBy == [alert: Self.athlete] })

        let unsure = try await room.control(["athlete", "forget", Self.athlete])
        #expect(unsure.status != 0 && unsure.text.contains("--yes"))
        #expect(try contains(room, "ring.log"))
        let done = try await room.control(["athlete", "forget", Self.athlete, "--yes"])
        #expect(done.status == 0, "\(done.text)")
        #expect(done.text.contains("records erased. Not within reach:"), "\(done.text)")
        #expect(try !contains(room, "ring.log") && !contains(room, "commands"))
        #expect(
            await eventually {
                room.messages.last { $0.kind == "last_summary" && $0.erg == "erg-1" }?.payload == ""
                    && room.messages.last { $0.kind == "state" && $0.erg == "erg-1" }?
                        .fields["athlete_id"] == nil
            })
        #expect(
            await eventually { firing(in: room).ids == [alert] && firing(in: room).seenBy == [:] })
        #expect(
            room.messages.last { $0.kind == "last_summary" && $0.erg == "erg-2" }?
                .fields["athlete_id"] as? String == "bob-kept")
        let gone = try await room.reply(
            "cmd/replay",
            #"{"request_id":"r-1","erg":"erg-1","kind":"stroke","from_seq":1,"to_seq":3}"#)
        #expect(gone["count"] as? Int == 0)
        let kept = try await room.reply(
            "cmd/replay",
            #"{"request_id":"r-2","erg":"erg-2","kind":"stroke","from_seq":1,"to_seq":3}"#)
        #expect(kept["count"] as? Int == 3)
        #expect(await gateway.terminate() == 0)
        #expect(try !contains(room, "ring.log"))
    }

    /// Goal: who is forgotten by the logbook is forgotten by its gateways too: only where that is allowed,
    /// and by one that was away as soon as it is back; afterwards nothing of either names them. Method: a
    /// piece of 100 m; a gateway that does not allow it, and is restarted with a configuration that does.
    @Test(.timeLimit(.minutes(30)))
    func theLogbookAsksTheGateway() async throws {
        let room = try await SimulatedRoom(
            ergs: 1, simulator: "--workout wait --speed 4 --link-speed 8 --seed 12".words)
        try room.configure("[commands]\nenabled = true\n")
        let logbook = try LogbookKeepingTests.Logbook(room.broker)
        let keeper = try await logbook.start()
        let gateway = try await room.startGateway()
        try #require(
            await eventually {
                room.messages.contains {
                    $0.kind == "availability" && $0.erg != nil && $0.payload == "online"
                }
            }, "\(gateway.text)")
        _ = try await room.reply(
            "erg/erg-1/cmd/assign", #"{"request_id":"a-1","athlete_id":"\#(Self.athlete)"}"#)
        try await room.broker.publish(
            #"{"request_id":"w-1","type":"distance","distance_m":100}"#,
            to: "rowgate/v1/test/erg/all/cmd/workout")
        let isKept = try await eventually {
            try await logbook.ask("sessions").text.contains(" verified")
        }
        #expect(isKept, "\(keeper.text)\(gateway.text)")

        let done = try await logbook.ask("athlete", "forget", Self.athlete, "--yes")
        #expect(done.status == 0 && done.text.contains("Asked as soon as"), "\(done.text)")
        let isRefused = try await eventually {
            let told = try await logbook.ask("athlete", "erasures")
            return told.status == 1 && told.text.contains("refused, asked again")
        }
        #expect(isRefused, "\(keeper.text)")
        #expect(try contains(room, "ring.log"))

        #expect(await gateway.terminate() == 0)
        try room.configure("[commands]\nforget = true\n")
        let again = try await room.startGateway()
        let isErased = try await eventually {
            try await logbook.ask("athlete", "erasures").status == 0
        }
        #expect(isErased, "\(keeper.text)\(again.text)")
        #expect(try !contains(room, "ring.log") && !contains(room, "commands"))
        let told = try await logbook.ask("athlete", "erasures", "--json")
        #expect(told.text.contains(#""gw":"test""#) && told.text.contains(#""erased":"#))
        for name in try FileManager.default.contentsOfDirectory(atPath: logbook.folder.path("")) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: logbook.folder.path(name)))
            #expect(bytes.range(of: Data(Self.athlete.utf8)) == nil, "\(name)")
        }
        #expect(keeper.text.contains("test has forgotten an athlete"), "\(keeper.text)")
        #expect(await keeper.terminate() == 0)
        #expect(await again.terminate() == 0)
    }

    /// What the broker keeps of the alerts of the other's erg.
    private func firing(in room: SimulatedRoom) -> (ids: [String]?, seenBy: [String: String]?) {
        let fields = room.messages.last { $0.kind == "alerts" && $0.erg == "erg-2" }?.fields
        return (
            fields?["alert_ids"] as? [String], fields?["acknowledged_by"] as? [String: String]
        )
    }

    private func contains(_ room: SimulatedRoom, _ file: String) throws -> Bool {
        try Data(contentsOf: URL(fileURLWithPath: room.folder.path(file)))
            .range(of: Data(Self.athlete.utf8)) != nil
    }
}
