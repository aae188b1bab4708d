import Rowing
import TestSupport
import Testing

@testable import LogInspection

@Suite struct RawExportTests {
    private let erg = SampleRing.station("seat-3")

    private func filter(_ session: SessionID) -> RecordFilter {
        var filter = RecordFilter()
        filter.session = session
        return filter
    }

    /// The `hex` of each line.
    private func values(_ text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            line.split(separator: "\"hex\":\"").last.map { String($0.dropLast(2)) }
        }
    }

    @Test func exportsRawValuesAsRecordedConnection() throws {
        let ring = try SampleRing()
        try ring.appendPiece()
        let text = try ring.file.recording(of: erg)
        #expect(text == (try goldenText("raw.jsonl", for: text)))
        #expect(try ring.file.recording(of: SampleRing.station("seat-4")) == "")
    }

    @Test func exportsValuesOfOneSession() throws {
        // Three sessions on one erg, 20 s and 5 minutes apart.
        let ring = try SampleRing()
        let names = ["1", "2", "3"].map { SessionID("01J7ZK3Q5XQ4W8G9T2V6B0C1D" + $0) }
        try ring.add(raw: Array("430000001".utf8), of: .serialNumber, at: 7500)
        for (session, start) in zip(names, [10_000, 40_000, 400_000]) {
            let tag = UInt8(start / 10_000)
            for (offset, part) in [(-2000, 1), (-100, 2)] as [(Int, UInt8)] {
                try ring.add(raw: [tag, part], of: .generalStatus, at: start + offset)
            }
            try ring.add(SampleRing.edge(.started, at: start, of: session), at: start)
            try ring.add(raw: [tag, 3], of: .generalStatus, at: start + 500)
            try ring.add(raw: [9], of: .generalStatus, erg: "seat-4", at: start + 500)
            try ring.add(
                SampleRing.edge(.ended, at: start + 10_000, of: session), at: start + 10_000)
            try ring.add(raw: [tag, 4], of: .generalStatus, at: start + 12_000)
        }
        try ring.add(raw: [0xEE], of: .generalStatus, at: 400_000 + 10_000 + 91_000)
        let serial = "343330303030303031"
        let file = try ring.file
        #expect(
            values(try file.recording(of: erg, filter(names[0])))
                == [serial, "0101", "0102", "0103", "0104", "0401", "0402"])
        #expect(
            values(try file.recording(of: erg, filter(names[1])))
                == [serial, "0401", "0402", "0403", "0404"])
        #expect(
            values(try file.recording(of: erg, filter(names[2])))
                == [serial, "2801", "2802", "2803", "2804"])
        #expect(try RawExport.station(of: names[1], in: file) == erg)
        #expect(try RawExport.station(of: SessionID("absent"), in: file) == nil)
        #expect(try file.recording(of: erg, filter(SessionID("absent"))) == "")
        #expect(try file.recording(of: SampleRing.station("seat-4"), filter(names[0])) == "")
    }

    @Test func timeIncreasesOverReboot() throws {
        let ring = try SampleRing()
        for time in [500_000, 500_500, 500_480, 1000, 1500] {
            try ring.add(raw: [1], of: .generalStatus, at: time)
        }
        let text = try ring.file.recording(of: erg)
        let times = text.split(separator: "\n").compactMap { line in
            Int(line.dropFirst(#"{"t_ms":"#.count).prefix { $0 != "," })
        }
        #expect(times == [500_000, 500_500, 500_480, 500_500, 501_000])
    }

    @Test func selectsRawValuesByTime() throws {
        // Values have only the boot clock; a message nearby contains the wall clock.
        let ring = try SampleRing()
        try ring.add(SampleRing.stroke(1), at: 10_000)
        for time in [11_000, 12_000, 13_000] {
            try ring.add(raw: [UInt8(time / 1000)], of: .generalStatus, at: time)
        }
        var filter = RecordFilter()
        filter.since = SampleRing.unixAtBoot + 12_000
        filter.until = SampleRing.unixAtBoot + 13_000
        #expect(values(try ring.file.recording(of: erg, filter)) == ["0c"])
    }
}
