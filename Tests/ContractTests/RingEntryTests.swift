import Testing

@testable import Contract

@Suite struct RingEntryTests {
    static let station = StationID("erg-3")!

    static let entries: [RingEntry] = [
        .message(
            DurableMessage(
                kind: .stroke, station: station, sequence: 4711,
                unixMilliseconds: 1_755_000_000_000, bootMilliseconds: 86_400_000,
                payload: Array(#"{"v":1,"stroke":12}"#.utf8))),
        .message(
            DurableMessage(
                kind: .gatewayEvent, station: nil, sequence: .max, unixMilliseconds: 0,
                bootMilliseconds: .max, payload: [])),
        .checkpoint(station: station, bytes: [1, 2, 3, 255]),
        .notification(
            RawNotification(
                station: station, characteristic: .multiplexed, bootMilliseconds: 127,
                bytes: Array(0...20))),
    ]

    @Test(arguments: entries)
    func encodingRoundTrips(_ entry: RingEntry) throws {
        #expect(try RingEntry.decode(entry.encode()) == entry)
    }

    @Test(arguments: entries)
    func everyTruncationIsMalformed(_ entry: RingEntry) {
        let bytes = entry.encode()
        for count in 0..<bytes.count {
            #expect(throws: RingEntryError.self, "\(count) of \(bytes.count) bytes") {
                try RingEntry.decode(Array(bytes.prefix(count)))
            }
        }
    }

    @Test(arguments: entries)
    func ignoresTrailingBytesOfANewerVersion(_ entry: RingEntry) throws {
        #expect(try RingEntry.decode(entry.encode() + [9, 9, 9]) == entry)
    }

    @Test func unknownKindsAreSkipped() throws {
        #expect(try RingEntry.decode([200, 1, 2, 3]) == nil)
        #expect(try RingEntry.decode([1, 0, 199, 1, 1, 1, 0]) == nil)
    }

    @Test func rejectsInvalidFields() {
        let endless = [UInt8](repeating: 0xFF, count: 11)
        let damaged: [[UInt8]] = [[2, 1, 0x41, 0], [2, 0, 0], [1, 0, 3] + endless]
        for bytes in damaged {
            #expect(throws: RingEntryError.self) { try RingEntry.decode(bytes) }
        }
    }

    @Test func addsFewBytesToAPayload() {
        // Counts the bytes that a stroke message adds to its payload.
        guard case .message(let message) = Self.entries[0] else { return }
        let overhead = Self.entries[0].encode().count - message.payload.count
        #expect(overhead == 1 + 6 + 1 + 2 + 6 + 4 + 1)
    }

    @Test func topicNamesAreUniqueAndRawValuesAreFixed() {
        #expect(
            StreamKind.allCases.map(\.topicName) == [
                "event", "session", "stroke", "force", "split", "summary", "gap", "manifest",
                "alert", "rollup", "room_rollup", "crew_rollup",
            ])
        #expect(StreamKind.allCases.map(\.rawValue) == Array(1...12))
    }
}
