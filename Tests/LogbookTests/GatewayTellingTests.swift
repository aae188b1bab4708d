import Bytes
import Contract
import Foundation
import HostRuntime
import LogbookStores
import TestSupport
import Testing
import Timeline

@testable import Logbook
@testable import WebServer

/// How gateways are told of, and which of their words are kept.
@Suite struct GatewayTellingTests {
    private static let start = BootInstant(nanoseconds: 1_000_000_000_000)
    private static let clock = WallClock(
        bootID: "5b1f8c0e5b1f8c0e5b1f8c0e5b1f8c0e", unixMillisecondsAtBoot: 1_790_000_000_000,
        isSynchronized: true)
    private static let gateway = GatewayID("boathouse")!
    private static let status = #"{"v":1,"status":"degraded","reasons":["a; b"],"clock":"synced""#

    private var board = LiveBoard(at: start)

    private mutating func hear(
        _ topic: String, _ payload: String, isRetained: Bool = false, after seconds: Int = 0
    ) -> LiveBoard.Outcome {
        board.take(
            Array(payload.utf8), topic: "rowgate/v1/boathouse/" + topic, isRetained: isRetained,
            at: Self.start.advanced(by: .seconds(seconds)), clock: Self.clock)
    }

    private var heard: HeardGateway {
        board.kept.reduce(into: HeardGateway()) { $0.take($1.value, of: $1.key) }
    }

    private func told(
        after seconds: Int, _ account: GatewayAccount = GatewayAccount(gateway)
    ) throws -> [String: Any] {
        let telling = GatewayTelling(
            account, heard, at: Self.start.advanced(by: .seconds(seconds)), Self.clock,
            hasStore: true)
        let object = try JSONSerialization.jsonObject(
            with: Data(JSONWriter.object { telling.write(into: &$0) }))
        return try #require(object as? [String: Any])
    }

    @Test(arguments: [true, false])
    func whoSharesTheStoreIsToldWithTheirGateways(isShared: Bool) throws {
        // Goal: a person sees which logbook keeps which gateway, and nothing of it where there is one logbook.
        // Method: two that share, of which one has all parts, and none.
        let room = LiveRoom(
            runtime: SystemRuntime(), log: SystemLog(subsystem: "test", threshold: .critical))
        let sharers = [
            StoreSharer(process: 4711, address: "10.0.0.2", parts: .all),
            StoreSharer(process: 4712, address: nil, parts: .none),
        ]
        let answer = RecordAnswers.gateways(
            room, LogbookHealth(room, nil), [Self.gateway: GatewayAccount(Self.gateway)],
            isShared ? sharers : [])
        guard case .content(_, let bytes, _) = answer else {
            Issue.record("an answer that is no JSON")
            return
        }
        let numbers = (0..<16).map { "\($0)" }.joined(separator: ",")
        let told =
            #""sharers":[{"process":4711,"address":"10.0.0.2","parts":[\#(numbers)],"#
            + #""gateways":["boathouse"]},{"process":4712,"parts":[],"gateways":[]}]}"#
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasSuffix(told) == isShared && text.contains("sharers") == isShared, "\(text)")
    }

    @Test mutating func onlineCountsBesideAYoungHealthAlone() throws {
        // Goal: a gateway that stands still is not called online. Method: each word of the broker, and
        // healths of each age, heard, kept by the broker, and of a time that nobody can believe, where an
        // erg of it tells that it lives.
        #expect(try told(after: 0)["presence"] as? String == "unknown")
        _ = hear("availability", "online")
        #expect(try told(after: 1)["presence"] as? String == "silent")
        _ = hear("health", Self.status + "}", after: 10)
        #expect(try told(after: 69)["presence"] as? String == "online")
        #expect(try told(after: 70)["presence"] as? String == "silent")
        #expect(try told(after: 70)["heard_ms"] as? Int64 == 1_790_001_010_000)
        _ = hear("health", Self.status + #","ts_ms":1790001050000}"#, isRetained: true, after: 100)
        #expect(try told(after: 101)["presence"] as? String == "online")
        #expect(try told(after: 111)["presence"] as? String == "silent")
        _ = hear("health", #"{"status":"ok","clock":"unsynced"}"#, isRetained: true, after: 112)
        #expect(try told(after: 113)["presence"] as? String == "silent")
        _ = hear("erg/erg-1/live", #"{"state":"rowing"}"#, after: 114)
        #expect(try told(after: 115)["presence"] as? String == "online")
        _ = hear("availability", "offline", after: 120)
        #expect(try told(after: 121)["presence"] as? String == "offline")
    }

    @Test mutating func anAbsentGatewayIsToldAsItWas() throws {
        // Goal: what a gateway last said is there when the logbook was started anew. Method: the words
        // of a store, under a room that has heard nothing, and under one that has heard newer ones.
        var account = GatewayAccount(Self.gateway)
        account.words[.health] = GatewayWord(
            gateway: Self.gateway, kind: .health, heardAt: 1_789_000_000_000,
            payload: Array((Self.status + #","erg_battery_pct":{"erg-2":12}}"#).utf8))
        account.words[.birth] = GatewayWord(
            gateway: Self.gateway, kind: .birth, heardAt: 1,
            payload: Array(#"{"version":"0.1.0","ergs":["erg-2","<b>","erg-1"]}"#.utf8))
        let found = try told(after: 0, account)
        #expect(found["health_ms"] as? Int64 == 1_789_000_000_000)
        #expect(found["heard_ms"] as? Int64 == 1_789_000_000_000)
        #expect(found["version"] as? String == "0.1.0")
        let ergs = try #require(found["ergs"] as? [[String: Any]])
        #expect(ergs.map { $0["erg"] as? String } == ["erg-1", "erg-2"])
        #expect(ergs[1]["battery_pct"] as? Int == 12 && ergs[1]["state"] == nil)
        _ = hear("health", #"{"status":"ok","reasons":[]}"#, after: 5)
        _ = hear("erg/erg-1/state", #"{"state":"asleep"}"#, after: 6)
        let newer = try told(after: 7, account)
        #expect((newer["health"] as? [String: Any])?["status"] as? String == "ok")
        #expect(newer["heard_ms"] as? Int64 == 1_790_001_006_000)
        let asleep = try #require((newer["ergs"] as? [[String: Any]])?.first)
        #expect(asleep["state"] as? String == "asleep")
        #expect(asleep["state_ms"] as? Int64 == 1_790_001_006_000)
    }

    @Test mutating func whatIsNotTheContractIsRefused() throws {
        // Goal: nobody's message takes the place of a gateway's. Method: wrong types, numbers beyond
        // reason and texts without end, behind a health that is one.
        #expect(hear("health", Self.status + "}") == .taken)
        let long = String(repeating: "x", count: 2001)
        for fields in [
            #""status":"fine""#, #""status":7"#, #""reasons":[]"#,
            #""status":"ok","reasons":"none""#, #""status":"ok","reasons":[{"a":1}]"#,
            #""status":"ok","reasons":["\#(long)"]"#, #""status":"ok","ring_used_pct":1e300"#,
            #""status":"ok","slots_used":-1"#, #""status":"ok","slots_used":"2""#,
            #""status":"ok","erg_battery_pct":{"erg-1":101}"#,
            #""status":"ok","erg_battery_pct":{"\#(long)":50}"#,
            #""status":"ok","adapter_links":[1]"#, #""status":"ok","undervoltage":0"#,
        ] {
            #expect(hear("health", "{\(fields)}") == .refused(.noContract), "\(fields)")
        }
        #expect(hear("birth", #"{"version":["0"]}"#) == .refused(.noContract))
        #expect(hear("erg/erg-1/state", #"{"state":{}}"#) == .refused(.noContract))
        #expect(hear("erg/erg-1/info", #"{"battery_pct":1e9}"#) == .refused(.noContract))
        #expect(
            try (told(after: 1)["health"] as? [String: Any])?["status"] as? String == "degraded")
        #expect(hear("health", #"{"status":"ok","later":{"than":["this"]}}"#) == .taken)
    }

    @Test func wordsAreKeptWhenTheySaySomethingNew() {
        // Goal: a quiet gateway costs the disk a write in five minutes. Method: healths that count on,
        // that change, and the last of all.
        var memory = GatewayMemory()
        func health(_ fields: String, after seconds: Int64) -> GatewayWord {
            GatewayWord(
                gateway: Self.gateway, kind: .health, heardAt: seconds * 1000,
                payload: Array("{\(fields)}".utf8))
        }
        let (well, worse) = (
            #""status":"ok","reasons":[],"cpu_pct":"#, #""status":"degraded","reasons":["a"],"n":"#
        )
        var kept: [Int64] = []
        for second in stride(from: Int64(0), to: 900, by: 30) {
            let fields = second < 630 ? well : worse
            if !memory.news(of: [health(fields + "\(second)", after: second)]).isEmpty {
                kept.append(second)
            }
        }
        #expect(kept == [0, 300, 600, 630])
        let last = [health(worse + "900", after: 900)]
        #expect(memory.news(of: last) == [])
        #expect(memory.news(of: last, isLast: true) == last)
        #expect(memory.news(of: last, isLast: true) == [])
    }
}
