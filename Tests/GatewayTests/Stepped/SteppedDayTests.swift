import Contract
import DeliveryProof
import Foundation
import TestSupport
import Testing

/// The whole gateway in stepped time, from the link of a monitor to the broker.
///
/// Two hours. `ROWGATE_HOURS=24` simulates a day, `ROWGATE_SEED` selects another one, and
/// `ROWGATE_TRACE=erg-3` prints the messages of that erg.
struct SteppedDayTests {
    private struct Outcome: Sendable {
        var simulated = 0
        var published = 0
        var messages = 0
        var faults: [String] = []
        var violations: [String] = []
        var answers: [String] = []
        var stations: [StationID] = []
        var cutSessions: Set<String> = []
        var verdict = DeliveryVerdict()
        var retained: [String: [UInt8]] = [:]
        var digest: UInt64 = 0
        var grownKilobytes = 0
        var insights = (alerts: 0, rollups: 0)
        /// Number of killed programs. Their suspended tasks keep their memory.
        var killed = 0
    }

    /// A fault every few minutes: links, monitors, adapter, broker, disk, clock, restarts, kills, power
    /// cuts, and a coach's commands. Compares the simulator's strokes with those of a subscriber.
    @Test(.timeLimit(.minutes(30)))
    func publishesOrDeclaresEveryStrokeOfADay() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["ROWGATE_SEED"].flatMap(UInt64.init) ?? 1
        let hours = environment["ROWGATE_HOURS"].flatMap(Double.init) ?? 2
        let begin = ContinuousClock.now
        let day = try await Self.day(hours: hours, seed: seed)
        print(
            """
            \(hours) stepped hours of seed \(seed) in \(ContinuousClock.now - begin): \
            \(day.simulated) strokes simulated, \(day.published) published, \(day.messages) messages, \
            \(day.insights.alerts) alerts, \(day.insights.rollups) rollups, \
            faults: \(day.faults.joined(separator: ", ")); \
            answers: \(day.answers.joined(separator: ", ")); memory grew by \(day.grownKilobytes) kB
            """)
        #expect(day.simulated > 0 && day.published > 0)
        #expect(day.insights.alerts > 0 && day.insights.rollups > 0)
        #expect(day.violations == [], "ROWGATE_SEED=\(seed)")
        let verdict = day.verdict
        let lost = verdict.lost.map { "\($0.stream.stream.path) \($0.missing)" }
        #expect(lost == [], "ROWGATE_SEED=\(seed)")
        #expect(verdict.defectCount == 0, "ROWGATE_SEED=\(seed)")
        #expect(verdict.streams.allSatisfy { $0.altered.isEmpty })
        let unproven = verdict.sessions.filter {
            $0.proof != .proven && !day.cutSessions.contains($0.id)
        }
        #expect(unproven.map { "\($0)" } == [], "ROWGATE_SEED=\(seed)")
        expectRetained(day.retained, of: day.stations)
        // Without `ROWGATE_HOURS`, other tests may run in this process.
        guard environment["ROWGATE_HOURS"] != nil else { return }
        #expect(day.grownKilobytes < (64 + 2 * day.killed) * 1024)
    }

    @Test(.timeLimit(.minutes(30)))
    func theSameSeedGivesTheSameMessages() async throws {
        let first = try await Self.day(hours: 0.2, seed: 5)
        let second = try await Self.day(hours: 0.2, seed: 5)
        #expect(first.messages > 0 && first.messages == second.messages)
        #expect(first.digest == second.digest)
        let other = try await Self.day(hours: 0.2, seed: 6)
        #expect(other.digest != first.digest)
    }

    @Test func endsTheSessionOfAMonitorThatStaysAway() async throws {
        let folder = try TemporaryFolder()
        try await SteppedLoop.run(seed: 2) { machine in
            let day = try SteppedDay(on: machine, seed: 2, folder: folder.path)
            func state() -> String {
                String(
                    decoding: day.broker.retained["rowgate/v1/boathouse/erg/pm5-430000008/state"]
                        ?? [], as: UTF8.self)
            }
            try await day.startGateway()
            try day.ergs[7].switchOn("2000m", seed: 1)
            await machine.sleep(for: .seconds(60))
            #expect(state().contains("session_id"))
            await day.stopGateway()
            day.ergs[7].switchOff()
            try await day.startGateway()
            await machine.sleep(for: .seconds(900))
            #expect(!state().isEmpty && !state().contains("session_id"))
            await day.stopGateway()
        }
    }

    @Test func publishesStrokesWhileTheDiskStalls() async throws {
        let folder = try TemporaryFolder()
        try await SteppedLoop.run(seed: 1) { machine in
            let day = try SteppedDay(on: machine, seed: 1, folder: folder.path)
            func health() -> String {
                String(
                    decoding: day.broker.retained["rowgate/v1/boathouse/health"] ?? [],
                    as: UTF8.self)
            }
            try await day.startGateway()
            for erg in day.ergs { try erg.switchOn("just-row", seed: 1) }
            await machine.sleep(for: .seconds(60))
            #expect(!health().contains("the disk"))
            day.stallDisk(for: .seconds(10))
            await machine.sleep(for: .seconds(9))
            #expect(health().contains("the disk has not answered for"))
            // The alert and its problem end after the disk has answered for 30 s.
            await machine.sleep(for: .seconds(45))
            #expect(!health().contains("the disk"))
            day.stallDisk(for: .seconds(3600))
            await machine.sleep(for: .seconds(20))
            let before = day.published.strokes
            await machine.sleep(for: .seconds(20))
            #expect(day.published.strokes >= before + 8 * 4)
            #expect(health().contains("the disk does not answer"))
            let stopping = machine.now()
            await day.stopGateway()
            #expect(stopping.duration(to: machine.now()) < .seconds(5))
        }
    }

    /// Expects the retained messages of a healthy gateway without rowers.
    private func expectRetained(_ retained: [String: [UInt8]], of stations: [StationID]) {
        func text(_ topic: String) -> String? {
            retained["rowgate/v1/boathouse/\(topic)"].map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(text("availability") == "online")
        #expect(text("health")?.contains(#""status":"#) == true)
        #expect(text("alerts")?.contains(#""firing":0"#) == true)
        for station in stations {
            #expect(text("erg/\(station)/availability") == "offline")
            #expect(text("erg/\(station)/state")?.contains(#""session_id""#) != true)
            #expect(text("erg/\(station)/marks") != nil)
            // An ended session has no alert.
            #expect(text("erg/\(station)/alerts")?.contains(#""firing":0"#) == true)
        }
    }

    private static func day(hours: Double, seed: UInt64) async throws -> Outcome {
        let folder = try TemporaryFolder()
        return try await SteppedLoop.run(seed: seed) { machine in
            let day = try SteppedDay(on: machine, seed: seed, folder: folder.path)
            try await day.startGateway()
            let before = residentKilobytes()
            try await day.pass(.seconds(hours * 3600))
            var outcome = Outcome()
            outcome.grownKilobytes = residentKilobytes() - before
            outcome.simulated = day.ergs.reduce(0) { $0 + $1.truth.count }
            outcome.published = day.published.strokes
            outcome.messages = day.broker.messages
            outcome.killed = day.faults[.kill, default: 0] + day.faults[.powerCut, default: 0]
            outcome.faults = day.faults.map { "\($0.key) \($0.value)" }.sorted()
            outcome.answers = day.coach.answers.map { "\($0.key) \($0.value)" }.sorted()
            (outcome.stations, outcome.cutSessions) = (day.stations, day.cutSessions)
            outcome.violations = day.published.violations + day.coach.violations
            let insights = day.published.insights
            outcome.violations += insights.violations
            // Each such end can lose one half of a pair at each erg.
            if insights.unpaired.count > day.lossyEnds * day.stations.count {
                outcome.violations.append("unpaired alerts: \(insights.unpaired)")
            }
            outcome.insights = insights.counts
            // Only such an end makes a stream skip numbers.
            for (stream, count) in day.published.skips where count > day.lossyEnds {
                outcome.violations.append("\(stream) skipped numbers \(count) times")
            }
            for (station, erg) in zip(day.stations, day.ergs) {
                outcome.violations += day.published.differences(at: station, from: erg.truth)
            }
            outcome.verdict = day.published.verdict()
            outcome.retained = day.broker.retained
            outcome.digest = day.published.digest
            await day.stopGateway()
            return outcome
        }
    }

    /// Resident memory of this process, from /proc/self/statm.
    private static func residentKilobytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(getpagesize()) / 1024
    }
}
