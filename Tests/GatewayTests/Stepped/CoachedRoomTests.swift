import Bytes
import Contract
import PM5Simulator
import TestSupport
import Testing

@testable import Gateway

/// A room of eight in which everybody does one thing, which is known beforehand.
struct CoachedRoomTests {
    /// Who rows at a place, and what a coach has to be told of it, and nothing else.
    private struct Rower {
        var script = "10:00"
        let seed: UInt64
        let profile: RowerProfile
        /// `stopped recovered`, in the order of the alphabet; `firing` for what is not over.
        var alerts: [String] = []
        var limits = ""
        /// Whether the simulator's account tells each stroke as a gateway can: not the one before a pause,
        /// of which nobody waits for the recovery, nor an interval's, whose clock begins anew.
        var isComparable = true

        /// The `number`th rower who wears a belt.
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

        /// A band about what they row as planned: an eighth to either side of the pace, a fifth of the rate.
        var seat: String {
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
        // Rests, which are no stops.
        rowers[2].script = "4x1:30/0:40r"
        for number in [1, 2, 7] { rowers[number].isComparable = false }
        rowers[3].alerts = ["off_pace recovered", "power_collapse recovered"]
        // Who fades slowly breaks down at no moment.
        rowers[4].alerts = ["off_pace recovered"]
        rowers[5].alerts = ["heart_rate_lost recovered"]
        rowers[6].alerts = ["battery_low firing", "link_lost recovered"]
        // A just row has no goal, so nobody stops short of it.
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
        var distances: (rowed: Double, told: Double) = (0, 0)
        var crews: [String: Int] = [:]
        var live: [String: Int] = [:]
        var liveAfterRestart: [String] = []
        var health = ""
    }

    /// Goal: a coach of eight is told what happened, and of nothing else; minutes of ergs, room and crews
    /// are what their strokes were. Method: one rows as planned, others stop, rest, break down, fade,
    /// lose their belt or their link, or row a just row with too much drag; bands about what each
    /// rows as planned, and every rule on.
    @Test(.timeLimit(.minutes(30)))
    func everyAlertThatMustComeAndNoOther() async throws {
        let outcome = try await Self.outcome(rounds: 1)
        Self.expect(outcome, rounds: 1)
        // From its fifth minute on there is another crew, which a restart does not end.
        let (bow, stern) = (outcome.crews["bow"] ?? 0, outcome.crews["stern"] ?? 0)
        #expect(bow >= 10 && stern >= 5 && stern < bow)
        #expect(Set(outcome.crews.keys) == ["bow", "stern"])
        #expect(Set(outcome.live.keys) == ["room/live", "crew/bow/live", "crew/stern/live"])
        #expect(outcome.live["room/live"] ?? 0 >= 600)
        #expect(Set(outcome.liveAfterRestart) == Set(outcome.live.keys))
        #expect(outcome.health.contains(#""room_rollup_last_seq":"#))
        #expect(outcome.health.contains(#""crew_rollup_last_seq":"#))
    }

    /// Goal: the same over a day, in which a battery that stays low is told of once. Method: the eight
    /// row in the morning and in the evening, and nobody for ten hours between.
    @Test(.timeLimit(.minutes(30)))
    func everyAlertOfADay() async throws {
        let outcome = try await Self.outcome(rounds: 2)
        Self.expect(outcome, rounds: 2)
    }

    private static func expect(_ outcome: Outcome, rounds: Int) {
        for (number, rower) in rowers.enumerated() {
            let told = outcome.alerts["erg-\(number + 1)"] ?? []
            let expected = rower.alerts.flatMap {
                Array(repeating: $0, count: $0.hasSuffix(" firing") ? 1 : rounds)
            }
            #expect(told == expected, "erg-\(number + 1), seed \(rower.seed)")
        }
        #expect(outcome.violations == [])
        #expect(outcome.differences == [])
        #expect(outcome.rollups >= 8 * 6 * rounds)
        // Each stroke is in one minute of the room.
        #expect(outcome.strokes > 1000 * rounds && outcome.room == outcome.strokes)
        #expect(abs(outcome.distances.rowed - outcome.distances.told) < Double(rounds))
    }

    private static func outcome(rounds: Int) async throws -> Outcome {
        let folder = try TemporaryFolder()
        return try await SteppedLoop.run(seed: 11) { machine in
            let day = try JournalDay(
                on: machine, folder: folder.path, seats: { rowers[$0 - 1].seat },
                more: sections)
            let account = RoomAccount()
            day.broker.onMessage = { account.take($0, $1) }
            try day.start()
            for round in 1...rounds {
                for (erg, rower) in zip(day.ergs, rowers) {
                    try erg.switchOn(rower.script, seed: rower.seed, repeats: false)
                }
                day.ergs[6].setBattery(percent: 12)
                try await row(day)
                guard round < rounds else { break }
                for erg in day.ergs { erg.switchOff() }
                await day.pass(.seconds(10 * 3600))
            }
            var outcome = Outcome()
            outcome.health = String(
                decoding: day.broker.retained["rowgate/v1/boathouse/health"] ?? [], as: UTF8.self)
            (outcome.live, outcome.alerts) = (account.live, account.alerts)
            for erg in day.ergs { erg.switchOff() }
            await day.pass(.seconds(60))
            try await day.stop()
            account.sumUp(day.ergs, into: &outcome)
            account.live = [:]
            try day.start()
            for (erg, rower) in zip(day.ergs, rowers) {
                try erg.switchOn("just-row/0:40", seed: rower.seed, repeats: false)
            }
            await day.pass(.seconds(90))
            outcome.liveAfterRestart = Array(account.live.keys)
            try await day.stop()
            return outcome
        }
    }

    /// Twelve minutes and a half.
    private static func row(_ day: JournalDay) async throws {
        let ergs = day.ergs
        await day.pass(.seconds(120))
        ergs[4].change { $0.give(0.72, withinMilliseconds: 240_000) }
        await day.pass(.seconds(120))
        for erg in [ergs[1], ergs[7]] { erg.change { $0.pause(forMilliseconds: 25_000) } }
        ergs[3].change { $0.give(0.55, withinMilliseconds: 0) }
        ergs[5].change { $0.setBelt(heard: false) }
        ergs[6].isOutOfReach = true
        ergs[6].close(.lost)
        await day.pass(.seconds(30))
        ergs[6].comeBack()
        let members = #""members":["erg-5","erg-6"]"#
        _ = day.broker.send(
            Array(#"{"request_id":"c-1","crew":"stern",\#(members)}"#.utf8),
            to: "rowgate/v1/boathouse/cmd/crew")
        await day.pass(.seconds(30))
        ergs[5].change { $0.setBelt(heard: true) }
        await day.pass(.seconds(30))
        ergs[3].change { $0.give(1, withinMilliseconds: 5000) }
        await day.pass(.seconds(90))
        ergs[4].change { $0.give(1, withinMilliseconds: 10_000) }
        await day.pass(.seconds(330))
    }

    /// What a subscriber makes of the messages.
    private final class RoomAccount: @unchecked Sendable {  // of the loop's thread alone
        private var published = PublishedStrokes()
        /// By the topic below the gateway.
        var live: [String: Int] = [:]
        private var told: [String: [String: String]] = [:]
        private var minutes: [JSONObject] = []
        private var crews: [String: Int] = [:]
        private var meters = 0.0
        private var means = RollupMeans()

        func take(_ topic: String, _ payload: [UInt8]) {
            published.take(topic: topic, payload: payload)
            guard let (_, content) = TopicMap.read(topic),
                let fields = try? JSONObject(parsing: payload)
            else { return }
            switch content {
            case .roomLive, .crewLive: live[content.path, default: 0] += 1
            case .record(let stream): take(fields, of: stream)
            default: break
            }
        }

        private func take(_ fields: JSONObject, of stream: StreamID) {
            switch stream.kind {
            case .alert:
                guard let erg = stream.station?.slug, let id = fields.text("alert_id"),
                    let rule = fields.text("rule")
                else { return }
                told[erg, default: [:]][id] = "\(rule) \(fields.text("resolution") ?? "firing")"
            case .roomRollup: minutes.append(fields)
            case .crewRollup: crews[fields.text("crew") ?? "", default: 0] += 1
            case .stroke:
                meters += fields.decimal("stroke_distance_m") ?? 0
                means.take(stroke: fields, at: stream.station)
            case .rollup: means.take(rollup: fields, at: stream.station)
            default: break
            }
        }

        /// By erg.
        var alerts: [String: [String]] { told.mapValues { $0.values.sorted() } }

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

/// The means of minutes as they are told, and as the strokes that were told make them.
private struct RollupMeans {
    private var powers: [String: [Int: (minute: Int, watts: Double)]] = [:]
    private var told: [(session: String, minute: Int, mean: Double)] = []

    mutating func take(stroke fields: JSONObject, at station: StationID?) {
        guard let session = fields.text("session_id"), let number = fields.number("stroke"),
            let watts = fields.decimal("power_w"), let elapsed = fields.decimal("elapsed_s")
        else { return }
        // A minute is over at its 60th second.
        let minute = max(0, Int((elapsed * 100).rounded()) - 1) / 6000 + 1
        powers[session, default: [:]][Int(number)] = (minute, watts)
    }

    mutating func take(rollup fields: JSONObject, at station: StationID?) {
        guard fields.text("span") == "minute", let session = fields.text("session_id"),
            let number = fields.number("number"), let mean = fields.decimal("avg_power_w")
        else { return }
        told.append((session, Int(number), mean))
    }

    var differences: [String] {
        told.compactMap { session, minute, mean in
            let watts = (powers[session] ?? [:]).values.filter { $0.minute == minute }.map(\.watts)
            let rowed = watts.reduce(0, +) / Double(watts.count)
            return abs(rowed - mean) <= 0.06
                ? nil : "\(session) minute \(minute): \(mean) W instead of \(rowed)"
        }
    }
}
