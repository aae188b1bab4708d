import LogbookStores
import People
import TestSupport
import Testing
import Training

@testable import Contract
@testable import Logbook
@testable import WebServer

/// The endpoints for group pieces, on a SQLite file.
@Suite struct PieceInterfaceTests {
    private let fixture: InterfaceFixture
    private let room: PieceRoom

    init() throws {
        fixture = try InterfaceFixture()
        room = try PieceRoom(in: fixture)
    }

    @Test func listsPiecesWithTheirSessions() async throws {
        let list = try await fixture.object("/pieces")
        #expect(PieceRoom.texts(list["pieces"]) == PieceRoom.all)
        #expect(list["next"] == nil)
        let pieces = try #require(list["pieces"] as? [[String: Any]])
        let workouts = pieces.map { ($0["workout"] as? [String: Any])?["notation"] as? String }
        #expect(workouts == ["4x500m/1:00r", "100m", "100m", nil])
        #expect(pieces.map { $0["session_count"] as? Int } == [3, 1, 2, 1])
        #expect(pieces[0]["started_ms"] as? Int == Int(PieceRoom.evening))
    }

    @Test func listsThePiecesOfAnAthleteInTheOrderOfSeveralRooms() async throws {
        for (number, minutes, gateway) in [(7, 30, "annex"), (8, 90, "boathouse"), (9, 150, "cellar")] {
            let begin = PieceRoom.evening + Int64(minutes) * 60_000
            var traffic = Traffic()
            traffic.setClock(to: begin)
            let piece = traffic.piece(
                PieceRoom.id(number), at: begin, 100, by: "anna", seconds: 20, of: StationID("erg-7")!)
            try fixture.save(
                piece.map { message in
                    var moved = message.replacing("boathouse", gateway)
                    moved.topic = message.topic.replacing("boathouse", with: gateway)
                    return moved
                })
        }
        let first = try await fixture.object("/pieces?athlete_id=anna&limit=2")
        let next = try #require(first["next"] as? String)
        let rest = try await fixture.object("/pieces?athlete_id=anna&cursor=\(next)")
        let pieces = [first, rest].flatMap { $0["pieces"] as? [[String: Any]] ?? [] }
        let gateways = pieces.map { $0["gw"] as? String }
        #expect(gateways == ["cellar", "boathouse", "annex", "boathouse", "boathouse"])
    }

    @Test func listIsCompleteForEveryPageSize() async throws {
        for limit in [1, 2, 3, 1000] {
            let pieces = try await fixture.list("/pieces", "pieces", limit: limit)
            #expect(PieceRoom.texts(pieces) == PieceRoom.all, "\(limit)")
        }
    }

    /// Stores the metrics of all sessions, as the logbook does in the background.
    private func storeMetrics() throws {
        let history = AthleteHistory(in: .utc)
        for session in try fixture.store.everySession(SessionFilter(limit: 99)) {
            try fixture.store.sessionMetrics.save(
                try history.metrics(of: session, in: fixture.store), of: session,
                version: PieceTraining.version)
        }
    }

    @Test(arguments: [false, true]) func filtersByDateGroupAndWorkout(areMetricsStored: Bool) async throws {
        if areMetricsStored { try storeMetrics() }
        let group = #"{"name": "Juniors", "add": ["ben"]}"#
        #expect(await fixture.refusal("/groups/juniors", as: .coach, .post, body: group) == nil)
        for (query, expected) in [
            ("from=2026-09-06", ["zoe ben cleo"]), ("to=2026-09-05", ["dora", "anna ben", "anna"]),
            ("workout=100m", ["dora", "anna ben"]), ("workout=4x500m/1:00r", ["zoe ben cleo"]),
            ("workout=2000m", []), ("group=juniors", ["ben", "ben"]),
            ("group=juniors&workout=100m&from=2026-09-05&to=2026-09-05", ["ben"]),
            ("athlete_id=anna", ["anna", "anna"]), ("erg=erg-2", ["ben", "ben"]), ("gw=shed", []),
            ("state=verified", []), ("unassigned=true", []),
        ] {
            let found = try await fixture.object("/pieces?\(query)")
            #expect(PieceRoom.texts(found["pieces"]) == expected, "\(query)")
        }
        for workout in [
            "", "9", "-1.5", "8x", "500", "ax500m", "500m/1:00", "500m+", "1:0", "<script>", "100x500m",
        ] {
            let refusal = await fixture.refusal("/pieces?workout=\(workout)")
            #expect(refusal?.status == "400 bad_parameter", "\(workout)")
        }
        for workout in [
            "intervals", "*x500m", "100 cal", "60 watt-minutes", "1:30:00", "1000m+2:00", "4x5:00/1:30r",
        ] {
            #expect(await fixture.refusal("/pieces?workout=\(workout)") == nil, "\(workout)")
        }
        #expect(await fixture.refusal("/pieces?group=seniors")?.status == "404 unknown_group")
        #expect(await fixture.refusal("/pieces?group=No")?.status == "400 bad_parameter")
        #expect(await fixture.refusal("/pieces?limit=0")?.status == "400 bad_parameter")
    }

    @Test func eachSessionFindsItsPiece() async throws {
        for number in 4...6 {
            let found = try await fixture.object("/pieces/boathouse/\(PieceRoom.id(number))")
            let piece = try #require(found["piece"] as? [String: Any])
            #expect(piece["session_id"] as? String == PieceRoom.id(4))
            #expect(PieceRoom.texts([piece]) == ["zoe ben cleo"])
        }
        let unknown = await fixture.refusal("/pieces/boathouse/\(PieceRoom.id(9))")
        #expect(unknown?.status == "404 unknown_session")
    }

    @Test func resultHasRowForEachAthleteAndColumnForEachRepeat() async throws {
        let found = try await fixture.object("/pieces/boathouse/\(PieceRoom.id(5))")
        #expect((found["columns"] as? [[String: Int]]) == Array(repeating: ["distance_m": 500], count: 4))
        let rows = try #require(found["rows"] as? [[String: Any]])
        #expect(rows.map { $0["athlete_id"] as? String } == ["ben", "zoe", "cleo"])
        #expect(rows.map { $0["complete"] as? Bool } == [true, true, false])
        let repeats = rows.map {
            ($0["repeats"] as? [[String: Any]] ?? []).map { $0["duration_s"] as? Double }
        }
        #expect(repeats == [[100, 101, 102, 103], [110, 109, 108, 107], [120, 121]])
        #expect(rows[0]["best_repeat"] as? Int == 1 && rows[1]["best_repeat"] as? Int == 4)
        // (102.5 - 100.5) / 101.5, (107.5 - 109.5) / 108.5
        #expect(rows.map { $0["fade_percent"] as? Double } == [2.0, -1.8, nil])
        #expect(rows[0]["in_target_ratio"] as? Double == 0.75)
    }

    private func file(_ format: String, as role: Role = .coach) async -> (name: String, bytes: [UInt8])? {
        let answer = await fixture.answer(
            "/pieces/boathouse/\(PieceRoom.id(4))/export?format=\(format)", as: role)
        guard case .content(_, let bytes, let headers) = answer else { return nil }
        return (headers[0].value, bytes)
    }

    @Test func exportsTable() async throws {
        try PeopleRepository.save(AthleteProfile(id: "ben", name: "=Ben"), at: 1, in: fixture.store)
        let found = try #require(await file("csv"))
        #expect(found.name == "attachment; filename=\"2026-09-06_group_4x500m.csv\"")
        let lines = String(decoding: found.bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
        let header = """
            place,athlete_id,athlete_name,gw,erg,session_id,complete,whole_repeats,repeat_1_pace_s_per_500m,\
            repeat_2_pace_s_per_500m,repeat_3_pace_s_per_500m,repeat_4_pace_s_per_500m,\
            avg_pace_s_per_500m,best_repeat,fade_percent,avg_stroke_rate_spm,in_target_ratio,\
            added,added_day,added_time_s,added_distance_m,added_note
            """
        let (zoe, ben, cleo) = (PieceRoom.id(4), PieceRoom.id(5), PieceRoom.id(6))
        let rows = [
            "1,ben,'=Ben,boathouse,erg-2,\(ben),true,4,100.00,101.00,102.00,103.00,101.50,1,2.0,,0.750,,,,,",
            "2,zoe,,boathouse,erg-1,\(zoe),true,4,110.00,109.00,108.00,107.00,108.50,4,-1.8,,0.750,,,,,",
            ",cleo,,boathouse,erg-3,\(cleo),false,2,120.00,121.00,,,120.50,1,,,0.750,,,,,",
        ]
        #expect(lines == [header] + rows)
    }

    @Test func exportsArchiveOfFITFiles() async throws {
        let found = try #require(await file("fit"))
        #expect(found.name == "attachment; filename=\"2026-09-06_group_4x500m.zip\"")
        let text = String(decoding: found.bytes, as: Unicode.ASCII.self)
        for athlete in ["zoe", "ben", "cleo"] {
            // Once before the file, and once in the directory.
            #expect(
                text.matches(of: try Regex("2026-09-06_\(athlete)_[0-9x]+500m.fit")).count == 2, "\(athlete)")
        }
        for (number, athlete) in [(4, "zoe"), (5, "ben")] {
            let single = await fixture.answer("/sessions/boathouse/\(PieceRoom.id(number))/export?format=fit")
            guard case .content(_, let bytes, _) = single else {
                Issue.record("no file of \(athlete)")
                continue
            }
            #expect(found.bytes.firstRange(of: bytes) != nil)
        }
        let own = try #require(await file("fit", as: .athlete))
        let names = String(decoding: own.bytes, as: Unicode.ASCII.self)
        #expect(names.contains("_zoe_") && !names.contains("_ben_"))
        let other = "/pieces/boathouse/\(PieceRoom.id(5))/export?format=csv"
        #expect(await fixture.refusal(other, as: .athlete)?.status == "404 unknown_session")
        #expect(await fixture.refusal(other + "x")?.status == "400 bad_parameter")
    }

    @Test func athleteSeesOnlyOwnRow() async throws {
        let list = try await fixture.object("/pieces", as: .athlete)
        #expect(PieceRoom.texts(list["pieces"]) == ["zoe"])
        let found = try await fixture.object("/pieces/boathouse/\(PieceRoom.id(4))", as: .athlete)
        #expect((found["rows"] as? [[String: Any]])?.map { $0["athlete_id"] as? String } == ["zoe"])
        #expect(((found["piece"] as? [String: Any])?["session_count"] as? Int) == 1)
        let other = await fixture.refusal("/pieces/boathouse/\(PieceRoom.id(5))", as: .athlete)
        #expect(other?.status == "404 unknown_session")
        #expect(
            await fixture.refusal("/pieces?athlete_id=ben", as: .athlete)?.status == "404 unknown_athlete")
        #expect(await fixture.refusal("/pieces", as: .room)?.status == "403 not_allowed")
    }
}

/// Sessions of two days in one room: two pieces of 100 m and a just row, and 4 × 500 m the day after.
struct PieceRoom {
    /// Unix milliseconds: 2026-09-06 17:30 UTC.
    static let evening: Int64 = 1_788_627_000_000 + 86_400_000

    /// The sessions of each piece by athlete, in the order of the list.
    static let all = ["zoe ben cleo", "dora", "anna ben", "anna"]

    static func id(_ number: Int) -> String { "01J7ZK3Q5XQ4W8G9T2V6B0C1\(10 + number)" }

    init(in fixture: InterfaceFixture) throws {
        var traffic = Traffic()
        let before = Self.evening - 86_400_000
        func erg(_ number: Int) -> StationID { StationID("erg-\(number)")! }
        traffic.setClock(to: before)
        let justRow = traffic.session(Self.id(0), strokes: 3).map {
            $0.assigned(to: "anna").replacing("\"started_ms\":0", "\"started_ms\":\(before)")
        }
        var messages = justRow
        for (number, minutes, athlete, place) in [(1, 10, "anna", 1), (2, 12, "ben", 2), (3, 75, "dora", 1)] {
            let begin = before + Int64(minutes) * 60_000
            traffic.setClock(to: begin)
            messages += traffic.piece(
                Self.id(number), at: begin, 100, by: athlete, seconds: 20, of: erg(place))
        }
        for (number, athlete, seconds) in [
            (4, "zoe", [110.0, 109, 108, 107]), (5, "ben", [100, 101, 102, 103]), (6, "cleo", [120, 121]),
        ] {
            let begin = Self.evening + Int64(number - 4) * 60_000
            traffic.setClock(to: begin)
            let piece = traffic.piece(
                Self.id(number), at: begin, 100, by: athlete, seconds: 20, of: erg(number - 3))
            messages += Self.intervals(piece, seconds)
        }
        try fixture.save(messages)
    }

    /// Makes a piece one of 4 × 500 m, with splits of these seconds.
    private static func intervals(_ piece: [Traffic.Message], _ seconds: [Double]) -> [Traffic.Message] {
        let isComplete = seconds.count == 4
        let messages = piece.map {
            $0.replacing("\"session_type\":\"distance\"", "\"session_type\":\"intervals\"")
                .replacing(
                    "\"workout\":\"fixed_distance_with_splits\"", "\"workout\":\"fixed_distance_interval\""
                )
                .replacing(
                    "\"target_distance_m\":100.0",
                    "\"target_distance_m\":500.0,\"interval_count\":4,\"interval_rest_s\":60"
                )
                .replacing("\"complete\":true", "\"in_target_ratio\":0.75,\"complete\":\(isComplete)")
        }
        guard let edge = messages.last(where: { $0.stream?.kind == .session }), let erg = edge.stream?.station
        else { return messages }
        let splits = seconds.enumerated().map { index, time in
            let sequence = edge.sequence * 100 + UInt64(index)
            var split = edge.replacing("\"kind\":\"session\"", "\"kind\":\"split\"")
                .replacing("\"seq\":\(edge.sequence),", "\"seq\":\(sequence),")
                .replacing(
                    "\"event\":\"ended\"",
                    "\"split\":\(index + 1),\"type\":\"distance\",\"distance_m\":500.0,\"duration_s\":\(time)"
                )
            split.stream = Traffic.stream(.split, of: erg)
            split.sequence = sequence
            split.topic = "rowgate/v1/boathouse/erg/\(erg.slug)/split"
            return split
        }
        return messages + splits
    }

    /// The athletes of the sessions of each piece.
    static func texts(_ pieces: Any?) -> [String] {
        (pieces as? [[String: Any]] ?? []).map { piece in
            (piece["sessions"] as? [[String: Any]] ?? []).map { $0["athlete_id"] as? String ?? "-" }
                .joined(separator: " ")
        }
    }
}
