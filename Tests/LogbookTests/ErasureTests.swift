import Bytes
import Contract
import Foundation
import LogbookStores
import TestSupport
import Testing
import Timeline

@testable import Logbook

/// Whom gateways are asked to forget, when, and what is kept of that.
struct ErasureTests {
    private let annex = GatewayID("annex")!
    private let boathouse = GatewayID("boathouse")!
    private let start = BootInstant(nanoseconds: 1_000_000_000)

    private func after(_ seconds: Int) -> BootInstant { start.advanced(by: .seconds(seconds)) }

    private func reply(_ fields: String) throws -> JSONObject {
        try #require(try JSONObject(parsing: Array("{\(fields)}".utf8)))
    }

    /// Goal: each gateway is asked for one athlete at a time, with one id until it answers, and another one
    /// after a refusal, ever more rarely, but at once when it was away; who has answered is asked no more.
    /// Method: two athletes at two gateways, one of them away; silence, a foreign answer, a refusal, "in
    /// progress", and the end.
    @Test func oneAtATime() throws {
        var desk = ErasureDesk()
        var errands = [annex, boathouse].flatMap { gateway in
            ["zoe", "bob"].map { Errand($0, at: gateway, madeAt: 1) }
        }
        var (count, isAnnexThere) = (0, false)
        func asked(_ seconds: Int) -> [String] {
            desk.step(
                errands, isThere: { isAnnexThere || $0 == boathouse }, at: after(seconds)
            ) {
                count += 1
                return "id-\(count)"
            }.map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
        }
        func sent(_ gateway: String, _ id: Int, _ athlete: String) -> String {
            "rowgate/v1/\(gateway)/cmd/forget "
                + #"{"request_id":"id-\#(id)","athlete_id":"\#(athlete)"}"#
        }
        #expect(asked(0) == [sent("boathouse", 1, "zoe")])
        #expect(asked(59) == [] && asked(60) == [sent("boathouse", 1, "zoe")])
        let foreign = try reply(#""request_id":"id-9","status":"ok","erased":3"#)
        let others = desk.take(reply: foreign, from: boathouse, at: after(61))
        #expect(others == nil)
        let busy = try reply(#""request_id":"id-1","status":"accepted""#)
        let accepted = desk.take(reply: busy, from: boathouse, at: after(100))
        #expect(accepted == nil)
        #expect(asked(159) == [])
        let refusal = try reply(#""request_id":"id-1","status":"error","message":"rowing""#)
        let refused = desk.take(reply: refusal, from: boathouse, at: after(160))
        #expect(refused?.athlete == "zoe" && refused?.state == .waiting(words: "rowing"))
        isAnnexThere = true
        #expect(asked(189) == [sent("annex", 2, "zoe")])
        #expect(asked(190) == [sent("boathouse", 3, "zoe")])
        let second = try reply(#""request_id":"id-3","status":"error""#)
        let repeated = desk.take(reply: second, from: boathouse, at: after(191))
        #expect(repeated != nil)
        #expect(asked(249) == [sent("annex", 2, "zoe")] && asked(250) == [])
        #expect(asked(251) == [sent("boathouse", 4, "zoe")])
        let done = try reply(#""request_id":"id-4","status":"ok","erased":3,"unreadable":1"#)
        let outcome = desk.take(reply: done, from: boathouse, at: after(252))
        #expect(outcome?.athlete == "zoe")
        #expect(outcome?.state == .erased(records: 3, unreadable: 1))
        errands[2].settle(.erased(records: 3, unreadable: 1), at: 2)
        #expect(asked(253) == [sent("boathouse", 5, "bob")])
        let no = try reply(#""request_id":"id-2","status":"error","message":"disabled""#)
        let denied = desk.take(reply: no, from: annex, at: after(254))
        #expect(denied != nil)
        isAnnexThere = false
        #expect(asked(255) == [])
        isAnnexThere = true
        #expect(asked(256) == [sent("annex", 6, "zoe")])
    }

    /// Goal: what is wished outlives both programs, is there once, and names nobody once it is done; a file
    /// that somebody else wrote is not taken for one. Method: added twice, settled, read anew; garbage.
    @Test func whatIsKept() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("below/erasures")
        let file = ErrandFile(path: path)
        #expect(try file.read() == [])
        try file.add("zoe", at: [annex, boathouse], now: 1)
        try file.add("zoe", at: [annex], now: 2)
        try file.add("bob", at: [annex], now: 3)
        try file.settle("zoe", at: annex, .erased(records: 7, unreadable: 0), now: 4)
        try file.settle("zoe", at: boathouse, .waiting(words: "no \"thanks\""), now: 5)
        let kept = try ErrandFile(path: path).read()
        #expect(kept.map(\.athlete) == [nil, "zoe", "bob"])
        #expect(kept.map(\.gateway) == [annex, boathouse, annex])
        #expect(kept.map(\.answeredAt) == [4, 5, nil])
        #expect(kept[0].state == .erased(records: 7, unreadable: 0))
        #expect(kept[1].state == .waiting(words: "no \"thanks\""))
        // Once more after it was done is another wish.
        try file.add("zoe", at: [annex], now: 6)
        #expect(try file.read().map(\.athlete) == [nil, "zoe", "bob", "zoe"])
        for text in ["x\n", "{}\n", #"{"gw":"annex","made_ms":1,"athlete_id":"Not One"}"# + "\n"] {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            #expect(throws: ErrandFile.Fault.self) { try file.read() }
        }
    }
}
