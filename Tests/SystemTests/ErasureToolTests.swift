import Foundation
import TestSupport
import Testing

/// An administrator erases an athlete at the gateway and in the logbook.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct ErasureToolTests {
    private static let athlete = "zoe-forgotten"

    /// Two sessions on two ergs with low batteries. Erasing one athlete removes them from files and
    /// retained topics, also as the acknowledger of the other erg's alert, and keeps the other athlete's
    /// records.
    @Test(.timeLimit(.minutes(30)))
    func erasesEverythingInTheGateway() async throws {
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
        // The gateway assigns an athlete to each stroke when it records it.
        try await room.broker.publish(
            #"{"request_id":"w-1","type":"distance","distance_m":200}"#,
            to: "rowgate/v1/test/erg/all/cmd/workout")
        let isOver = await eventually {
            Set(room.messages(ofKind: "last_summary").compactMap(\.erg)).count == 2
        }
        #expect(isOver, "\(gateway.text)")
        #expect(try contains(room, "ring.log") && contains(room, "commands"))
        #expect(await eventually { retainedAlerts(in: room).ids?.count == 1 }, "\(gateway.text)")
        let alert = try #require(retainedAlerts(in: room).ids?.first)
        let acknowledged = try await room.reply(
            "cmd/ack", #"{"request_id":"s-1","alert_id":"\#(alert)","by":"\#(Self.athlete)"}"#)
        #expect(acknowledged["code"] as? String == "done")
        #expect(await eventually { retainedAlerts(in: room).acknowledgedBy == [alert: Self.athlete] })

        let unconfirmed = try await room.control(["athlete", "forget", Self.athlete])
        #expect(unconfirmed.status != 0 && unconfirmed.text.contains("--yes"))
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
            await eventually {
                let alerts = retainedAlerts(in: room)
                return alerts.ids == [alert] && alerts.acknowledgedBy == [:]
            })
        #expect(
            room.messages.last { $0.kind == "last_summary" && $0.erg == "erg-2" }?
                .fields["athlete_id"] as? String == "bob-kept")
        let erased = try await room.reply(
            "cmd/replay",
            #"{"request_id":"r-1","erg":"erg-1","kind":"stroke","from_seq":1,"to_seq":3}"#)
        #expect(erased["count"] as? Int == 0)
        let remaining = try await room.reply(
            "cmd/replay",
            #"{"request_id":"r-2","erg":"erg-2","kind":"stroke","from_seq":1,"to_seq":3}"#)
        #expect(remaining["count"] as? Int == 3)
        #expect(await gateway.terminate() == 0)
        #expect(try !contains(room, "ring.log"))
    }

    /// The gateway first refuses erasures and is then restarted with a configuration that permits them.
    @Test(.timeLimit(.minutes(30)))
    func logbookRequestsErasureFromGateways() async throws {
        let room = try await SimulatedRoom(
            ergs: 1, simulator: "--workout wait --speed 4 --link-speed 8 --seed 12".words)
        try room.configure("[commands]\nenabled = true\n")
        let logbook = try LogbookStorageTests.Logbook(room.broker)
        let daemon = try await logbook.start()
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
        let isStored = try await eventually {
            try await logbook.run("sessions").text.contains(" verified")
        }
        #expect(isStored, "\(daemon.text)\(gateway.text)")

        let words = ["--role", "athlete", "--athlete", Self.athlete]
        #expect(try await logbook.run(["token", "add", "phone"] + words).status == 0)
        let done = try await logbook.run("athlete", "forget", Self.athlete, "--yes")
        #expect(try await !logbook.run("token", "list").text.contains("phone"))
        #expect(done.status == 0 && done.text.contains("Requested from these gateways"), "\(done.text)")
        let isRefused = try await eventually {
            let erasures = try await logbook.run("athlete", "erasures")
            return erasures.status == 1 && erasures.text.contains("refused, retrying")
        }
        #expect(isRefused, "\(daemon.text)")
        #expect(try contains(room, "ring.log"))

        #expect(await gateway.terminate() == 0)
        try room.configure("[commands]\nforget = true\n")
        let restarted = try await room.startGateway()
        let isErased = try await eventually {
            try await logbook.run("athlete", "erasures").status == 0
        }
        #expect(isErased, "\(daemon.text)\(restarted.text)")
        #expect(try !contains(room, "ring.log") && !contains(room, "commands"))
        let erasures = try await logbook.run("athlete", "erasures", "--json")
        #expect(erasures.text.contains(#""gw":"test""#) && erasures.text.contains(#""erased":"#))
        for name in try FileManager.default.contentsOfDirectory(atPath: logbook.folder.path("")) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: logbook.folder.path(name)))
            #expect(bytes.range(of: Data(Self.athlete.utf8)) == nil, "\(name)")
        }
        #expect(daemon.text.contains("test has erased an athlete"), "\(daemon.text)")
        #expect(await daemon.terminate() == 0)
        #expect(await restarted.terminate() == 0)
    }

    /// Retained alerts of erg-2 with their acknowledgements.
    private func retainedAlerts(
        in room: SimulatedRoom
    ) -> (ids: [String]?, acknowledgedBy: [String: String]?) {
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
