import Foundation
import TestSupport
import Testing

/// A coach's afternoon with mosquitto_pub and mosquitto_sub.
///
/// Golden/coach-afternoon.txt stores commands and replies without times; the README shows a part of it.
/// `ROWGATE_UPDATE_GOLDEN=1` updates it.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct CoachAfternoonTests {
    private static let root = "rowgate/v1/boathouse/"

    /// A coach runs the room from any MQTT client: roster, workout for all ergs, a released erg, a late
    /// athlete, and the end. Compares each stroke with the simulator's truth.
    @Test(.timeLimit(.minutes(30)))
    func transcript() async throws {
        let room = try await SimulatedRoom(
            ergs: 3, simulator: "--workout wait --speed 8 --link-speed 4 --seed 42".words,
            gateway: "boathouse")
        try Self.roster.write(
            toFile: room.folder.path("roster.toml"), atomically: true, encoding: .utf8)
        try room.configure(
            """
            [commands]
            enabled = true
            [athletes]
            roster = "\(room.folder.path("roster.toml"))"

            """)
        try await room.command(#"{"cmd":"advertise","on":false,"pm":3}"#)
        let gateway = try await room.startGateway()
        for erg in ["erg-1", "erg-2"] { #expect(await isOnline(room, erg)) }
        let coach = try await Coach(room, root: Self.root)

        try await coach.send(
            "The crew of erg-2 wants a phone app for the warm-up.",
            "erg/erg-2/cmd/release", #"{"request_id":"r-1","for_s":600}"#)
        #expect(await isOffline(room, "erg-2"))
        try await coach.send(
            "4 x 500 m with a minute of rest, for everybody.", "erg/all/cmd/workout",
            #"{"request_id":"w-1","type":"intervals","repeat":4,"#
                + #""intervals":[{"distance_m":500,"rest_s":60}]}"#, answers: 3)
        try await coach.send(
            "The phone is put away.", "erg/erg-2/cmd/release", #"{"request_id":"r-2","for_s":0}"#)
        try await room.command(#"{"cmd":"advertise","on":true,"pm":3}"#)
        for erg in ["erg-2", "erg-3"] { #expect(await isOnline(room, erg)) }
        try await coach.send(
            "Somebody comes late and takes erg-3, for this piece only.", "erg/erg-3/cmd/assign",
            #"{"request_id":"a-1","athlete_id":"a-3","until":"session_end"}"#)
        for erg in ["erg-2", "erg-3"] {
            try await coach.send(
                "The same workout for \(erg).", "erg/\(erg)/cmd/workout",
                #"{"request_id":"w-2","type":"intervals","repeat":4,"#
                    + #""intervals":[{"distance_m":500,"rest_s":60}]}"#)
        }
        #expect(await haveStrokes(room, strokes: 4))
        try await coach.send(
            "A slip: another workout while they row.", "erg/all/cmd/workout",
            #"{"request_id":"w-3","type":"just_row"}"#, answers: 3)
        try await coach.send(
            "Enough for today.", "erg/all/cmd/terminate", #"{"request_id":"t-1"}"#, answers: 3)
        #expect(
            await eventually { room.messages(ofKind: "manifest").count == 3 })
        try coach.expectTranscript()

        let athletes = Set(room.messages(ofKind: "stroke").compactMap(\.athlete))
        #expect(athletes == ["erg-1 a-1", "erg-2 a-2", "erg-3 a-3"])
        #expect(await eventually { room.lastState(of: "erg-3")?["athlete_id"] == nil })
        #expect(room.lastState(of: "erg-1")?["athlete_id"] as? String == "a-1")
        room.expectUniqueRecords()
        for (index, count) in room.strokeCounts.enumerated() {
            #expect(count == room.simulatedStrokes(by: "erg-\(index + 1)"))
        }
        #expect(await gateway.terminate() == 0)
    }

    private static let roster = """
        [[athlete]]
        id = "a-1"
        name = "first boat, bow"
        erg = "erg-1"
        [[athlete]]
        id = "a-2"
        erg = "erg-2"
        [[athlete]]
        id = "a-3"

        """

    private func isOnline(_ room: SimulatedRoom, _ erg: String) async -> Bool {
        await eventually { room.availability(of: erg) == "online" }
    }

    private func isOffline(_ room: SimulatedRoom, _ erg: String) async -> Bool {
        await eventually { room.availability(of: erg) == "offline" }
    }

    private func haveStrokes(_ room: SimulatedRoom, strokes: Int) async -> Bool {
        await eventually { room.strokeCounts.allSatisfy { $0 >= strokes } }
    }
}

/// Sends commands with a response topic and correlation data, and records the replies.
private final class Coach {
    private let room: SimulatedRoom
    private let root: String
    private let replies: MosquittoSubscriber
    private var lines: [String] = []

    init(_ room: SimulatedRoom, root: String) async throws {
        self.room = room
        self.root = root
        replies = try await MosquittoSubscriber(room.broker, "coach/#")
    }

    /// Sends a command and waits for its replies, which arrive in any order.
    func send(_ remark: String, _ topic: String, _ payload: String, answers: Int = 1) async throws {
        let before = replies.messages.count
        let number = "c-\(lines.count { $0.hasPrefix("#") } + 1)"
        lines += ["# \(remark)", "> \(topic)", "  \(payload)"]
        try await room.broker.publish(
            payload, to: root + topic,
            [
                "-D", "publish", "response-topic", "coach/replies", "-D", "publish",
                "correlation-data", number,
            ])
        _ = await eventually {
            self.replies.messages.count >= before + answers
        }
        let received = replies.messages.dropFirst(before)
        #expect(received.count == answers, "\(topic)")
        #expect(received.allSatisfy { $0.correlationData == number })
        lines += received.map { "< " + Self.withoutTimes($0.payload) }.sorted() + [""]
    }

    /// Removes the fields that differ from run to run.
    private static func withoutTimes(_ text: String) -> String {
        text.replacing(
            /"ts_ms":\d+,"time":"[^"]*","clock":"[a-z]*",("boot_id":"[^"]*","boot_ms":\d+,)?/,
            with: "")
    }

    /// Compares the transcript with the golden file.
    func expectTranscript() throws {
        let text = lines.joined(separator: "\n")
        #expect(try goldenText("coach-afternoon.txt", for: text) == text)
    }
}

extension ReceivedMessage {
    /// Erg and athlete of this record.
    fileprivate var athlete: String? {
        guard let erg, let athlete = fields["athlete_id"] as? String else { return nil }
        return "\(erg) \(athlete)"
    }
}

extension SimulatedRoom {
    fileprivate func availability(of erg: String) -> String? {
        messages.last { $0.kind == "availability" && $0.erg == erg }?.payload
    }

    fileprivate func lastState(of erg: String) -> [String: Any]? {
        messages.last { $0.kind == "state" && $0.erg == erg }?.fields
    }
}
