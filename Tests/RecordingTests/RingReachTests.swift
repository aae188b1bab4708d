import Contract
import TestSupport
import Testing

@testable import Recording

/// The age of the oldest record, and how full the ring is.
struct RingReachTests {
    @Test func reportsTheAgeOfTheOldestRecord() async throws {
        let ergs = (1...8).compactMap { StationID("erg-\($0)") }
        let (early, late, oldest) = try await SteppedLoop.run(seed: 1) { machine in
            let recorder = try await SessionManifestTests.recorder(
                ergs, on: machine, MemoryDisk().fileSystem)
            func row(_ numbers: ClosedRange<Int>) async {
                for number in numbers {
                    await recorder.record(
                        SessionManifestTests.strokes(number, of: ergs, rawBytes: 10_000, machine))
                    await machine.sleep(for: .seconds(2))
                }
                await machine.sleep(for: .seconds(20))
            }
            await row(1...20)
            let early = await recorder.snapshot()
            await row(21...320)
            let (_, cursor) = try await SessionManifestTests.published(recorder)
            if let cursor { await recorder.acknowledged(through: cursor) }
            await machine.sleep(for: .seconds(20))
            let request = ReplayRequest(
                stream: StreamID(station: ergs[0], kind: .stroke), sequences: 1...320)
            let held = await recorder.records(of: request, after: nil, limit: 1)
            return (early, await recorder.snapshot(), held.records.first?.sequence)
        }
        #expect(abs((early.reach ?? .zero) / .seconds(1) - 60) < 2)
        let first = try #require(oldest)
        #expect(first > 20, "the ring has come round")
        // 700 s with a stroke every two seconds, and a pause of 20 s before the 21st stroke.
        let age = 680 - 2 * Double(first - 1)
        #expect(abs((late.reach ?? .zero) / .seconds(1) - age) < 10)
        #expect(late.backlog == 0 && late.usedFraction < 0.01)
        #expect(early.usedFraction > 0)
    }
}
