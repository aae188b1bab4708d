import BlockDevice
import Contract
import Glibc
import LogbookStores

/// How many records a second the logbook's stores take, in groups of several sizes, in one run, and how many bytes
/// SQLite writes to the disk for a byte of a record.
///
///     swift run -c release StoreBenchmark FOLDER CONNECTION...
///
/// FOLDER is where the file of SQLite is made. Bytes are counted if it has a disk of its own. Each CONNECTION is an empty database of PostgreSQL, one for
/// each size of a group. Tests/Benchmarks/stores makes them. Printed, and never asserted.
@main
struct StoreBenchmark {
    /// Records of a commit, and how many records in all. Eight ergs that row send about eight records a second.
    private static let groups: [(size: Int, records: Int)] = [
        (5000, 50_000), (500, 50_000), (8, 16_000), (1, 2000),
    ]

    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 1 + groups.count else {
            print("usage: StoreBenchmark FOLDER CONNECTION CONNECTION CONNECTION CONNECTION")
            exit(2)
        }
        for (index, group) in groups.enumerated() {
            let batches = try batches(of: group.size, 0..<group.records)
            let file = try SQLiteStore("\(arguments[0])/logbook-\(index).db", for: .recording)
            let disk = BlockDeviceCounter(below: arguments[0])
            try measure(file, "SQLite, as published", batches, disk)
            // The dictionaries need more records than the smallest group has.
            let others = group.records..<max(2 * group.records, group.records + 20_000)
            for batch in try Self.batches(of: 5000, others) { _ = try file.commit(batch) }
            try file.compressAll()
            let next = others.upperBound..<others.upperBound + group.records
            try measure(file, "SQLite, compressed", Self.batches(of: group.size, next), disk)
            file.close()
            let server = try PostgreSQLStore(PostgreSQLAddress(arguments[1 + index]), for: .recording)
            try measure(server, "PostgreSQL", batches)
            server.close()
        }
    }

    private static func measure(
        _ store: SQLStore, _ name: String, _ batches: [StoreBatch], _ disk: BlockDeviceCounter? = nil
    ) throws {
        let clock = ContinuousClock()
        var added = 0
        let before = disk?.written()
        let time = try clock.measure {
            for batch in batches { added += try store.commit(batch).added }
        }
        let payload = batches.flatMap(\.records).reduce(0) { $0 + $1.stored.count }
        let written = disk.map { Double($0.written() - (before ?? 0)) / Double(payload) }
        let perSecond = Double(added) / (time / .seconds(1))
        let bytes = written.map { ", \(Double(Int($0 * 100)) / 100) bytes written for a byte" } ?? ""
        print("\(name), groups of \(batches[0].records.count): \(Int(perSecond)) records/s\(bytes)")
    }

    /// Strokes of eight ergs and their force curves, by turns.
    private static func batches(of size: Int, _ numbers: Range<Int>) throws -> [StoreBatch] {
        let records = try numbers.map { try record($0) }
        return stride(from: 0, to: records.count, by: size).map {
            StoreBatch(records: Array(records[$0..<min($0 + size, records.count)]), now: now)
        }
    }

    private static let now: Int64 = 1_788_700_000_000

    /// A number that differs from stroke to stroke.
    private static func value(_ number: Int, _ mean: Int) -> Int {
        mean + number &* 2_654_435_761 % 1009 % (mean / 4)
    }

    private static func curve(_ number: Int) -> String {
        (0..<40).map { "\(value(number + $0, 100 + $0 * 7)).5" }.joined(separator: ",")
    }

    private static func record(_ number: Int) throws -> ValidatedRecord {
        let (erg, isForce, sequence) = (number / 2 % 8 + 1, number % 2 == 1, number / 16 + 1)
        let head =
            #"{"v":1,"kind":"\#(isForce ? "force" : "stroke")","gw":"boathouse","erg":"erg-\#(erg)","#
            + #""session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1D\#(erg)","epoch":"01J0EP0CH000000000000000AA","#
            + #""seq":\#(sequence),"ts_ms":\#(1_788_627_000_000 + Int64(sequence) * 2500),"#
            + #""time":"2026-09-05T17:04:59.120Z","clock":"synced","stroke":\#(sequence),"#
        let stroke =
            #""elapsed_s":\#(sequence * 2).50,"distance_m":\#(sequence * 9).2,"stroke_rate_spm":24,"#
            + #""power_w":\#(value(number, 182)),"pace_s_per_500m":124.30,"heart_rate_bpm":148,"#
            + #""drive_length_m":1.\#(value(number, 50)),"drive_time_s":0.\#(value(number, 60)),"#
            + #""recovery_time_s":1.\#(value(number, 70)),"stroke_distance_m":9.8,"#
            + #""peak_force_n":\#(value(number, 612)).4,"avg_force_n":\#(value(number, 340)).1,"#
            + #""work_j":\#(value(number, 481)).2,"calories_kcal":3"#
        let force = #""points":40,"complete":true,"peak_force_n":373.5,"force_n":[\#(curve(number))]"#
        guard let gateway = GatewayID("boathouse") else { preconditionFailure("it is a name") }
        return try ValidatedRecord(
            Array((head + (isForce ? force : stroke) + #","historical":false}"#).utf8),
            of: StreamID(station: StationID("erg-\(erg)"), kind: isForce ? .force : .stroke),
            from: gateway)
    }
}
