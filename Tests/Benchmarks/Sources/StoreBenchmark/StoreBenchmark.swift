import Contract
import Glibc
import LogbookStores

/// How many records a second the logbook's stores take, in groups of several sizes, in one run.
///
///     swift run -c release StoreBenchmark FOLDER CONNECTION...
///
/// FOLDER is where the file of SQLite is made; each CONNECTION is an empty database of PostgreSQL, one for
/// each size of a group. Tests/Benchmarks/stores makes them. Printed, and never asserted.
@main
struct StoreBenchmark {
    /// Records of a commit, and how many records in all.
    private static let groups: [(size: Int, records: Int)] = [
        (5000, 50_000), (500, 50_000), (1, 2000),
    ]

    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 1 + groups.count else {
            print("usage: StoreBenchmark FOLDER CONNECTION CONNECTION CONNECTION")
            exit(2)
        }
        for (index, group) in groups.enumerated() {
            let batches = try batches(of: group.size, group.records)
            try measure(
                SQLiteStore("\(arguments[0])/logbook-\(index).db", for: .recording), "SQLite", batches
            )
            try measure(
                PostgreSQLStore(PostgreSQLAddress(arguments[1 + index]), for: .recording),
                "PostgreSQL", batches)
        }
    }

    private static func measure(
        _ store: SQLStore, _ name: String, _ batches: [StoreBatch]
    ) throws {
        let clock = ContinuousClock()
        var added = 0
        let time = try clock.measure {
            for batch in batches { added += try store.commit(batch).added }
        }
        store.close()
        let perSecond = Double(added) / (time / .seconds(1))
        print("\(name), groups of \(batches[0].records.count): \(Int(perSecond)) records/s")
    }

    /// Strokes of eight ergs and their force curves, by turns.
    private static func batches(of size: Int, _ count: Int) throws -> [StoreBatch] {
        let records = try (0..<count).map { try record($0) }
        return stride(from: 0, to: count, by: size).map {
            StoreBatch(records: Array(records[$0..<min($0 + size, count)]), now: now)
        }
    }

    private static let now: Int64 = 1_788_700_000_000
    private static let curve = (0..<40).map { "\(100 + $0 * 7).5" }.joined(separator: ",")

    private static func record(_ number: Int) throws -> ValidatedRecord {
        let (erg, isForce, sequence) = (number / 2 % 8 + 1, number % 2 == 1, number / 16 + 1)
        let head =
            #"{"v":1,"kind":"\#(isForce ? "force" : "stroke")","gw":"boathouse","erg":"erg-\#(erg)","#
            + #""session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1D\#(erg)","epoch":"01J0EP0CH000000000000000AA","#
            + #""seq":\#(sequence),"ts_ms":\#(1_788_627_000_000 + Int64(sequence) * 2500),"#
            + #""time":"2026-09-05T17:04:59.120Z","clock":"synced","stroke":\#(sequence),"#
        let stroke =
            #""elapsed_s":12.50,"distance_m":48.2,"stroke_rate_spm":24,"power_w":182,"#
            + #""pace_s_per_500m":124.30,"heart_rate_bpm":148,"drive_length_m":1.42,"#
            + #""drive_time_s":0.81,"recovery_time_s":1.62,"stroke_distance_m":9.8,"#
            + #""peak_force_n":612.4,"avg_force_n":340.1,"work_j":481.2,"calories_kcal":3"#
        let force = #""points":40,"complete":true,"peak_force_n":373.5,"force_n":[\#(curve)]"#
        guard let gateway = GatewayID("boathouse") else { preconditionFailure("it is a name") }
        return try ValidatedRecord(
            Array((head + (isForce ? force : stroke) + #","historical":false}"#).utf8),
            of: StreamID(station: StationID("erg-\(erg)"), kind: isForce ? .force : .stroke),
            from: gateway)
    }
}
