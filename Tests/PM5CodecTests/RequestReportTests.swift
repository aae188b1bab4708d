import Foundation
import Testing

@testable import Bytes
@testable import PM5Codec

/// Requests of a host under published names.
struct RequestReportTests {
    private func commands(_ frame: Frame) throws -> String {
        let fields = FrameReport.fields(of: frame.bytes, from: .host)
        let field = try #require(fields.first { $0.name == "commands" })
        return field.value.json
    }

    @Test func namesCommandsWithTheirArguments() throws {
        let frame = Frame(
            .setHorizontal(2000, .meters), .setProgram(.programmed), .goInUse,
            .setTime(hour: 17, minute: 4, second: 9),
            .wrapped(
                .setConfiguration,
                [
                    .workoutType(.fixedDistanceWithSplits), .workoutDuration(.distance, 2000),
                    .splitDuration(.distance, 500), .targetPace(centisecondsPer500m: 12_000),
                    .configureWorkout(.enable),
                    .screenState(.workout, .prepareToRowWorkout),
                ]))
        #expect(
            try commands(frame) == """
                [{"id":33,"command":"set_horizontal","distance":2000,"unit":36},\
                {"id":36,"command":"set_program","workout_number":0},\
                {"id":133,"command":"go_in_use"},\
                {"id":17,"command":"set_time","hour":17,"minute":4,"second":9},\
                {"id":118,"command":"set_pm_cfg","commands":[\
                {"id":1,"command":"set_workout_type","workout_type":3},\
                {"id":3,"command":"set_workout_duration","duration_type":128,"duration":2000},\
                {"id":5,"command":"set_split_duration","duration_type":128,"duration":500},\
                {"id":6,"command":"set_target_pace_time","pace_s_per_500m":120.00},\
                {"id":20,"command":"configure_workout","programming_mode":1},\
                {"id":19,"command":"set_screen_state","screen_type":1,"screen_value":1}]}]
                """)
    }

    @Test func namesQueriesWithTheirArguments() throws {
        let memory = Query.internalLogMemory(address: 0x1234, byteCount: 64)
        let frame = Frame(
            Query.status.command, Query.linkCapabilities.command,
            Query.forcePlot(byteCount: 32).throughUserConfiguration.command, memory.command,
            .other(id: 0x7A, data: [1, 2]))
        #expect(
            try commands(frame) == """
                [{"id":128,"command":"get_status"},\
                {"id":112,"command":"get_caps","capability_code":0},\
                {"id":26,"command":"set_user_cfg1","commands":[\
                {"id":107,"command":"get_force_plot_data","byte_count":32}]},\
                {"id":127,"command":"get_pm_data","commands":[\
                {"id":106,"command":"get_internal_log_memory","address":4660,"byte_count":64}]},\
                {"id":122,"command":"unknown","data":"0102"}]
                """)
    }

    /// Every query in the three files, by its ID there.
    @Test func namesEveryQuery() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/Core/PM5Codec/CSAFE")
        func ids(_ file: String) throws -> Set<UInt8> {
            let text = try String(
                contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
            let found = text.matches(of: /Self\(\s*0x([0-9A-F]{2})/)
            return Set(found.compactMap { UInt8($0.1, radix: 16) })
        }
        let open = try ids("PublicQueries.swift")
        #expect(open.count >= 15)
        #expect(open.subtracting(RequestName.ofPublicQuery.keys) == [])
        let own = try ids("ConfigurationQueries.swift").union(ids("DataQueries.swift"))
        #expect(own.count >= 60)
        #expect(own.subtracting(RequestName.ofProprietaryQuery.keys) == [])
    }

    /// A byte count beyond the end, and random contents.
    @Test func reportsBrokenRequests() {
        let fields = FrameReport.fields(of: Frame(contents: [0x76, 9, 1]).bytes, from: .host)
        #expect(fields.contains { $0.name == "request_error" })
        for first in UInt8.min...UInt8.max {
            for count in UInt8(0)...6 {
                let contents = [0x76, count + 2, first, count] + Array(repeating: 1, count: Int(count))
                _ = FrameReport.fields(of: Frame(contents: contents).bytes, from: .host)
            }
        }
    }
}
