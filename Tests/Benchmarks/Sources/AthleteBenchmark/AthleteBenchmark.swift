import Bests
import Bytes
import Contract
import Glibc
import Training

/// What figures of athletes cost: a season of 64 of them from its records, and one session more.
///
///     Tests/Benchmarks/athletes [SESSIONS]
///
/// Records lie in memory, which excludes the cost of the store. The figures are processor time, which other
/// processes affect less. Printed, and never asserted.
@main
struct AthleteBenchmark {
    private static let athletes = 64
    private static let strokes = 240
    /// As many as are read of a session.
    private static let curves = 64

    static func main() throws {
        let sessions = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100
        // Texts are made before: their making is no cost of ours.
        let texts = (0..<kinds).map { session($0) }
        var (all, bytes) = ([[PieceTraining]](), 0)
        let reading = try measure {
            for athlete in 0..<athletes {
                all.append(
                    try (0..<sessions).map { try piece(athlete * sessions + $0, texts) })
            }
        }
        let writing = measure { for pieces in all { bytes += writeMetrics(pieces) } }
        printLine("\(athletes) athletes, \(sessions) sessions of \(strokes) strokes each", nil)
        printLine("reading all records, figures of each session", reading)
        printLine("all figures of all athletes, \(bytes / athletes) bytes each", writing)
        printLine("together", reading + writing)
        let records = measure {
            var bests: [String: AthleteBests] = [:]
            for (athlete, pieces) in all.enumerated() {
                bests["a-\(athlete)"] = AthleteBests(pieces.map(\.metrics))
            }
            bytes += JSONWriter.object(ClubRecords(bests).write).count
        }
        printLine("the record list of the club", records)
        var own = all[0]
        let one = try measure {
            own.append(try piece(athletes * sessions, texts))
            bytes += writeMetrics(own)
        }
        printLine("one session more, and all figures of its athlete", one)
    }

    private static func measure(_ work: () throws -> Void) rethrows -> Duration {
        func now() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        let begin = now()
        try work()
        return now() - begin
    }

    private static func printLine(_ words: String, _ time: Duration?) {
        guard let time else { return print(words) }
        print("\(words): \(time.formattedMilliseconds) ms")
    }

    /// Writes the metrics that the pages and the best watcher need.
    private static func writeMetrics(_ pieces: [PieceTraining]) -> Int {
        JSONWriter.object { json in
            AthleteBests(pieces.map(\.metrics)).write(into: &json)
            json.list("volumes", of: TrainingVolume.all(of: pieces.map(\.metrics), by: .week)) {
                $1.write(into: &$0)
            }
            let heart = HeartLimits(resting: 48, maximal: 192, givenAt: begin)
            AthleteTraining(pieces, by: .week, heart: heart).write(into: &json)
            for length in [TrainingSpan.Length.week, .season] {
                json.list("spans", of: SpanTraining.all(of: pieces, by: length)) {
                    $1.write(into: &$0)
                }
            }
            json.list("new", of: NewBest.all(in: pieces.map(\.metrics))) { $1.write(into: &$0) }
        }.count
    }

    // MARK: Records

    private static let begin: Int64 = 1_795_370_400_000

    /// Kinds of sessions, which are rowed in turns.
    private static let kinds = 57

    private static func piece(
        _ number: Int, _ texts: [[StreamKind: [[UInt8]]]]
    ) throws -> PieceTraining {
        guard let gateway = GatewayID("boathouse") else { preconditionFailure("it is a name") }
        let id = "01J7ZK3Q5XQ4W8G9" + String(1_000_000_000 + number)
        let name = PieceName(gateway: gateway, session: id)
        let records = texts[number % kinds]
        guard var piece = RecordedPiece(records, of: name, startedAt: begin) else {
            preconditionFailure("it is a session")
        }
        piece.isVerified = true
        piece.startedAt = begin - Int64(number % 200) * 43_200_000
        let shapes = try (records[.force] ?? []).compactMap { record in
            try JSONObject(parsing: record).flatMap { ForceShape($0) }
        }
        return PieceTraining(piece, shapes, in: .utc)
    }

    private static func session(_ number: Int) -> [StreamKind: [[UInt8]]] {
        let pace = 110 + Double(number % 19)
        let metres = [2000.0, 5000, 6000][number % 3]
        let seconds = metres / 500 * pace
        var records: [StreamKind: [[UInt8]]] = [:]
        records[.stroke] = (1...strokes).map { stroke(number, $0, metres, pace, begin) }
        records[.force] = (0..<curves).map { force($0) }
        records[.summary] = [
            Array(
                (#"{"started_ms":\#(begin),"session_type":"distance","target_distance_m":\#(metres),"#
                    + #""complete":true,"verified_against_pm5":true,"strokes":\#(strokes),"#
                    + #""result_time_s":\#(seconds),"distance_m":\#(metres)}"#).utf8)
        ]
        return records
    }

    private static func stroke(
        _ number: Int, _ stroke: Int, _ metres: Double, _ pace: Double, _ start: Int64
    ) -> [UInt8] {
        let part = Double(stroke) / Double(strokes)
        let seconds = metres / 500 * pace * part
        let watts = 180 + (number + stroke * 13) % 40
        return Array(
            (#"{"v":1,"kind":"stroke","gw":"boathouse","erg":"erg-1","session_id":"01J7ZK3Q5XQ4W8G9","#
                + #""epoch":"01J0EP0CH000000000000000AA","seq":\#(stroke),"ts_ms":"#
                + #"\#(start + Int64(seconds * 1000)),"time":"2026-09-05T17:04:59.120Z","#
                + #""clock":"synced","stroke":\#(stroke),"elapsed_s":\#(seconds),"#
                + #""distance_m":\#(metres * part),"stroke_rate_spm":24,"power_w":\#(watts),"#
                + #""pace_s_per_500m":124.30,"heart_rate_bpm":148,"drive_length_m":1.42,"#
                + #""drive_time_s":0.81,"recovery_time_s":1.62,"stroke_distance_m":9.8,"#
                + #""peak_force_n":612.4,"avg_force_n":340.1,"work_j":481.2,"calories_kcal":3}"#)
                .utf8)
    }

    private static func force(_ number: Int) -> [UInt8] {
        let points = (0..<40).map { "\(min($0, 39 - $0) * (20 + number % 7)).5" }
        return Array(
            (#"{"v":1,"kind":"force","points":40,"complete":true,"force_n":["#
                + points.joined(separator: ",") + "]}").utf8)
    }
}

extension Duration {
    fileprivate var formattedMilliseconds: String {
        let tenths = Int64((self / .milliseconds(1) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
