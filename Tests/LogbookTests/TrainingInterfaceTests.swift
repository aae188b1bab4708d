import LogbookStores
import TestSupport
import Testing
import Training

@testable import Contract
@testable import Logbook

/// The HTTP endpoints for training metrics.
@Suite struct TrainingInterfaceTests {
    private let fixture: InterfaceFixture
    private var traffic = Traffic()
    private static let id = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"

    init() throws { fixture = try InterfaceFixture() }

    private typealias Object = [String: Any]

    /// Saves a ranked 2000 m of 200 strokes at 10 m/s on the evening of 5 September 2026.
    private mutating func row() throws {
        try fixture.save(
            traffic.piece(Self.id, hour: 1, 2000, by: "anna").map { message in
                message.replacing(
                    "\"elapsed_s\":", "\"power_w\":2810,\"stroke_rate_spm\":40,\"elapsed_s\":")
            })
        var batch = StoreBatch(now: 1_788_627_100_000)
        batch.states[SessionName(gateway: traffic.gateway, session: Self.id)] = .verified
        _ = try fixture.store.commit(batch)
    }

    private func machine(_ query: String = "") async throws -> Object {
        let response = try await fixture.object("/athletes/anna/training\(query)")
        return try #require((response["machines"] as? [Object])?.first)
    }

    @Test mutating func reportsZonesAndReasonsForMissingValues() async throws {
        // A single ranked 2000 m at 2800 W gives zones, but no critical power.
        try row()
        let machine = try await machine()
        let zones = try #require(machine["zones"] as? Object)
        #expect(zones["power_w"] as? Double == 2800 && zones["kind"] as? String == "rule_of_thumb")
        #expect(
            zones["inputs"] as? [[String: String]]
                == [["gw": "boathouse", "session_id": Self.id]])
        let week = try #require((machine["time_in_zone"] as? [Object])?.first)
        #expect(week["from"] as? String == "2026-08-31" && week["kind"] as? String == "computed")
        let parts = try #require(week["zones"] as? [Object])
        let times = parts.map { $0["time_s"] as? Double ?? -1 }
        #expect(times == [0, 0, 0, 0, 0, 200, 0], "\(parts)")
        #expect(week["unknown_s"] as? Double == 0)
        let law = try #require(machine["pauls_law"] as? Object)
        #expect(law["k_s_per_500m"] as? Double == 5)
        #expect((law["own_missing"] as? Object)?["reason"] as? String == "too_few_results")
        let criticalPowerMissing = (machine["critical_power"] as? Object)?["missing"] as? Object
        #expect(criticalPowerMissing?["needs"] as? Double == 3)
        let other = try await self.machine("?by=season&season=2020")
        #expect((other["time_in_zone"] as? [Object])?.isEmpty == true)
        #expect((other["zones"] as? Object)?["power_w"] != nil, "zones are of all time")
    }

    @Test mutating func heartZonesFollowStoredRates() async throws {
        try fixture.save(
            traffic.piece(Self.id, hour: 1, 2000, by: "anna").map { message in
                message.replacing(
                    "\"elapsed_s\":", "\"heart_rate_bpm\":150,\"elapsed_s\":")
            })
        func save(_ body: String, of athlete: String = "anna") async -> String {
            await fixture.refusal("/athletes/\(athlete)/heart", .post, body: body)?.status ?? "200"
        }
        #expect(await save(#"{"resting_bpm":48,"maximal_bpm":192}"#) == "200")
        let response = try await fixture.object("/athletes/anna/training")
        let zones = try #require(response["heart_zones"] as? Object)
        #expect(zones["resting_bpm"] as? Int == 48 && zones["kind"] as? String == "rule_of_thumb")
        let machine = try #require((response["machines"] as? [Object])?.first)
        let week = try #require((machine["time_in_heart_zone"] as? [Object])?.first)
        let times = (week["zones"] as? [Object])?.map { $0["time_s"] as? Double }
        #expect(times == [0, 0, 200, 0, 0, 0])
        let session = try await fixture.object("/sessions/boathouse/\(Self.id)/training")
        #expect((session["time_in_heart_zone"] as? Object)?["unknown_s"] as? Double == 0)
        for (body, code) in [
            (#"{"resting_bpm":48}"#, "400 missing_field"),
            (#"{"maximal_bpm":190}"#, "400 missing_field"),
            (#"{"resting_bpm":110,"maximal_bpm":130}"#, "400 bad_value"),
            (#"{"resting_bpm":10,"maximal_bpm":190}"#, "400 bad_value"),
            (#"{"resting":48,"maximal_bpm":190}"#, "400 unknown_field"), ("7", "400 not_json"),
        ] {
            #expect(await save(body) == code, "\(body)")
        }
        #expect(await save("{}", of: "unknown") == "404 unknown_athlete")
        let own = await fixture.refusal("/athletes/anna/heart", as: .athlete, .post, body: "{}")
        #expect(own?.status == "404 unknown_athlete", "another's")
        #expect(try fixture.store.heartLimits(of: nil).map(\.maximal) == [192])
        #expect(await save("{}") == "200")
        #expect(try fixture.store.heartLimits(of: nil) == [])
    }

    @Test mutating func reportsSessionMetricsAndMissingReasons() async throws {
        try row()
        let response = try await fixture.object("/sessions/boathouse/\(Self.id)/training")
        let consistency = try #require(response["consistency"] as? Object)
        #expect(consistency["power_cv_percent"] as? Double == 0)
        #expect(consistency["strokes"] as? Int == 195)
        let split = try #require(response["split_index"] as? Object)
        #expect(split["even"] as? Bool == true && split["index_percent"] as? Double == 0)
        func reason(_ response: Object, _ name: String) -> String? {
            ((response[name] as? Object)?["missing"] as? Object)?["reason"] as? String
        }
        #expect(reason(response, "heart_drift") == "too_short")
        #expect((response["time_in_zone"] as? Object)?["unknown_s"] as? Double == 0)
        let next = "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"
        try fixture.save(traffic.session(next, strokes: 3))
        let unassigned = try await fixture.object("/sessions/boathouse/\(next)/training")
        #expect(reason(unassigned, "zones") == "no_athlete" && unassigned["time_in_zone"] == nil)
        let refusal = await fixture.refusal("/sessions/boathouse/\(Self.id.dropLast())9/training")
        #expect(refusal?.status == "404 unknown_session")
        #expect(
            await fixture.refusal("/athletes/unknown/training")?.status == "404 unknown_athlete")
    }
}
