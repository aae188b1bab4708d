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

/// Reports of gateways, and the filter for stored status messages.
@Suite struct GatewayReportTests {
    private static let start = BootInstant(nanoseconds: 1_000_000_000_000)
    private static let clock = WallClock(
        bootID: "5b1f8c0e5b1f8c0e5b1f8c0e5b1f8c0e", unixMillisecondsAtBoot: 1_790_000_000_000,
        isSynchronized: true)
    private static let gateway = GatewayID("boathouse")!
    private static let status = #"{"v":1,"status":"degraded","reasons":["a; b"],"clock":"synced""#

    private var board = LiveBoard(at: start)

    private mutating func receive(
        _ topic: String, _ payload: String, isRetained: Bool = false, after seconds: Int = 0
    ) -> LiveBoard.Outcome {
        board.apply(
            Array(payload.utf8), topic: "rowgate/v1/boathouse/" + topic, isRetained: isRetained,
            at: Self.start.advanced(by: .seconds(seconds)), clock: Self.clock)
    }

    private var liveGateway: LiveGateway {
        board.places.reduce(into: LiveGateway()) { $0.add($1.value, of: $1.key) }
    }

    private func report(
        after seconds: Int, _ summary: GatewaySummary = GatewaySummary(gateway)
    ) throws -> [String: Any] {
        let report = GatewayReport(
            summary, liveGateway, at: Self.start.advanced(by: .seconds(seconds)), Self.clock,
            hasStore: true)
        let object = try JSONSerialization.jsonObject(
            with: Data(JSONWriter.object { report.write(into: &$0) }))
        return try #require(object as? [String: Any])
    }

    @Test(arguments: [true, false])
    func reportsSharersWithTheirGateways(isShared: Bool) throws {
        let room = LiveRoom(
            runtime: SystemRuntime(), log: SystemLog(subsystem: "test", threshold: .critical))
        let sharers = [
            StoreSharer(process: 4711, address: "10.0.0.2", shards: .all),
            StoreSharer(process: 4712, address: nil, shards: .none),
        ]
        let answer = RecordRequestHandler.gateways(
            room, LogbookHealth(room, nil), [Self.gateway: GatewaySummary(Self.gateway)],
            isShared ? sharers : [])
        guard case .content(_, let bytes, _) = answer else {
            Issue.record("the response is not JSON")
            return
        }
        let numbers = (0..<16).map { "\($0)" }.joined(separator: ",")
        let expected =
            #""sharers":[{"process":4711,"address":"10.0.0.2","parts":[\#(numbers)],"#
            + #""gateways":["boathouse"]},{"process":4712,"parts":[],"gateways":[]}]}"#
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(
            text.hasSuffix(expected) == isShared && text.contains("sharers") == isShared, "\(text)")
    }

    @Test mutating func onlineNeedsRecentHealth() throws {
        #expect(try report(after: 0)["presence"] as? String == "unknown")
        _ = receive("availability", "online")
        #expect(try report(after: 1)["presence"] as? String == "silent")
        _ = receive("health", Self.status + "}", after: 10)
        #expect(try report(after: 69)["presence"] as? String == "online")
        #expect(try report(after: 70)["presence"] as? String == "silent")
        #expect(try report(after: 70)["heard_ms"] as? Int64 == 1_790_001_010_000)
        _ = receive(
            "health", Self.status + #","ts_ms":1790001050000}"#, isRetained: true, after: 100)
        #expect(try report(after: 101)["presence"] as? String == "online")
        #expect(try report(after: 111)["presence"] as? String == "silent")
        _ = receive("health", #"{"status":"ok","clock":"unsynced"}"#, isRetained: true, after: 112)
        #expect(try report(after: 113)["presence"] as? String == "silent")
        _ = receive("erg/erg-1/live", #"{"state":"rowing"}"#, after: 114)
        #expect(try report(after: 115)["presence"] as? String == "online")
        _ = receive("availability", "offline", after: 120)
        #expect(try report(after: 121)["presence"] as? String == "offline")
    }

    @Test mutating func absentGatewayShowsStoredStatus() throws {
        var summary = GatewaySummary(Self.gateway)
        summary.statusMessages[.health] = GatewayStatusMessage(
            gateway: Self.gateway, kind: .health, reportedAt: 1_789_000_000_000,
            payload: Array((Self.status + #","erg_battery_pct":{"erg-2":12}}"#).utf8))
        summary.statusMessages[.birth] = GatewayStatusMessage(
            gateway: Self.gateway, kind: .birth, reportedAt: 1,
            payload: Array(#"{"version":"0.1.0","ergs":["erg-2","<b>","erg-1"]}"#.utf8))
        let found = try report(after: 0, summary)
        #expect(found["health_ms"] as? Int64 == 1_789_000_000_000)
        #expect(found["heard_ms"] as? Int64 == 1_789_000_000_000)
        #expect(found["version"] as? String == "0.1.0")
        let ergs = try #require(found["ergs"] as? [[String: Any]])
        #expect(ergs.map { $0["erg"] as? String } == ["erg-1", "erg-2"])
        #expect(ergs[1]["battery_pct"] as? Int == 12 && ergs[1]["state"] == nil)
        _ = receive("health", #"{"status":"ok","reasons":[]}"#, after: 5)
        _ = receive("erg/erg-1/state", #"{"state":"asleep"}"#, after: 6)
        let newer = try report(after: 7, summary)
        #expect((newer["health"] as? [String: Any])?["status"] as? String == "ok")
        #expect(newer["heard_ms"] as? Int64 == 1_790_001_006_000)
        let asleep = try #require((newer["ergs"] as? [[String: Any]])?.first)
        #expect(asleep["state"] as? String == "asleep")
        #expect(asleep["state_ms"] as? Int64 == 1_790_001_006_000)
    }

    @Test mutating func rejectsMessagesThatViolateContract() throws {
        #expect(receive("health", Self.status + "}") == .applied)
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
            #expect(receive("health", "{\(fields)}") == .refused(.noContract), "\(fields)")
        }
        #expect(receive("birth", #"{"version":["0"]}"#) == .refused(.noContract))
        #expect(receive("erg/erg-1/state", #"{"state":{}}"#) == .refused(.noContract))
        #expect(receive("erg/erg-1/info", #"{"battery_pct":1e9}"#) == .refused(.noContract))
        #expect(
            try (report(after: 1)["health"] as? [String: Any])?["status"] as? String == "degraded")
        #expect(receive("health", #"{"status":"ok","later":{"than":["this"]}}"#) == .applied)
    }

    @Test func storesStatusOnlyWhenChangedOrDue() {
        var filter = GatewayStatusFilter()
        func health(_ fields: String, after seconds: Int64) -> GatewayStatusMessage {
            GatewayStatusMessage(
                gateway: Self.gateway, kind: .health, reportedAt: seconds * 1000,
                payload: Array("{\(fields)}".utf8))
        }
        let (well, worse) = (
            #""status":"ok","reasons":[],"cpu_pct":"#, #""status":"degraded","reasons":["a"],"n":"#
        )
        var stored: [Int64] = []
        for second in stride(from: Int64(0), to: 900, by: 30) {
            let fields = second < 630 ? well : worse
            if !filter.selectForStorage([health(fields + "\(second)", after: second)]).isEmpty {
                stored.append(second)
            }
        }
        #expect(stored == [0, 300, 600, 630])
        let last = [health(worse + "900", after: 900)]
        #expect(filter.selectForStorage(last) == [])
        #expect(filter.selectForStorage(last, isLast: true) == last)
        #expect(filter.selectForStorage(last, isLast: true) == [])
    }
}
