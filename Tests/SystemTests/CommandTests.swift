import Foundation
import TestSupport
import Testing

/// Commands from third-party MQTT clients.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct CommandTests {
    private static let root = "rowgate/v1/test/"

    private func room(_ ergs: Int, workout: String = "500m") async throws -> SimulatedRoom {
        try await SimulatedRoom(
            ergs: ergs,
            simulator: [
                "--ergs", "\(ergs)", "--workout", workout, "--link-speed", "4", "--seed", "21",
            ])
    }

    private func isLinked(_ room: SimulatedRoom, ergs: Int) async -> Bool {
        await eventually {
            room.messages.count {
                $0.kind == "availability" && $0.erg != nil && $0.payload == "online"
            }
                >= ergs
        }
    }

    /// Returns whether the gateway answers pings: commands sent before it subscribes are lost (QoS 0).
    private func isListening(_ room: SimulatedRoom, _ id: String) async throws -> Bool {
        try await eventually {
            try await room.broker.publish(
                #"{"request_id":"\#(id)"}"#, to: Self.root + "cmd/ping")
            return await eventually(within: .seconds(1)) {
                room.messages.contains { $0.fields["request_id"] as? String == id }
            }
        }
    }

    /// Uses mosquitto_rr and mosquitto_pub with MQTT 5 properties. A repeated request gets the same
    /// bytes, also after a restart of the gateway.
    @Test(.timeLimit(.minutes(30)))
    func answersEachRequestOnce() async throws {
        let room = try await room(2)
        let gateway = try await room.startGateway()
        #expect(await isLinked(room, ergs: 2))
        #expect(try await isListening(room, "l-1"))

        let ping = try await room.reply("cmd/ping", #"{"request_id":"p-1"}"#)
        #expect(ping["status"] as? String == "ok" && ping["code"] as? String == "done")
        #expect(ping["request_id"] as? String == "p-1" && ping["version"] is String)
        let diag = try await room.reply("cmd/diag", #"{"request_id":"d-1"}"#)
        #expect(diag["ergs_online"] as? Int == 2)
        let wrong = try await room.reply("cmd/ping", #"{"request_id":"p-2","verbose":true}"#)
        #expect(wrong["code"] as? String == "unknown_field")

        let coach = try await MosquittoSubscriber(room.broker, "coach/#")
        try await room.broker.publish(
            #"{"request_id":"a-1","athlete_id":"crew-7"}"#, to: Self.root + "erg/all/cmd/assign",
            [
                "-D", "publish", "response-topic", "coach/answers", "-D", "publish",
                "correlation-data", "lesson-3",
            ])
        #expect(await eventually { coach.messages.count == 2 })
        #expect(Set(coach.messages.compactMap { $0.object?["erg"] as? String }).count == 2)
        #expect(coach.messages.allSatisfy { $0.correlationData == "lesson-3" })
        #expect(coach.messages.allSatisfy { $0.contentType == "application/json" })
        #expect(
            await eventually {
                room.messages.last { $0.kind == "state" && $0.erg == "erg-2" }?
                    .fields["athlete_id"] as? String == "crew-7"
            })

        let request = #"{"request_id":"a-2","athlete_id":"a-17","until":"session_end"}"#
        let first = try await room.request("erg/erg-1/cmd/assign", request)
        #expect(try await room.request("erg/erg-1/cmd/assign", request) == first)
        #expect(await gateway.terminate() == 0)
        let second = try await room.startGateway()
        #expect(try await isListening(room, "l-2"))
        #expect(try await room.request("erg/erg-1/cmd/assign", request) == first)
        let other = try await room.reply(
            "erg/erg-1/cmd/assign", #"{"request_id":"a-2","athlete_id":"a-18"}"#)
        #expect(other["code"] as? String == "request_id_reused")

        try await room.broker.publish(
            #"{"request_id":"p-3"}"#, to: Self.root + "cmd/ping", ["-r"])
        #expect(
            await eventually {
                room.messages.contains {
                    $0.topic == Self.root + "rsp/ping" && $0.fields["code"] as? String == "retained"
                }
            })
        #expect(await second.terminate() == 0)
    }

    @Test(.timeLimit(.minutes(30)))
    func reloadEnablesCommands() async throws {
        let room = try await room(1, workout: "wait")
        let gateway = try await room.startGateway()
        #expect(await isLinked(room, ergs: 1))
        #expect(try await isListening(room, "l-1"))
        let refused = try await room.reply("erg/erg-1/cmd/rate", #"{"request_id":"1","ms":250}"#)
        #expect(refused["code"] as? String == "disabled")

        try room.configure("[commands]\nenabled = true\n[log]\nlevel = \"debug\"\n")
        let reload = try await room.reply("cmd/reload", #"{"request_id":"2"}"#)
        #expect(reload["applied"] as? [String] == ["commands.enabled"])
        #expect(reload["need_restart"] as? [String] == ["log.level"])
        #expect(
            await eventually {
                room.messages(ofKind: "event").contains {
                    $0.fields["event"] as? String == "config_reloaded"
                }
            })
        let accepted = try await room.reply("erg/erg-1/cmd/rate", #"{"request_id":"3","ms":250}"#)
        #expect(accepted["code"] as? String == "done")
        let identity = try await room.reply("erg/erg-1/cmd/identify", #"{"request_id":"4"}"#)
        #expect(identity["serial"] as? String == "430000001")

        try room.configure("[commands]\nenabled = maybe\n")
        let broken = try await room.reply("cmd/reload", #"{"request_id":"5"}"#)
        #expect(broken["code"] as? String == "bad_configuration")
        let released = try await room.reply("erg/erg-1/cmd/release", #"{"request_id":"6","for_s":60}"#)
        #expect(released["code"] as? String == "done")
        #expect(
            await eventually {
                room.messages.last { $0.kind == "availability" && $0.erg == "erg-1" }?.payload
                    == "offline"
            })
        let resumed = try await room.reply("erg/erg-1/cmd/release", #"{"request_id":"7","for_s":0}"#)
        #expect(resumed["code"] as? String == "done")
        #expect(await gateway.terminate() == 0)
    }

    /// Sends 50 intervals with targets, the longest program that a monitor accepts.
    @Test(.timeLimit(.minutes(30)))
    func replacesARunningSessionOnlyWithForce() async throws {
        let room = try await room(1)
        try room.configure("[commands]\nenabled = true\n")
        let gateway = try await room.startGateway()
        #expect(
            await eventually { room.strokeCounts[0] >= 2 },
            "\(gateway.text)")
        let intervals =
            #""type":"intervals","repeat":25,"target_pace_s_per_500m":120.5,"intervals":"#
            + #"[{"distance_m":500,"rest_s":60},{"duration_s":60,"rest_s":30}]"#
        let refused = try await room.reply(
            "erg/erg-1/cmd/workout", #"{"request_id":"w-1",\#(intervals)}"#)
        #expect(refused["code"] as? String == "rowing")
        #expect(refused["workout"] == nil && room.messages(ofKind: "manifest").isEmpty)

        let forced = #"{"request_id":"w-2",\#(intervals),"force":true}"#
        let text = try await room.request("erg/erg-1/cmd/workout", forced)
        #expect(text.contains(#""code":"done""#), "\(text)")
        #expect(text.contains(#""workout":"variable_interval""#))
        #expect(text.contains(#""target_distance_m":500.0"#))
        #expect(try await room.request("erg/erg-1/cmd/workout", forced) == text)
        #expect(await eventually { room.messages(ofKind: "manifest").count == 1 })
        let summary = room.messages(ofKind: "summary").first?.fields
        #expect(summary?["complete"] as? Bool == false)
        #expect(summary?["workout"] as? String == "fixed_distance_with_splits")
        #expect(await gateway.terminate() == 0)
    }
}
