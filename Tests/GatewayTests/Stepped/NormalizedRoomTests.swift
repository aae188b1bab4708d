import Bytes
import Contract
import PM5Codec
import SessionReplay
import TestSupport
import Testing

@testable import Gateway

/// Compares `rowgatectl normalize` with a gateway that received the same values.
struct NormalizedRoomTests {
    /// Published payloads of an erg by topic, without ids and times, which always differ.
    private struct Published: Equatable, Sendable {
        var rollups: [String] = []
        var alerts: [String] = []
        var firing: [String] = []

        mutating func receive(_ topic: String, _ payload: [UInt8]) {
            switch topic {
            case "rowgate/v1/boathouse/erg/erg-1/rollup": rollups.append(Self.body(payload))
            case "rowgate/v1/boathouse/erg/erg-1/alert": alerts.append(Self.body(payload))
            case "rowgate/v1/boathouse/erg/erg-1/alerts": firing.append(Self.body(payload))
            default: break
            }
        }

        private static let own: Set = [
            "epoch", "ts_ms", "time", "clock", "boot_id", "boot_ms", "session_id", "alert_id",
            "alert_ids", "since_ms",
        ]

        private static func body(_ payload: [UInt8]) -> String {
            guard let object = try? JSONObject(parsing: payload) else { return "no object" }
            return object.members.filter { !own.contains($0.name) }.map {
                "\($0.name)=\(String(decoding: $0.valueSource, as: UTF8.self))"
            }.joined(separator: " ")
        }
    }

    /// The values that the gateway received, in the format of a recording.
    private final class Recording: @unchecked Sendable {  // used only on the loop's thread
        var lines: [UInt8] = []
        var published = Published()

        func add(_ id: CharacteristicID, _ bytes: [UInt8], _ milliseconds: UInt64) {
            let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let line =
                #"{"t_ms":\#(milliseconds),"dir":"rx","characteristic":"\#(id)","hex":"\#(hex)"}"#
            lines += Array((line + "\n").utf8)
        }
    }

    /// The rower stops within an interval, and the monitor's batteries are low.
    @Test(.timeLimit(.minutes(30)), arguments: ["3x1:30/0:40r", "6:00"])
    func normalizesToTheSameAlertsAndRollups(script: String) async throws {
        let folder = try TemporaryFolder()
        let (lines, published) = try await SteppedLoop.run(seed: 11) { machine in
            let day = try JournalDay(on: machine, folder: folder.path)
            let recording = Recording()
            day.broker.onMessage = { recording.published.receive($0, $1) }
            let erg = day.ergs[0]
            erg.onValue = { recording.add($0, $1, $2.milliseconds) }
            try day.start()
            try erg.switchOn(script, seed: 3, repeats: false)
            erg.setBattery(percent: 12)
            await day.pass(.seconds(60))
            erg.change { $0.pause(forMilliseconds: 25_000) }
            await day.pass(.seconds(420))
            try await day.stop()
            return (recording.lines, recording.published)
        }
        #expect(published.rollups.count >= 4)
        #expect(published.alerts.contains { $0.contains(#"state="firing" rule="stopped""#) })
        #expect(published.alerts.contains { $0.contains(#"rule="battery_low""#) })

        let settings = Normalizer.Settings(
            gateway: "boathouse", station: "erg-1", liveInterval: .milliseconds(500))
        var normalizer = Normalizer(try #require(settings))
        var output: [UInt8] = []
        let problems = normalizer.consume(lines, into: &output)
        #expect(problems == [])
        var normalized = Published()
        for line in output.split(separator: UInt8(ascii: "\n")) {
            let object = try #require(try JSONObject(parsing: Array(line)))
            let payload = try #require(object.members.first { $0.name == "payload" })
            normalized.receive(object.text("topic") ?? "", Array(payload.valueSource))
        }
        #expect(normalized.rollups == published.rollups)
        #expect(normalized.alerts == published.alerts)
        // A gateway also publishes at its start that no alert is active.
        #expect(normalized.firing == published.firing.drop { $0.contains("firing=0") }.map(\.self))
    }
}
