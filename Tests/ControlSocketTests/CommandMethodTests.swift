import Contract
import Foundation
import Testing

@testable import ControlSocket
@testable import RoomTables

@Suite struct CommandMethodTests {
    @Test func fieldsAndRepliesPassThrough() async throws {
        let test = try await TestServer(routes: { routes in
            routes.onCommand { verb, erg, payload in
                let received = String(decoding: payload, as: UTF8.self)
                return [
                    Array(
                        (#"{"erg":"\#(erg ?? "")","verb":"\#(verb)","received":\#(received),"#
                            + #""status":"ok"}"#).utf8)
                ]
            }
        })
        let path = test.path
        let reply = try await onThread {
            var client = try ControlClient(connectingTo: path, timeout: .patience)
            return try client.call(
                RowgateInterface.Command.self,
                .init(
                    verb: "workout", erg: "erg-1",
                    arguments: [
                        "force": .flag(true), "distance_m": .integer(2000),
                        "target_pace_s_per_500m": .number(112.5),
                        "intervals": .list([.object(["rest_s": .null])]),
                    ]))
        }
        await test.server.stop()
        #expect(reply.exitStatus == 0)
        #expect(
            try reply.jsonText().filter { !$0.isWhitespace }
                == #"{"replies":[{"erg":"erg-1","received":{"distance_m":2000,"force":true,"#
                + #""intervals":[{"rest_s":null}],"target_pace_s_per_500m":112.5},"#
                + #""status":"ok","verb":"workout"}]}"#)
    }

    @Test func printsATableWithOneErgFailing() throws {
        let reply = RowgateInterface.Command.Reply(replies: [
            .object([
                "erg": .text("erg-1"), "code": .text("done"), "status": .text("ok"),
                "message": .text("the workout is on the monitor"),
            ]),
            .object([
                "erg": .text("erg-2"), "code": .text("rowing"), "status": .text("error"),
                "message": .text("the erg is in use"),
            ]),
        ])
        #expect(reply.exitStatus == 1)
        #expect(
            reply.lines.rendered(inColour: false) == """
                ERG    RESULT
                erg-1  done    the workout is on the monitor
                erg-2  rowing  the erg is in use

                """)
    }

    static let workouts: [(text: String, fields: String)] = [
        ("just-row", #"{"type":"just_row"}"#),
        ("2000m", #"{"distance_m":2000,"type":"distance"}"#),
        ("1:30:00/10:00", #"{"duration_s":5400,"split_duration_s":600,"type":"time"}"#),
        ("100cal", #"{"calories_kcal":100,"type":"calories"}"#),
        (
            "4x500m/1:00r",
            #"{"intervals":[{"distance_m":500,"rest_s":60}],"repeat":4,"type":"intervals"}"#
        ),
        (
            "500m/r+2:00",
            #"{"intervals":[{"distance_m":500,"undefined_rest":true},{"duration_s":120}],"#
                + #""type":"intervals"}"#
        ),
        (
            "5cal@1:50.5-",
            #"{"calories_kcal":5,"target_pace_min_s_per_500m":110.5,"type":"calories"}"#
        ),
    ]

    @Test(arguments: workouts)
    func encodesNotationAsFields(text: String, fields: String) throws {
        let notation = try WorkoutNotation(parsing: text)
        #expect(
            String(decoding: try JSONCoding.encode(notation.arguments), as: UTF8.self) == fields)
    }

    @Test(arguments: [
        "", "x", "0x500m", "500", "500m/1:00", "m", "2000m/5:00", "1:60", "500m+", "-5m",
    ])
    func rejectsInvalidNotation(text: String) {
        #expect(throws: WorkoutNotationError(text: text)) { try WorkoutNotation(parsing: text) }
    }
}
