import Bytes
import Contract
import Foundation
import LogbookStores
import TestSupport
import Testing
import Timeline

@testable import Logbook

/// Erasure requests to gateways and the file that stores them.
struct ErasureTests {
    private let annex = GatewayID("annex")!
    private let boathouse = GatewayID("boathouse")!
    private let start = BootInstant(nanoseconds: 1_000_000_000)

    private func after(_ seconds: Int) -> BootInstant { start.advanced(by: .seconds(seconds)) }

    private func reply(_ fields: String) throws -> JSONObject {
        try #require(try JSONObject(parsing: Array("{\(fields)}".utf8)))
    }

    // Two athletes at two gateways, one of which is offline at first. An unanswered request keeps its id.
    // After a refusal the next one has a new id and a longer delay, or no delay if the gateway was offline.
    @Test func requestsOneAthleteAtATime() throws {
        var scheduler = ErasureScheduler()
        var erasureRequests = [annex, boathouse].flatMap { gateway in
            ["zoe", "bob"].map { ErasureRequest($0, at: gateway, madeAt: 1) }
        }
        var (count, isAnnexOnline) = (0, false)
        func commands(_ seconds: Int) -> [String] {
            scheduler.step(
                erasureRequests, isOnline: { isAnnexOnline || $0 == boathouse }, at: after(seconds)
            ) {
                count += 1
                return "id-\(count)"
            }.map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
        }
        func sent(_ gateway: String, _ id: Int, _ athlete: String) -> String {
            "rowgate/v1/\(gateway)/cmd/forget "
                + #"{"request_id":"id-\#(id)","athlete_id":"\#(athlete)"}"#
        }
        #expect(commands(0) == [sent("boathouse", 1, "zoe")])
        #expect(commands(59) == [] && commands(60) == [sent("boathouse", 1, "zoe")])
        let foreign = try reply(#""request_id":"id-9","status":"ok","erased":3"#)
        let others = scheduler.handle(reply: foreign, from: boathouse, at: after(61))
        #expect(others == nil)
        let busy = try reply(#""request_id":"id-1","status":"accepted""#)
        let accepted = scheduler.handle(reply: busy, from: boathouse, at: after(100))
        #expect(accepted == nil)
        #expect(commands(159) == [])
        let refusal = try reply(#""request_id":"id-1","status":"error","message":"rowing""#)
        let refused = scheduler.handle(reply: refusal, from: boathouse, at: after(160))
        #expect(refused?.athlete == "zoe" && refused?.state == .waiting(refusal: "rowing"))
        isAnnexOnline = true
        #expect(commands(189) == [sent("annex", 2, "zoe")])
        #expect(commands(190) == [sent("boathouse", 3, "zoe")])
        let second = try reply(#""request_id":"id-3","status":"error""#)
        let repeated = scheduler.handle(reply: second, from: boathouse, at: after(191))
        #expect(repeated != nil)
        #expect(commands(249) == [sent("annex", 2, "zoe")] && commands(250) == [])
        #expect(commands(251) == [sent("boathouse", 4, "zoe")])
        let done = try reply(#""request_id":"id-4","status":"ok","erased":3,"unreadable":1"#)
        let outcome = scheduler.handle(reply: done, from: boathouse, at: after(252))
        #expect(outcome?.athlete == "zoe")
        #expect(outcome?.state == .erased(records: 3, unreadable: 1))
        erasureRequests[2].recordAnswer(.erased(records: 3, unreadable: 1), at: 2)
        #expect(commands(253) == [sent("boathouse", 5, "bob")])
        let no = try reply(#""request_id":"id-2","status":"error","message":"disabled""#)
        let denied = scheduler.handle(reply: no, from: annex, at: after(254))
        #expect(denied != nil)
        isAnnexOnline = false
        #expect(commands(255) == [])
        isAnnexOnline = true
        #expect(commands(256) == [sent("annex", 6, "zoe")])
    }

    @Test func storesRequestsAndRefusesForeignFiles() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("below/erasures")
        let file = ErasureRequestFile(path: path)
        #expect(try file.read() == [])
        try file.add("zoe", at: [annex, boathouse], now: 1)
        try file.add("zoe", at: [annex], now: 2)
        try file.add("bob", at: [annex], now: 3)
        try file.recordAnswer("zoe", at: annex, .erased(records: 7, unreadable: 0), now: 4)
        try file.recordAnswer("zoe", at: boathouse, .waiting(refusal: "no \"thanks\""), now: 5)
        let stored = try ErasureRequestFile(path: path).read()
        #expect(stored.map(\.athlete) == [nil, "zoe", "bob"])
        #expect(stored.map(\.gateway) == [annex, boathouse, annex])
        #expect(stored.map(\.answeredAt) == [4, 5, nil])
        #expect(stored[0].state == .erased(records: 7, unreadable: 0))
        #expect(stored[1].state == .waiting(refusal: "no \"thanks\""))
        // A request after a completed one is a new request.
        try file.add("zoe", at: [annex], now: 6)
        #expect(try file.read().map(\.athlete) == [nil, "zoe", "bob", "zoe"])
        for text in ["x\n", "{}\n", #"{"gw":"annex","made_ms":1,"athlete_id":"Not One"}"# + "\n"] {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            #expect(throws: ErasureRequestFile.Fault.self) { try file.read() }
        }
    }
}
