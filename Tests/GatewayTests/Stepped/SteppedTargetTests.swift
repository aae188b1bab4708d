import Bytes
import Contract
import TestSupport
import Testing

@testable import Gateway

/// Targets of workouts, from the coach's command to the last summary.
struct SteppedTargetTests {
    private struct Outcome: Sendable {
        /// Pace compared with the target, for each stroke of the first session.
        var held: [String?] = []
        var drifting: [String?] = []
        var restarted: [String?] = []
        var second: [String?] = []
        /// Values in `live`, without repetitions.
        var live: [String] = []
        /// `off_pace firing 0.00`, with the threshold.
        var alerts: [String] = []
        /// `in_target_ratio` of each split.
        var splits: [String?] = []
        var summaries: [String?] = []
        var replies: [String?] = []
        var shown: UInt32?
        var pace = 0
    }

    /// 2000 m at the requested pace, then a tenth slower across a restart, then at the pace again. The
    /// next session has no target.
    @Test(.timeLimit(.minutes(30)))
    func reportsARowerWhoDriftsOffTheTarget() async throws {
        let outcome = try await Self.outcome()
        #expect(outcome.replies == ["done"])
        #expect(outcome.shown == UInt32(outcome.pace))
        // The first strokes after a standing start are slow.
        let held = outcome.held.dropFirst(8)
        #expect(held.count > 20 && held.allSatisfy { $0 == "in" }, "\(outcome.held)")
        let drifting = outcome.drifting.dropFirst(2)
        #expect(drifting.count > 10 && drifting.allSatisfy { $0 == "below" })
        #expect(outcome.restarted.dropFirst(2).allSatisfy { $0 == "below" })
        #expect(!outcome.restarted.isEmpty)
        let high = Self.decimal(outcome.pace + Self.margin)
        #expect(outcome.alerts == ["off_pace firing \(high)", "off_pace resolved \(high)"])
        #expect(outcome.live.contains("in") && outcome.live.contains("below"))
        #expect(outcome.splits.count == 5 && outcome.splits.allSatisfy { $0 != nil })
        let shares = outcome.splits.compactMap { $0.flatMap(Double.init) }
        #expect(shares.contains { $0 < 0.3 } && shares.contains { $0 > 0.9 }, "\(shares)")
        #expect(outcome.summaries.count == 2 && outcome.summaries[0] != nil)
        #expect(outcome.second.count > 10 && outcome.second.allSatisfy { $0 == nil })
        #expect(outcome.summaries.last == .some(nil))
    }

    @Test(.timeLimit(.minutes(30)))
    func sendsANamedWorkout() async throws {
        let folder = try TemporaryFolder()
        let more = "[[workout]]\nname = \"steady\"\nrow = \"2000m@10-60spm\"\n"
        let (retained, replies, strokes) = try await SteppedLoop.run(seed: 4) { machine in
            let day = try JournalDay(on: machine, folder: folder.path, more: more)
            let subscriber = TargetSubscriber("stroke_rate_vs_target")
            day.broker.onMessage = { subscriber.receive($0, $1) }
            try day.start()
            for erg in day.ergs.prefix(2) { try erg.switchOn("wait", seed: 5) }
            await day.pass(.seconds(20))
            day.command("erg-1", "workout", #"{"request_id":"w-1","workout":"steady"}"#)
            day.command("erg-2", "workout", #"{"request_id":"w-2","workout":"steaty"}"#)
            await day.pass(.seconds(90))
            try await day.stop()
            return (
                day.broker.retained["rowgate/v1/boathouse/workouts"] ?? [], subscriber.replies,
                subscriber.drainStrokes()
            )
        }
        #expect(
            String(decoding: retained, as: UTF8.self)
                .hasSuffix(#""workouts":{"steady":"2000m@10-60spm"}}"#))
        #expect(replies == ["bad_value", "done"])
        #expect(strokes.count > 10 && strokes.dropFirst().allSatisfy { $0 == "in" }, "\(strokes)")
    }

    @Test(.timeLimit(.minutes(30)))
    func convertsAShareOfTheAthletesPowerToWatts() async throws {
        let folder = try TemporaryFolder()
        let roster = AthleteRoster(athletes: [
            .init(id: "a-1", erg: "erg-1", power2k: 300),
            .init(id: "a-2", erg: "erg-2", power2k: 211),
            .init(id: "a-3", erg: "erg-3"),
        ])
        let subscriber = TargetSubscriber("power_vs_target")
        try await SteppedLoop.run(seed: 4) { machine in
            let day = try JournalDay(on: machine, folder: folder.path, roster: roster)
            day.broker.onMessage = { subscriber.receive($0, $1) }
            try day.start()
            for erg in day.ergs.prefix(4) { try erg.switchOn("wait", seed: 5) }
            await day.pass(.seconds(20))
            day.command(
                "all", "workout",
                #"{"request_id":"w-1","type":"time","duration_s":60,"target_2k_power_min_pct":55,"#
                    + #""target_2k_power_max_pct":65}"#)
            await day.pass(.seconds(60))
            try await day.stop()
        }
        #expect(subscriber.powers == ["erg-1": "165 195", "erg-2": "116 137"])
        #expect(subscriber.messages["erg-3"]?.contains("write power_2k_w there") == true)
        #expect(subscriber.messages["erg-4"]?.contains("rowgatectl assign erg-4 ATHLETE") == true)
        #expect(
            subscriber.replies.filter { $0 == "unknown_athlete" }.count == 6
                && subscriber.replies.filter { $0 == "done" }.count == 2)
    }

    @Test(.timeLimit(.minutes(30)))
    func convertsAnOffsetToEachAthletesPace() async throws {
        let folder = try TemporaryFolder()
        // 300 W are 1:45.27, 203 W 1:59.91.
        let roster = AthleteRoster(athletes: [
            .init(id: "a-1", erg: "erg-1", power2k: 300, power6k: 250),
            .init(id: "a-2", erg: "erg-2", power2k: 250, power6k: 203),
            .init(id: "a-3", erg: "erg-3", power2k: 300),
        ])
        let subscriber = TargetSubscriber()
        let shown = try await SteppedLoop.run(seed: 4) { machine in
            let day = try JournalDay(on: machine, folder: folder.path, roster: roster)
            day.broker.onMessage = { subscriber.receive($0, $1) }
            try day.start()
            for erg in day.ergs.prefix(4) { try erg.switchOn("wait", seed: 5) }
            await day.pass(.seconds(20))
            day.command(
                "all", "workout",
                #"{"request_id":"w-1","type":"time","duration_s":60,"target_6k_offset_min_s_per_500m":4,"#
                    + #""target_6k_offset_max_s_per_500m":4}"#)
            await day.pass(.seconds(30))
            day.command(
                "erg-3", "workout",
                #"{"request_id":"w-2","type":"time","duration_s":60,"target_2k_offset_min_s_per_500m":12,"#
                    + #""target_2k_offset_max_s_per_500m":14}"#)
            await day.pass(.seconds(30))
            let shown = day.ergs.prefix(3).map { $0.erg?.workout.intervals[0].targetPaceCentisecondsPer500m }
            try await day.stop()
            return shown
        }
        // 250 W are 1:51.86; the middle of 1:57.27 and 1:59.27 is 1:58.27.
        #expect(shown == [11_586, 12_391, 11_827])
        #expect(subscriber.refusals["erg-3"]?.contains("a-3's 6k result") == true)
        #expect(subscriber.refusals["erg-3"]?.contains("write power_6k_w there") == true)
        #expect(subscriber.refusals["erg-4"]?.contains("rowgatectl assign erg-4 ATHLETE") == true)
    }

    /// Tolerance of the pace in hundredths of a second per 500 m, on either side.
    private static let margin = 500

    private static func decimal(_ hundredths: Int) -> String {
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    private static func outcome() async throws -> Outcome {
        let folder = try TemporaryFolder()
        return try await SteppedLoop.run(seed: 3) { machine in
            let day = try JournalDay(on: machine, folder: folder.path)
            let subscriber = TargetSubscriber()
            day.broker.onMessage = { subscriber.receive($0, $1) }
            try day.start()
            let erg = day.ergs[0]
            try erg.switchOn("wait", seed: 5)
            await day.pass(.seconds(20))
            var outcome = Outcome()
            let speed = try #require(erg.erg?.profile.cruisingSpeed)
            outcome.pace = Int(50_000 / speed)
            let (low, high) = (outcome.pace - margin, outcome.pace + margin)
            day.command(
                "erg-1", "workout",
                #"{"request_id":"w-1","type":"distance","distance_m":2000,"#
                    + #""target_pace_min_s_per_500m":\#(decimal(low)),"#
                    + #""target_pace_max_s_per_500m":\#(decimal(high))}"#)
            await day.pass(.seconds(100))
            outcome.replies = subscriber.replies
            outcome.shown = erg.erg?.workout.intervals[0].targetPaceCentisecondsPer500m
            outcome.held = subscriber.drainStrokes()
            erg.row(at: 0.9)
            await day.pass(.seconds(60))
            outcome.drifting = subscriber.drainStrokes()
            try await day.stop()
            try day.start()
            await day.pass(.seconds(60))
            outcome.restarted = subscriber.drainStrokes()
            erg.row(at: 1)
            while subscriber.summaries.isEmpty { await day.pass(.seconds(10)) }
            _ = subscriber.drainStrokes()
            while subscriber.summaries.count < 2 { await day.pass(.seconds(10)) }
            outcome.second = subscriber.drainStrokes()
            (outcome.alerts, outcome.live) = (subscriber.alerts, subscriber.live)
            (outcome.splits, outcome.summaries) = (subscriber.splits, subscriber.summaries)
            try await day.stop()
            return outcome
        }
    }
}

/// A subscriber that collects comparisons with the target.
private final class TargetSubscriber: @unchecked Sendable {  // used only on the loop's thread
    private let field: String
    private var strokes: [String?] = []
    private(set) var live: [String] = []
    /// The power band in `live`, by erg.
    private(set) var powers: [String: String] = [:]
    /// The message of the last reply, by erg.
    private(set) var messages: [String: String] = [:]
    /// The message of the last error, by erg.
    private(set) var refusals: [String: String] = [:]
    private(set) var alerts: [String] = []
    private(set) var splits: [String?] = []
    private(set) var summaries: [String?] = []
    private(set) var replies: [String?] = []

    /// - Parameter field: the compared field of strokes and `live`.
    init(_ field: String = "pace_vs_target") { self.field = field }

    func receive(_ topic: String, _ payload: [UInt8]) {
        guard case .object(let fields)? = try? JSONValue(parsing: payload),
            let kind = fields.text("kind")
        else { return }
        let place = fields.text(field)
        switch kind {
        case "stroke": strokes.append(place)
        case "live":
            if let place, place != live.last { live.append(place) }
            if let low = number("target_power_min_w", fields),
                let high = number("target_power_max_w", fields)
            {
                powers[fields.text("erg") ?? ""] = "\(low) \(high)"
            }
        case "alert":
            let words = [fields.text("rule") ?? "", fields.text("state") ?? ""]
            let limit = number("threshold", fields).map { [$0] } ?? []
            alerts.append((words + limit).joined(separator: " "))
        case "split": if summaries.isEmpty { splits.append(number("in_target_ratio", fields)) }
        case "summary" where topic.hasSuffix("/summary"):
            guard number("revision", fields) == "1" else { return }
            summaries.append(number("in_target_ratio", fields))
        case "rsp":
            replies.append(fields.text("code"))
            messages[fields.text("erg") ?? ""] = fields.text("message")
            if fields.text("status") == "error" {
                refusals[fields.text("erg") ?? ""] = fields.text("message")
            }
        default: break
        }
    }

    func drainStrokes() -> [String?] {
        defer { strokes = [] }
        return strokes
    }

    private func number(_ name: String, _ fields: JSONObject) -> String? {
        if case .number(let text)? = fields[name] { text } else { nil }
    }
}
