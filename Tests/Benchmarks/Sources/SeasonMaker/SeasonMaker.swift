import DemoClub
import Glibc
import LogbookStores
import PM5Simulator
import Rowing

/// Fills a store with seasons of 64 ergs, up to a number of strokes: the newest season first, then earlier ones.
///
///     swift run -c release SeasonMaker STORE STROKES SEED
///
/// A call with the same seed and more strokes continues, also after a kill.
///
/// STORE is a file of SQLite that is made, or an empty database of PostgreSQL in libpq's words. Simulated
/// rowers row each workout once with each of their profiles, in fast motion; the season's sessions are
/// these, at other times, by other people and on other ergs. Tests/Benchmarks/logbook calls it.
@main
struct SeasonMaker {
    private static let workouts = [
        "2000m", "500m", "5000m", "30:00/5:00", "4x500m/1:00r", "8x250m/0:30r", "10000m", "100cal",
    ]
    private static let profiles = 8
    private static let day: Int64 = 86_400_000
    /// The first day of the newest season at six in the morning: 2025-12-01. Two outings on every third day.
    private static let begin: Int64 = 1_764_568_800_000
    private static let outings: [Int64] = [0, 11 * 3_600_000]
    private static let daysPerSeason = 120

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 3, let place = arguments.first,
            let strokes = Int(arguments[2]), let seed = UInt64(arguments[3])
        else {
            print("usage: SeasonMaker STORE STROKES SEED")
            exit(2)
        }
        let clock = ContinuousClock()
        let begun = clock.now
        let monitor = SimulatedIdentity(serial: "430000001", generation: .new)
        let templates = try workouts.map { workout in
            let script = try WorkoutScript(parsing: workout)
            // Each session of the season gets its own name.
            return (0..<profiles).map {
                SimulatedPiece(
                    script, on: monitor, seed: seed &* 1000 &+ UInt64($0), session: SessionID(""),
                    minutes: 29_700_000)
            }
        }
        let template = clock.now
        let (days, writer) = try append(store(place), strokes, seed, with: templates)
        let seconds = (clock.now - template) / .seconds(1)
        print(
            "\(templates.count * profiles) pieces rowed in \(Int((template - begun) / .milliseconds(1))) ms; "
                + "\(days) days, \(writer.sessions) sessions, \(writer.strokes) strokes, "
                + "\(writer.records) records of \(writer.bodies) bytes in \(Int(seconds)) s")
    }

    private static func store(_ place: String) throws -> any LogbookStore {
        guard place.contains("=") else { return try SQLiteStore(place, for: .recording) }
        return try PostgreSQLStore(PostgreSQLAddress(place), for: .recording)
    }

    private static func append(
        _ store: any LogbookStore, _ strokes: Int, _ seed: UInt64, with templates: [[SimulatedPiece]]
    ) throws -> (days: Int, SeasonWriter) {
        defer { store.close() }
        var writer = try SeasonWriter(store, seed: seed)
        var days = 0
        while writer.strokes < strokes {
            let (season, day) = days.quotientAndRemainder(dividingBy: daysPerSeason)
            let morning = begin + (Int64(day) * 3 - Int64(season) * 365) * Self.day
            for outing in outings where writer.strokes < strokes {
                try writer.row(templates, at: morning + outing)
            }
            // A logbook does this every hour.
            try store.compressAll()
            days += 1
        }
        return (days, writer)
    }
}
