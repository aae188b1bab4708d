import Bytes
import Contract
import PM5Simulator
import TestSupport
import Testing

@testable import Gateway

/// A room of eight rowers, each with a known behaviour.
struct CoachedRoomTests {
    /// A rower, and exactly the alerts that must be published.
    private struct Rower {
        var script = "10:00"
        let seed: UInt64
        let profile: RowerProfile
        /// Such as `stopped recovered`, sorted; `firing` for an active alert.
        var alerts: [String] = []
        var limits = ""
        /// Whether the simulator's strokes are comparable to published ones. Not before a pause, whose
        /// recovery is cut, and not in intervals, whose clock restarts.
        var isComparable = true

        /// Creates the `number`th rower with a heart-rate belt.
        init(_ number: Int) {
            var profiles: [(seed: UInt64, profile: RowerProfile)] = []
            var seed: UInt64 = 0
            while profiles.count < number {
                seed += 1
                var generator = PM5Simulator.SeededGenerator(seed: seed)
                let profile = RowerProfile(drawnFrom: &generator)
                if profile.beltID != nil { profiles.append((seed, profile)) }
            }
            self.seed = seed
            profile = profiles[number - 1].profile
        }

        /// Limits around the planned rowing: 12 % around the pace, 20 % around the rate.
        var settings: String {
            let (pace, rate) = (500 / profile.cruisingSpeed, profile.strokesPerMinute)
            return """
                alert_pace_min_s = \(Int(pace * 0.88))
                alert_pace_max_s = \(Int(pace * 1.12) + 1)
                alert_rate_min_spm = \(Int(rate * 0.8))
                alert_rate_max_spm = \(Int(rate * 1.2) + 1)
                \(limits)

                """
        }
    }

    private static let rowers: [Rower] = {
        var rowers = (1...8).map(Rower.init)
        rowers[1].alerts = ["stopped recovered"]
        // Rests are not stops.
        rowers[2].script = "4x1:30/0:40r"
        for number in [1, 2, 7] { rowers[number].isComparable = false }
        rowers[3].alerts = ["off_pace recovered", "power_collapse recovered"]
        // A slow decrease is not a collapse.
        rowers[4].alerts = ["off_pace recovered"]
        rowers[5].alerts = ["heart_rate_lost recovered"]
        rowers[6].alerts = ["battery_low firing", "link_lost recovered"]
        // A just row has no goal, so a stop is not an alert.
        rowers[7].script = "just-row/8:00"
        rowers[7].alerts = ["drag_out_of_band session_ended"]
        rowers[7].limits = "alert_drag_max = \(rowers[7].profile.dragFactor - 5)"
        return rowers
    }()

    private static let sections = """
        [alerts]
        power_collapse = true
        heart_rate_lost = true
        [[crew]]
        name = "bow"
        ergs = ["erg-1", "erg-2", "erg-4"]

        """

    private struct Outcome: Sendable {
        var alerts: [String: [String]] = [:]
        var violations: [String] = []
        var differences: [String] = []
        var strokes = 0
        var rollups = 0
        var room = 0
        var distances: (strokes: Double, minutes: Double) = (0, 0)
        var crews: [String: Int] = [:]
        var live: [String: Int] = [:]
        var liveAfterRestart: [String] = []
        var health = ""
    }

    /// Eight rowers, each with one known event or none, every rule on, and limits around their planned
    /// rowing. Rollups of ergs, room and crews must match the strokes.
    @Test(.timeLimit(.minutes(30)))
    func publishesExactlyTheExpectedAlerts() async throws {
        let outcome = try await Self.outcome(rounds: 1)
        Self.expect(outcome, rounds: 1)
        // A command defines the second crew after five minutes; it survives a restart.
        let (bow, stern) = (outcome.crews["bow"] ?? 0, outcome.crews["stern"] ?? 0)
        #expect(bow >= 10 && stern >= 5 && stern < bow)
        #expect(Set(outcome.crews.keys) == ["bow", "stern"])
        #expect(Set(outcome.live.keys) == ["room/live", "crew/bow/live", "crew/stern/live"])
        #expect(outcome.live["room/live"] ?? 0 >= 600)
        #expect(Set(outcome.liveAfterRestart) == Set(outcome.live.keys))
        #expect(outcome.health.contains(#""room_rollup_last_seq":"#))
        #expect(outcome.health.contains(#""crew_rollup_last_seq":"#))
    }

    /// They row twice, with three hours in between. A battery that stays low is reported once.
    @Test(.timeLimit(.minutes(30)))
    func publishesEachAlertOncePerEvent() async throws {
        let outcome = try await Self.outcome(rounds: 2)
        Self.expect(outcome, rounds: 2)
    }

    private static func expect(_ outcome: Outcome, rounds: Int) {
        for (number, rower) in rowers.enumerated() {
            let published = outcome.alerts["erg-\(number + 1)"] ?? []
            let expected = rower.alerts.flatMap {
                Array(repeating: $0, count: $0.hasSuffix(" firing") ? 1 : rounds)
            }
            #expect(published == expected, "erg-\(number + 1), seed \(rower.seed)")
        }
        #expect(outcome.violations == [])
        #expect(outcome.differences == [])
        #expect(outcome.rollups >= 8 * 6 * rounds)
        // The rollups of the room count each stroke once.
        #expect(outcome.strokes > 1000 * rounds && outcome.room == outcome.strokes)
        #expect(abs(outcome.distances.strokes - outcome.distances.minutes) < Double(rounds))
    }

    private static func outcome(rounds: Int) async throws -> Outcome {
        let folder = try TemporaryFolder()
        return try await SteppedLoop.run(seed: 11) { machine in
            let day = try JournalDay(
                on: machine, folder: folder.path, ergSettings: { rowers[$0 - 1].settings },
                more: sections)
            let subscriber = RoomSubscriber()
            day.broker.onMessage = { subscriber.receive($0, $1) }
            try day.start()
            for round in 1...rounds {
                for (erg, rower) in zip(day.ergs, rowers) {
                    try erg.switchOn(rower.script, seed: rower.seed, repeats: false)
                }
                day.ergs[6].setBattery(percent: 12)
                try await row(day)
                guard round < rounds else { break }
                for erg in day.ergs { erg.switchOff() }
                await day.pass(.seconds(3 * 3600))
            }
            var outcome = Outcome()
            outcome.health = String(
                decoding: day.broker.retained["rowgate/v1/boathouse/health"] ?? [], as: UTF8.self)
            (outcome.live, outcome.alerts) = (subscriber.live, subscriber.alerts)
            for erg in day.ergs { erg.switchOff() }
            await day.pass(.seconds(60))
            try await day.stop()
            subscriber.sumUp(day.ergs, into: &outcome)
            subscriber.live = [:]
            try day.start()
            for (erg, rower) in zip(day.ergs, rowers) {
                try erg.switchOn("just-row/0:40", seed: rower.seed, repeats: false)
            }
            await day.pass(.seconds(90))
            outcome.liveAfterRestart = Array(subscriber.live.keys)
            try await day.stop()
            return outcome
        }
    }

    /// Lets 12.5 minutes pass.
    private static func row(_ day: JournalDay) async throws {
        let ergs = day.ergs
        await day.pass(.seconds(120))
        ergs[4].change { $0.fade(to: 0.72, withinMilliseconds: 240_000) }
        await day.pass(.seconds(120))
        for erg in [ergs[1], ergs[7]] { erg.change { $0.pause(forMilliseconds: 25_000) } }
        ergs[3].change { $0.fade(to: 0.55, withinMilliseconds: 0) }
        ergs[5].change { $0.setBelt(isReceived: false) }
        ergs[6].isOutOfReach = true
        ergs[6].close(.lost)
        await day.pass(.seconds(30))
        ergs[6].comeBack()
        let members = #""members":["erg-5","erg-6"]"#
        _ = day.broker.send(
            Array(#"{"request_id":"c-1","crew":"stern",\#(members)}"#.utf8),
            to: "rowgate/v1/boathouse/cmd/crew")
        await day.pass(.seconds(30))
        ergs[5].change { $0.setBelt(isReceived: true) }
        await day.pass(.seconds(30))
        ergs[3].change { $0.fade(to: 1, withinMilliseconds: 5000) }
        await day.pass(.seconds(90))
        ergs[4].change { $0.fade(to: 1, withinMilliseconds: 10_000) }
        await day.pass(.seconds(330))
    }

    /// A subscriber that compares messages.
    private final class RoomSubscriber: @unchecked Sendable {  // used only on the loop's thread
        private var published = PublishedStrokes()
        /// Number of live messages by topic below the gateway.
        var live: [String: Int] = [:]
        private var alertStates: [String: [String: String]] = [:]
        private var minutes: [JSONObject] = []
        private var crews: [String: Int] = [:]
        private var meters = 0.0
        private var means = RollupMeans()

        func receive(_ topic: String, _ payload: [UInt8]) {
            published.receive(topic: topic, payload: payload)
            guard let (_, content) = TopicPrefix.standard.parse(topic),
                let fields = try? JSONObject(parsing: payload)
            else { return }
            switch content {
            case .roomLive, .crewLive: live[content.path, default: 0] += 1
            case .record(let stream): receive(fields, of: stream)
            default: break
            }
        }

        private func receive(_ fields: JSONObject, of stream: StreamID) {
            switch stream.kind {
            case .alert:
                guard let erg = stream.station?.slug, let id = fields.text("alert_id"),
                    let rule = fields.text("rule")
                else { return }
                alertStates[erg, default: [:]][id] = "\(rule) \(fields.text("resolution") ?? "firing")"
            case .roomRollup: minutes.append(fields)
            case .crewRollup: crews[fields.text("crew") ?? "", default: 0] += 1
            case .stroke:
                meters += fields.decimal("stroke_distance_m") ?? 0
                means.add(stroke: fields, at: stream.station)
            case .rollup: means.add(rollup: fields, at: stream.station)
            default: break
            }
        }

        /// Alerts by erg.
        var alerts: [String: [String]] { alertStates.mapValues { $0.values.sorted() } }

        func sumUp(_ ergs: [SteppedErg], into outcome: inout Outcome) {
            outcome.violations = published.violations + published.insights.violations
            outcome.differences = means.differences
            for (number, erg) in ergs.enumerated() where rowers[number].isComparable {
                guard let station = StationID("erg-\(number + 1)") else { continue }
                outcome.differences += published.differences(at: station, from: erg.truth)
            }
            (outcome.strokes, outcome.crews) = (published.strokes, crews)
            outcome.rollups = published.insights.counts.rollups
            outcome.room = minutes.reduce(0) { $0 + Int($1.number("strokes") ?? 0) }
            outcome.distances = (
                meters, minutes.reduce(0) { $0 + ($1.decimal("distance_m") ?? 0) }
            )
        }
    }
}

/// Compares the published means of minutes with those of the published strokes.
private struct RollupMeans {
    private var powers: [String: [Int: (minute: Int, watts: Double)]] = [:]
    private var published: [(session: String, minute: Int, mean: Double)] = []

    mutating func add(stroke fields: JSONObject, at station: StationID?) {
        guard let session = fields.text("session_id"), let number = fields.number("stroke"),
            let watts = fields.decimal("power_w"), let elapsed = fields.decimal("elapsed_s")
        else { return }
        // A minute includes its 60th second.
        let minute = max(0, Int((elapsed * 100).rounded()) - 1) / 6000 + 1
        powers[session, default: [:]][Int(number)] = (minute, watts)
    }

    mutating func add(rollup fields: JSONObject, at station: StationID?) {
        guard fields.text("span") == "minute", let session = fields.text("session_id"),
            let number = fields.number("number"), let mean = fields.decimal("avg_power_w")
        else { return }
        published.append((session, Int(number), mean))
    }

    var differences: [String] {
        published.compactMap { session, minute, mean in
            let watts = (powers[session] ?? [:]).values.filter { $0.minute == minute }.map(\.watts)
            let expected = watts.reduce(0, +) / Double(watts.count)
            return abs(expected - mean) <= 0.06
                ? nil : "\(session) minute \(minute): \(mean) W instead of \(expected)"
        }
    }
}
