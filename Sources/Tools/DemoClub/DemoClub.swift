import Bytes
import Contract
import PM5Codec
import PM5Simulator
import Rowing
import Timeline

/// The club of the demo: eight athletes with twelve weeks of history before a given time, a training plan and
/// a finished race. The same time and seed give the same bytes.
///
/// The athletes are the rowers whom `pm5sim --seed` simulates, so the history fits the live room.
package struct DemoClub {
    /// The gateway of the demo.
    package static let gateway = "boathouse"
    /// The group for which the plan is.
    package static let planGroup = "Seniors"
    /// Weeks of the plan before and after the current week.
    private static let planWeeks: (before: Int64, after: Int64) = (3, 3)
    /// Weekdays with a workout of the plan: Tuesday, Thursday, Saturday.
    private static let planWeekdays: Set<Int64> = [1, 3, 5]

    private let now: Int64
    private let calendar: ClubCalendar
    private let seed: UInt64
    private let schedule: DemoSchedule

    /// - Parameters:
    ///   - now: Unix milliseconds; the history ends on the day before.
    ///   - calendar: of the club.
    ///   - seed: of the simulated room.
    package init(now: Int64, in calendar: ClubCalendar, seed: UInt64) {
        (self.now, self.calendar, self.seed) = (now, calendar, seed)
        schedule = DemoSchedule(now: now, in: calendar, seed: seed)
    }

    // MARK: - Records

    /// Passes the records of the sessions, a line each, to `write`, one session at a time in the order of
    /// their times.
    ///
    /// - Parameter first: the first day; nil for all sessions.
    package func writeRecords(from first: CalendarDay? = nil, _ write: ([UInt8]) throws -> Void) rethrows {
        var lines = makeLines()
        for session in schedule.sessions()
        where first.map({ calendar.day(of: session.startedAt) >= $0 }) ?? true {
            var output: [UInt8] = []
            _ = append(session, to: &lines, &output)
            try write(output)
        }
    }

    private func makeLines() -> RecordLines {
        guard let gateway = GatewayID(Self.gateway) else { preconditionFailure("the name is a slug") }
        let begin = calendar.start(of: schedule.firstDay)
        return RecordLines(gateway: gateway, epoch: identifier(at: begin, 0))
    }

    /// Appends a session and returns its last summary.
    private func append(
        _ session: DemoSession, to lines: inout RecordLines, _ output: inout [UInt8]
    ) -> [UInt8]? {
        let erg = session.athlete.erg
        guard let station = StationID("erg-\(erg)"),
            let workout = try? WorkoutScript(parsing: session.training.workout)
        else { preconditionFailure("the schedule has valid ergs and workouts") }
        let monitor = SimulatedIdentity(serial: "\(430_000_000 + erg)", generation: .new)
        let id = SessionID(identifier(at: session.startedAt, erg))
        let piece = SimulatedPiece(
            workout, rower: rower(in: session), on: monitor,
            seed: UInt64(session.startedAt) &+ UInt64(erg), session: id,
            minutes: Int(calendar.local(session.startedAt) / 60_000), hasForceCurves: session.isRecent,
            isDetailed: false)
        let clock = WallClock(
            bootID: "demo", unixMillisecondsAtBoot: session.startedAt - Int64(SimulatedPiece.begin),
            isSynchronized: true)
        return lines.append(
            piece, of: id, on: station,
            RecordContext(athlete: session.athlete.id, monitorSerial: monitor.serial, clock: clock),
            to: &output)
    }

    /// The rower of the live room, with the speed and the rate of a session.
    private func rower(in session: DemoSession) -> RowerProfile {
        var rower = profile(of: session.athlete)
        rower.maximumEffortWatts = power2k(of: session.athlete) * 1.05
        rower.cruisingSpeed *= session.speed
        rower.strokesPerMinute = session.training.strokesPerMinute
        // Somebody who trains regularly does not lose a tenth of the speed in an hour.
        rower.fadePerHour = min(max(rower.fadePerHour, -0.01), 0.04)
        return rower
    }

    private func profile(of athlete: DemoAthlete) -> RowerProfile {
        RowerProfile(ofErg: athlete.erg, in: seed)
    }

    /// Watts at today's speed over 2000 m.
    private func power2k(of athlete: DemoAthlete) -> Double {
        let speed = profile(of: athlete).cruisingSpeed
        return 2.8 * speed * speed * speed
    }

    /// A ULID whose random part depends on the time, the erg and the seed.
    private func identifier(at unixMilliseconds: Int64, _ erg: Int) -> String {
        var generator = SeededGenerator(seed: seed &+ UInt64(unixMilliseconds) &* 31 &+ UInt64(erg))
        let time = UInt64(unixMilliseconds)
        var bytes = (0..<6).map { UInt8(truncatingIfNeeded: time >> (40 - 8 * UInt64($0))) }
        for _ in 0..<10 { bytes.append(UInt8(generator.integer(0...255))) }
        guard let id = ULID(bytes: bytes) else { preconditionFailure("it has 16 bytes") }
        return id.description
    }

    // MARK: - Tables

    /// The athletes as a table for `rowgate-logbook athlete import`.
    package func athleteTable() -> String {
        let year = calendar.day(of: now).year
        let lines = DemoAthlete.all.map { athlete in
            let fields = [
                athlete.id, athlete.name, athlete.shortName, athlete.gender, "\(Int(year) - athlete.age)",
                athlete.weightClass, "\(Int(power2k(of: athlete).rounded()))",
                athlete.groups.joined(separator: "; "),
            ]
            return fields.joined(separator: ",") + "\n"
        }
        return "athlete_id,name,short_name,gender,birth_year,weight_class,power_2k_w,groups\n"
            + lines.joined()
    }

    /// The ids of the athletes in the group of the plan.
    package var planAthletes: [String] {
        DemoAthlete.all.filter { $0.groups.contains(Self.planGroup) }.map(\.id)
    }

    /// The training plan as a table for `rowgate-logbook plan import`.
    package func planTable() -> String {
        let monday = schedule.today.monday
        let days =
            monday.advanced(
                by: -7 * Self.planWeeks.before)..<monday.advanced(by: 7 * (Self.planWeeks.after + 1))
        let lines = days.compactMap { day -> String? in
            guard Self.planWeekdays.contains(day.weekday), let training = schedule.training(on: day) else {
                return nil
            }
            return "\(day.text),\(training.plannedWorkout),\(training.name)\n"
        }
        return "day,workout,name\n" + lines.joined()
    }

    // MARK: - Race

    /// The last test of the club as the file `races` of a logbook, which contains one finished race.
    package func raceFile() -> [UInt8] {
        var lines = makeLines()
        let begin = calendar.start(of: schedule.raceDay)
        let racers = schedule.sessions().filter { calendar.day(of: $0.startedAt) == schedule.raceDay }
        let results = racers.compactMap { session -> RaceLine? in
            var output: [UInt8] = []
            guard let summary = append(session, to: &lines, &output),
                let fields = try? JSONObject(parsing: summary)
            else { return nil }
            return RaceLine(session: session, summary: fields)
        }
        return JSONWriter.object { json in
            json.list("races", of: results.isEmpty ? [] : [results]) { json, results in
                write(results, id: identifier(at: begin, 0), to: &json)
            }
        }
    }

    private struct RaceLine {
        let session: DemoSession
        let summary: JSONObject

        var seconds: Double { summary.decimal("result_time_s") ?? 0 }
    }

    private func write(_ lines: [RaceLine], id: String, to json: inout JSONWriter) {
        let starts = lines.compactMap { $0.summary.number("started_ms") }
        let signal = (starts.min() ?? 0) - 200
        json.field("race_id", id)
        json.field("name", "Club test")
        json.field("by", "coach")
        json.field("distance_m", 2000)
        json.field("lanes_fixed", false)
        json.field("phase", "over")
        json.field("made_ms", signal - 300_000)
        json.field("called_ms", signal - 10_000)
        json.field("signal_ms", signal)
        json.field("ended_ms", lines.compactMap { $0.summary.number("ended_ms") }.max())
        json.list("lanes", of: lines) { json, line in
            json.field("gw", Self.gateway)
            json.field("erg", "erg-\(line.session.athlete.erg)")
            json.field("standing", "finished")
            json.field("athlete_id", line.session.athlete.id)
            json.field("athlete_name", line.session.athlete.name)
            json.field("session_id", line.summary.text("session_id"))
            let start = Int64(line.summary.number("started_ms") ?? signal) - Int64(signal)
            json.field("start_s", start, places: 3)
            json.field("false_starts", 0)
            json.object("result") { write(line.summary, to: &$0) }
        }
    }

    /// Writes the result with the field names of a summary.
    private func write(_ summary: JSONObject, to json: inout JSONWriter) {
        json.field("session_id", summary.text("session_id"))
        json.field("revision", summary.number("revision"))
        json.field("complete", summary["complete"] == .flag(true))
        json.field("result_time_s", hundredths("result_time_s", of: summary), places: 2)
        json.field("distance_m", hundredths("distance_m", of: summary).map { $0 / 10 }, places: 1)
        json.field("avg_pace_s_per_500m", hundredths("avg_pace_s_per_500m", of: summary), places: 2)
        json.field("avg_power_w", summary.number("avg_power_w"))
        json.field("avg_stroke_rate_spm", summary.number("avg_stroke_rate_spm"))
        json.field("verified_against_pm5", summary["verified_against_pm5"] == .flag(true))
    }

    private func hundredths(_ name: String, of summary: JSONObject) -> Int64? {
        summary.decimal(name).map { Int64(($0 * 100).rounded()) }
    }
}
