import Bytes
import PM5Codec
import Rowing
import Testing

@testable import Contract

/// Commands with named workouts.
@Suite struct NamedWorkoutTests {
    private func order(_ fields: String) throws -> ParsedCommand {
        guard case .object(let object) = try JSONValue(parsing: Array("{\(fields)}".utf8)) else {
            throw CommandFault(.notJSON, "")
        }
        var fields = CommandFields(object)
        return try ParsedCommand(.workout, &fields, workouts: Sample.namedWorkouts)
    }

    @Test func nameGivesTheSameWorkoutAsItsFields() throws {
        #expect(
            try order(#""workout":"steady-state""#)
                == order(
                    #""type":"time","duration_s":1800,"target_stroke_rate_min_spm":18,"#
                        + #""target_stroke_rate_max_spm":20"#))
        #expect(
            try order(#""workout":"sprints","force":true"#)
                == order(
                    #""type":"intervals","repeat":8,"force":true,"#
                        + #""intervals":[{"distance_m":100,"rest_s":60}]"#))
    }

    @Test(arguments: [
        (#""workout":"stedy-state""#, CommandCode.badValue, "did you mean steady-state?"),
        (#""workout":"fartlek""#, .badValue, "there are: sprints, steady-state"),
        (#""workout":"sprints","type":"just_row""#, .unknownField, "unknown field type"),
        (#""workout":7"#, .badValue, "workout must be a text"),
    ])
    func reportsUnknownNames(fields: String, code: CommandCode, words: String) {
        #expect {
            try order(fields)
        } throws: { error in
            guard let fault = error as? CommandFault else { return false }
            #expect(fault.message.contains(words), "\(fault.message)")
            return fault.code == code
        }
    }

    @Test func reportsAConfigurationWithoutWorkouts() {
        guard case .object(let object)? = try? JSONValue(parsing: Array(#"{"workout":"x"}"#.utf8))
        else { return }
        var fields = CommandFields(object)
        #expect {
            try ParsedCommand(.workout, &fields)
        } throws: { error in
            (error as? CommandFault)?.message.hasSuffix("configuration has no [[workout]]") == true
        }
    }

    @Test func encodesTheListOfWorkouts() {
        let list = Sample.retained(WorkoutList(Sample.namedWorkouts), of: nil)
        #expect(
            list.hasSuffix(
                #","workouts":{"sprints":"8x100m/1:00r","steady-state":"30:00@18-20spm"}}"#))
        #expect(Sample.retained(WorkoutList([]), of: nil).hasSuffix(#","workouts":{}}"#))
    }

    @Test func checksLimitsOfTheMonitor() {
        #expect {
            try NamedWorkout("short", row: "99m")
        } throws: { error in
            "\(error)" == "'99m': piece is 99 m, must be 100 to 999999"
        }
    }
}
