import PM5Codec
import Testing

@testable import PM5Simulator
@testable import Relay

/// The rebuilt values against those of the simulated monitor, whose encoder is not used here.
@Suite struct MultiplexedValuesTests {
    /// What a monitor sends in a piece of 100 m to a client with these subscriptions.
    private static func sent(
        to subscriptions: [CharacteristicID], _ generation: MonitorGeneration
    ) throws -> [SentValue] {
        try SentValue.all(in: "100m", lasting: 60_000, to: subscriptions, generation)
    }

    @Test(arguments: [MonitorGeneration.new, .old])
    func equalTheMonitorsOwn(_ generation: MonitorGeneration) throws {
        let others = generation.notifying.filter { ![.multiplexed, .csafeOut, .generalStatus].contains($0) }
        // Last, because each later subscription would change the rower's random numbers.
        let dedicated = others + [.generalStatus]
        var rebuilder = MultiplexedValues()
        let rebuilt = try Self.sent(to: dedicated, generation).compactMap {
            rebuilder.value(of: $0.id, $0.bytes)
        }
        let own = try Self.sent(to: [.multiplexed], generation).map(\.bytes)
        for id: UInt8 in [0x31, 0x33, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3A, 0x3E, 0x3F] {
            let expected = own.filter { $0.first == id }
            #expect(rebuilt.filter { $0.first == id } == expected, "\(id)")
            let isOptional = [0x3E, 0x3F].contains(id) && generation == .old
            #expect(isOptional || !expected.isEmpty, "\(id)")
        }
        // The mean power is that of the last 0x0033, which follows 0x0032 by milliseconds.
        let status = (rebuilt.filter { $0.first == 0x32 }, own.filter { $0.first == 0x32 })
        #expect(status.0.map { Self.withoutPower($0) } == status.1.map { Self.withoutPower($0) })
        #expect(
            Set(status.0.map { Array($0[17..<19]) }).isSubset(of: Set(status.1.map { Array($0[17..<19]) })))
        #expect(!status.0.isEmpty)
    }

    private static func withoutPower(_ value: [UInt8]) -> [UInt8] { Array(value[..<17] + value[19...]) }

    @Test func leavesOutValuesThatAreNotCarried() {
        var rebuilder = MultiplexedValues()
        let values = [
            rebuilder.value(of: .csafeOut, [0xF1]),
            rebuilder.value(of: .forceCurve, Array(repeating: 1, count: 20)),
            rebuilder.value(of: .strokeData, [1, 2, 3]),
        ]
        #expect(values == [nil, nil, nil])
    }
}
