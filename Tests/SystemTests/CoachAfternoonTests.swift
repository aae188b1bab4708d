import Foundation
import TestSupport
import Testing

/// A coach's afternoon, given with mosquitto_pub and read with mosquitto_sub.
///
/// What was sent and answered is kept in Golden/coach-afternoon.txt, with times left out; the
/// README shows a part of it. `ROWGATE_UPDATE_GOLDEN=1` writes it anew.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct CoachAfternoonTests {
    private static let root = "rowgate/v1/boathouse/"

    /// Goal: a coach runs the room from any MQTT client: a roster, a workout for all, an erg lent
    /// and taken back, a late joiner, the end. Method: the real programs; the transcript against
    /// the golden file, and every stroke against what was rowed.
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

        try await coach.say(
            "The crew of erg-2 wants a phone app for the warm-up.",
            "erg/erg-2/cmd/release", #"{"request_id":"r-1","for_s":600}"#)
        #expect(await isOffline(room, "erg-2"))
        try await coach.say(
            "4 x 500 m with a minute of rest, for everybody.", "erg/all/cmd/workout",
            #"{"request_id":"w-1","type":"intervals","repeat":4,"#
                + #""intervals":[{"distance_m":500,"rest_s":60}]}"#, answers: 3)
        try await coach.say(
            "The phone is put away.", "erg/erg-2/cmd/release", #"{"request_id":"r-2","for_s":0}"#)
        try await room.command(#"{"cmd":"advertise","on":true,"pm":3}"#)
        for erg in ["erg-2", "erg-3"] { #expect(await isOnline(room, erg)) }
        try await coach.say(
            "Somebody comes late and takes erg-3, for this piece only.", "erg/erg-3/cmd/assign",
            #"{"request_id":"a-1","athlete_id":"a-3","until":"session_end"}"#)
        for erg in ["erg-2", "erg-3"] {
            try await coach.say(
                "The same workout for \(erg).", "erg/\(erg)/cmd/workout",
                #"{"request_id":"w-2","type":"intervals","repeat":4,"#
                    + #""intervals":[{"distance_m":500,"rest_s":60}]}"#)
        }
        #expect(await haveRowed(room, strokes: 4))
        try await coach.say(
            "A slip: another workout while they row.", "erg/all/cmd/workout",
            #"{"request_id":"w-3","type":"just_row"}"#, answers: 3)
        try await coach.say(
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
            #expect(count == room.rowed(by: "erg-\(index + 1)"))
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

    private func haveRowed(_ room: SimulatedRoom, strokes: Int) async -> Bool {
        await eventually { room.strokeCounts.allSatisfy { $0 >= strokes } }
    }
}

/// Sends commands with a response topic and correlation data, and writes down what comes back.
private final class Coach {
    private let room: SimulatedRoom
    private let root: String
    private let replies: StrangerSubscriber
    private var lines: [String] = []

    init(_ room: SimulatedRoom, root: String) async throws {
        self.room = room
        self.root = root
        replies = try await StrangerSubscriber(room.broker, "coach/#")
    }

    /// Gives a command and waits for its answers, which come in any order.
    func say(_ why: String, _ topic: String, _ payload: String, answers: Int = 1) async throws {
        let before = replies.messages.count
        let number = "c-\(lines.count { $0.hasPrefix("#") } + 1)"
        lines += ["# \(why)", "> \(topic)", "  \(payload)"]
        try await room.broker.publish(
            payload, to: root + topic,
            [
                "-D", "publish", "response-topic", "coach/replies", "-D", "publish",
                "correlation-data", number,
            ])
        _ = await eventually {
            self.replies.messages.count >= before + answers
        }
        let answered = replies.messages.dropFirst(before)
        #expect(answered.count == answers, "\(topic)")
        #expect(answered.allSatisfy { $0.correlationData == number })
        lines += answered.map { "< " + Self.withoutTimes($0.payload) }.sorted() + [""]
    }

    /// What differs from run to run is left out.
    private static func withoutTimes(_ text: String) -> String {
        text.replacing(
            /"ts_ms":\d+,"time":"[^"]*","clock":"[a-z]*",("boot_id":"[^"]*","boot_ms":\d+,)?/,
            with: "")
    }

    /// Holds everything against the golden file.
    func expectTranscript() throws {
        let text = lines.joined(separator: "\n")
        #expect(try goldenText("coach-afternoon.txt", for: text) == text)
    }
}

extension ReceivedMessage {
    /// The erg and whose record this is.
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
