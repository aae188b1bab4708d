import Contract
import Rowing
import Testing

@testable import Recording
@testable import Timeline

struct RawRecordingTests {
    private let erg: StationID

    init() throws { erg = try #require(StationID("erg-1")) }

    private func instant(_ milliseconds: Int) -> BootInstant {
        BootInstant(nanoseconds: UInt64(milliseconds) * 1_000_000)
    }

    private func recording(_ times: [Int]) -> RawRecording {
        var recording = RawRecording()
        for time in times {
            [UInt8](repeating: 7, count: time / 1000).withUnsafeBytes {
                recording.append($0, of: .generalStatus, station: erg, at: instant(time))
            }
        }
        return recording
    }

    /// The times of the values, from their bytes.
    private func times(_ recording: RawRecording) throws -> [UInt64] {
        try recording.entries.map { entry in
            guard case .notification(let raw)? = try RingEntry.decode(Array(entry)) else {
                throw RingEntryError.malformed(offset: 0)
            }
            #expect(raw.bytes.count == Int(raw.bootMilliseconds) / 1000)
            return raw.bootMilliseconds
        }
    }

    @Test(arguments: [0, 1000, 1001, 3000, 3500, 9000])
    func dropsOldValues(before: Int) throws {
        let all = [1000, 2000, 3000, 4000]
        var recording = recording(all)
        recording.drop(before: instant(before))
        let remaining = all.filter { $0 >= before }
        #expect(try times(recording) == remaining.map(UInt64.init))
        #expect(recording.begun == remaining.first.map(instant))
        recording.append(self.recording([9000, 8000]))
        #expect(try times(recording) == (remaining + [9000, 8000]).map(UInt64.init))
        #expect(recording.count == remaining.count + 2)
    }
}
