import Bytes
import Testing

@testable import Contract

@Suite struct RecordedResultTests {
    @Test(arguments: [
        (#""complete":true,"result_time_s":9.5,"distance_m":50.0"#, true, false, 9.5, 50.0),
        (#""complete":false,"result_time_s":9.5,"distance_m":50.0"#, false, false, 9.5, 50.0),
        (#""result_time_s":9.5,"distance_m":50.0"#, false, false, 9.5, 50.0),
        (
            #""complete":true,"partial_result":true,"received_time_s":9.4,"received_distance_m":49.0"#,
            false, true, 9.4, 49.0
        ),
        // From gateways before received_time_s.
        (
            #""complete":true,"partial_result":true,"result_time_s":9.4,"distance_m":49.0"#,
            false, true, 9.4, 49.0
        ),
    ])
    func readsASummary(
        _ fields: String, isComplete: Bool, isPartial: Bool, seconds: Double, meters: Double
    ) throws {
        let summary = try #require(try JSONObject(parsing: Array("{\(fields)}".utf8)))
        let result = RecordedResult(summary)
        #expect(result.isComplete == isComplete && result.isPartial == isPartial)
        #expect(summary.decimal(result.timeField) == seconds)
        #expect(summary.decimal(result.distanceField) == meters)
    }
}
