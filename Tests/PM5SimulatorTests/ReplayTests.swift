import Bytes
import Foundation
import Glibc
import PM5Codec
import TestSupport
import Testing

@testable import PM5Simulator

@Suite struct ReplayTests {
    private static let recording = [
        #"{"t_ms": 0, "dir": "read", "characteristic": "0x13", "hex": "333430"}"#,
        #"{"t_ms": 1, "dir": "read", "characteristic": "0x14", "hex": "383230302d30"}"#,
        #"{"t_ms": 5, "dir": "tx", "characteristic": "0x21", "hex": "f11a01f2"}"#,
        "",
        #"{"t_ms": 100, "dir": "rx", "characteristic": "0x31", "hex": "#
            + #""00000000000001ff0000000000000000000000"}"#,
        #"{"t_ms": 700, "dir": "rx", "characteristic": "0x35", "hex": "#
            + #""5300001d000067440000e900b5068c04ffff0100"}"#,
    ]

    /// The notifications until a time, with their times.
    private func play(
        _ erg: inout ReplayedErg, until end: Int
    ) -> [(time: Int, characteristic: CharacteristicID)] {
        var played: [(time: Int, characteristic: CharacteristicID)] = []
        while erg.nextMilliseconds <= end {
            let time = erg.nextMilliseconds
            for case .notification(let id, _) in erg.step(to: time) { played.append((time, id)) }
        }
        _ = erg.step(to: end)
        return played
    }

    @Test func replaysValuesAtTheirTimes() throws {
        // The clock starts with the subscription to 0x31; later subscriptions delay the start. The
        // last status repeats.
        var erg = try ReplayedErg(lines: Self.recording, serial: "430000001")
        erg.setConnected(true)
        erg.setSubscribed(true, to: .strokeData)
        #expect(play(&erg, until: 5000).isEmpty && !erg.isDone)
        erg.setSubscribed(true, to: .generalStatus)
        let played = play(&erg, until: 6800)
        #expect(played.map(\.time) == [5130, 5730, 6230, 6730])
        #expect(
            played.map(\.characteristic)
                == [.generalStatus, .strokeData, .generalStatus, .generalStatus])
        #expect(erg.isDone)
    }

    @Test func serialIsTheRoomsAndTheRestTheRecordings() throws {
        let erg = try ReplayedErg(lines: Self.recording, serial: "430000007")
        #expect(erg.read(.serialNumber) == Array("430000007".utf8))
        #expect(erg.read(.hardwareRevision) == Array("340".utf8))
        #expect(erg.read(.firmwareRevision) == Array("8200-0".utf8))
        #expect(erg.identity.generation == .old && erg.read(.modelNumber) == nil)
    }

    @Test func reportsLineOfDamagedRecording() {
        #expect(throws: RecordingError(line: 3)) {
            try ReplayedErg(lines: [Self.recording[0], "", "{}"], serial: "430000001")
        }
        #expect(throws: RecordingError(line: nil)) {
            try ReplayedErg(lines: [Self.recording[0]], serial: "430000001")
        }
    }

    @Test func sendsTheBytesOfARecordedPiece() throws {
        let path = Recordings.path("old-monitor-100m.jsonl")
        let lines = try #require(ReplayedErg.lines(ofFile: path))
        var erg = try ReplayedErg(lines: lines, serial: "430000001")
        erg.setConnected(true)
        for id in erg.identity.generation.notifying { erg.setSubscribed(true, to: id) }
        var sent: [[UInt8]] = []
        while !erg.isDone {
            for case .notification(_, let bytes) in erg.step(to: erg.nextMilliseconds) {
                sent.append(bytes)
            }
        }
        let recorded = lines.compactMap { JSONObject(line: $0) }
            .filter { $0.text("dir") == "rx" }.compactMap { $0.bytes("hex") }
        #expect(sent == recorded && sent.count > 200)
    }
}

@Suite struct LineTests {
    @Test func readsEachKindOfValue() throws {
        let object = try #require(
            JSONObject(
                line: #" { "a" : "x\"\\\u00e9\n", "b":-1.5e2 ,"c":true,"d":null, "e":1 } "#))
        #expect(object.text("a") == "x\"\\é\n")
        #expect(object.decimal("b") == -150 && object.integer("b") == -150)
        #expect(object.flag("c") == true && object.flag("e") == true)
        #expect(object["d"] == .null && object.text("f") == nil)
        #expect(JSONObject(line: "{}")?.members.isEmpty == true)
    }

    private static let broken = [
        "", "{", "}", "[1]", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1 "b":2}"#, #"{"a":"x}"#,
        #"{"a":{}"#, #"{"a":1}x"#, #"{"a":tru}"#, #"{"a":"\u12"}"#, #"{"a":"\x"}"#, #"{a:1}"#,
    ]

    @Test(arguments: broken)
    func rejectsInvalidJSON(_ text: String) {
        #expect(JSONObject(line: text) == nil)
    }

    @Test func rejectsEveryPrefixOfALine() {
        let whole = #"{"cmd":"drop","pm":1,"back":2.5,"on":true}"#
        for length in 0..<whole.count { #expect(JSONObject(line: whole.prefix(length)) == nil) }
        #expect(JSONObject(line: whole) != nil)
    }
}
