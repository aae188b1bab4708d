import PM5Simulator
import Timeline

/// A session of the demo's season.
struct DemoSession {
    let athlete: DemoAthlete
    let training: DemoTraining
    /// Unix milliseconds.
    let startedAt: Int64
    /// Speed as a share of the athlete's speed over 2000 m today.
    let speed: Double
    let isRecent: Bool
}

/// A kind of training, with its intensity.
struct DemoTraining: Equatable {
    /// In the notation of the simulator, with splits.
    let workout: String
    /// Speed as a share of the speed over 2000 m.
    let effort: Double
    let strokesPerMinute: Double
    /// In a plan.
    let name: String

    /// The workout as plans and coaches write it, with the splits that the monitor chooses.
    var plannedWorkout: String {
        workout.contains("r") ? workout : String(workout.prefix { $0 != "/" })
    }

    static let steady = DemoTraining(
        workout: "30:00/6:00", effort: 0.87, strokesPerMinute: 19, name: "Steady")
    static let shortSteady = DemoTraining(
        workout: "20:00/4:00", effort: 0.89, strokesPerMinute: 20, name: "Steady")
    static let long = DemoTraining(
        workout: "8000m/1600m", effort: 0.9, strokesPerMinute: 20, name: "Long")
    static let intervals = [
        DemoTraining(workout: "6x500m/2:00r", effort: 1.03, strokesPerMinute: 29, name: "Intervals"),
        DemoTraining(workout: "3x1000m/3:00r", effort: 0.99, strokesPerMinute: 27, name: "Intervals"),
        DemoTraining(workout: "4x4:00/2:00r", effort: 0.97, strokesPerMinute: 26, name: "Intervals"),
    ]
    static let distances = [
        DemoTraining(workout: "5000m/1000m", effort: 0.955, strokesPerMinute: 25, name: "Distance"),
        DemoTraining(workout: "4000m/800m", effort: 0.965, strokesPerMinute: 25, name: "Distance"),
    ]
    static let sprints = DemoTraining(
        workout: "4x500m/1:00r", effort: 1.04, strokesPerMinute: 30, name: "Sprints")
    static let test = DemoTraining(
        workout: "2000m/500m", effort: 1, strokesPerMinute: 30, name: "Test")
}

/// The calendar of the demo's club relative to a day: who trains when, and what.
struct DemoSchedule {
    /// Weeks of history.
    static let weeks = 12
    /// A test over 2000 m takes place every fourth Saturday; the last one is a race of the club.
    private static let testWeeks: Int64 = 4
    /// Force curves are recorded for sessions of the last days.
    private static let recentDays: Int64 = 7

    let today: CalendarDay
    private let calendar: ClubCalendar
    private let seed: UInt64

    init(now: Int64, in calendar: ClubCalendar, seed: UInt64) {
        (self.calendar, self.seed) = (calendar, seed)
        today = calendar.day(of: now)
    }

    /// The last Saturday before today.
    var raceDay: CalendarDay {
        let yesterday = today.advanced(by: -1)
        return yesterday.advanced(by: -((yesterday.weekday + 2) % 7))
    }

    /// The first day of the season, a Monday.
    var firstDay: CalendarDay { today.monday.advanced(by: Int64(-7 * Self.weeks)) }

    /// The club's training on a day; nil for a day of rest.
    func training(on day: CalendarDay) -> DemoTraining? {
        let week = Int(firstDay.distance(to: day.monday) / 7)
        return switch day.weekday {
        case 0: .steady
        case 1: DemoTraining.intervals[week % DemoTraining.intervals.count]
        case 2: .shortSteady
        case 3: DemoTraining.distances[week % DemoTraining.distances.count]
        case 5: isTestDay(day) ? .test : .sprints
        case 6: .long
        default: nil
        }
    }

    private func isTestDay(_ day: CalendarDay) -> Bool {
        day.distance(to: raceDay) % (7 * Self.testWeeks) == 0
    }

    /// All sessions before today, in the order of their times.
    func sessions() -> [DemoSession] {
        DemoAthlete.all.flatMap { sessions(of: $0) }
            .sorted { ($0.startedAt, $0.athlete.erg) < ($1.startedAt, $1.athlete.erg) }
    }

    private func sessions(of athlete: DemoAthlete) -> [DemoSession] {
        // Values for every day, so that a session does not depend on the sessions before it.
        (firstDay..<today).compactMap { day in
            var generator = SeededGenerator(
                seed: seed &+ UInt64(bitPattern: day.number) &* 0x1_0001 &+ UInt64(athlete.erg) << 40)
            let (chance, form, delay) = (
                generator.uniform(0...1), generator.noise(), generator.integer(0...240)
            )
            let isLast = day.distance(to: today) == Int64(athlete.absence)
            guard let training = isLast ? training(on: day) ?? .shortSteady : training(on: day),
                isLast || isPresent(athlete, on: day, chance)
            else { return nil }
            let length = Double(firstDay.distance(to: today))
            let missing = 1 - Double(firstDay.distance(to: day)) / length
            return DemoSession(
                athlete: athlete, training: training,
                startedAt: start(of: training, on: day, seconds: delay),
                speed: training.effort * (1 - athlete.gain * missing) * (1 + 0.012 * form),
                isRecent: day.distance(to: today) <= Self.recentDays)
        }
    }

    private func isPresent(_ athlete: DemoAthlete, on day: CalendarDay, _ chance: Double) -> Bool {
        guard day.distance(to: today) > Int64(athlete.absence),
            firstDay.distance(to: day) >= Int64(7 * athlete.firstWeek)
        else { return false }
        // Nobody misses a test.
        return isTestDay(day)
            || athlete.weekdays.contains(Int(day.weekday)) && chance < athlete.attendance
    }

    /// Saturdays and Sundays at 9:30, other days at 18:15. In a race all start within two seconds.
    private func start(of training: DemoTraining, on day: CalendarDay, seconds: Int) -> Int64 {
        let minutes: Int64 = day.weekday < 5 ? 18 * 60 + 15 : 9 * 60 + 30
        let delay = day == raceDay ? Int64(seconds) * 8 : Int64(seconds) * 1000
        return calendar.instant(ofLocal: day.number * CivilTime.dayMilliseconds + minutes * 60_000)
            + delay
    }
}
