import TestSupport
import Testing

@testable import RingLog

@Suite struct WrapAroundTests {
    @Test func willOverwriteReportsUnconsumedRecords() throws {
        // A slow consumer: the reported ranges contain exactly the unconsumed records, which can
        // still be read.
        let device = CrashingBlockDevice()
        let (writer, _) = try openSmall(device)
        var appended: [LogRecord] = []
        var consumed: Set<LogPosition> = []
        var dropped: [LogRecord] = []
        var droppedRanges: [Range<LogPosition>] = []
        writer.willOverwrite = { range in
            droppedRanges.append(range)
            let records = (try? readAll(device, from: range.lowerBound).records) ?? []
            dropped += records.filter { range.contains($0.position) }
        }
        for number in 0..<400 {
            let bytes = payload(number, count: 500)
            let position = try writer.append(kind: 1, bytes: bytes)
            appended.append(
                LogRecord(position: position, next: writer.end, kind: 1, bytes: bytes))
            // One in five is consumed, in order, until a hundred records before the end.
            if number % 5 == 0, number < 300 {
                let next = appended.first {
                    $0.position >= writer.consumed && $0.position < position
                }
                if let next {
                    consumed.insert(next.position)
                    writer.consumed = next.next
                }
            }
            if number % 6 == 5 { try writer.commit() }
            #expect((0...1).contains(writer.usedFraction))
        }
        try writer.commit()
        let left = try readAll(device).records
        #expect(dropped.count > 100)
        #expect(left == appended.filter { $0.position >= writer.oldest })
        for record in appended where record.position < writer.oldest {
            let isDropped = dropped.contains(record)
            #expect(isDropped != consumed.contains(record.position))
        }
        for (range, next) in zip(droppedRanges, droppedRanges.dropFirst()) {
            #expect(range.upperBound <= next.lowerBound)
        }
    }

    @Test(arguments: [1, 3, 40, 200])
    func overtakenReaderReportsGaps(step: Int) throws {
        // A reader beside a faster writer: each position is returned or in a gap, once and in
        // order.
        let device = CrashingBlockDevice()
        let (writer, _) = try openSmall(device)
        var reader = try LogReader(device: device)
        var positions: [LogPosition] = []
        var items: [LogItem] = []
        for number in 0..<600 {
            positions.append(try writer.append(kind: 1, bytes: payload(number, count: 400)))
            if number % 5 == 4 { try writer.commit() }
            if number % step == step - 1 { try items += (reader.next().map { [$0] } ?? []) }
        }
        try writer.commit()
        while let item = try reader.next() { items.append(item) }
        var expected = positions[...]
        for item in items {
            switch item {
            case .record(let record):
                #expect(record.position == expected.popFirst())
            case .gap(let gap):
                #expect(gap.reason == .overwritten)
                expected = expected.drop { gap.range.contains($0) }
            }
        }
        #expect(expected.isEmpty)
        #expect(items.count >= 600 / step)
        #expect(reader.damagedRanges == 0)
    }

    @Test func readerFromZeroReportsOverwrittenRange() throws {
        let device = CrashingBlockDevice()
        let (writer, _) = try openSmall(device)
        for number in 0..<200 { try writer.append(kind: 1, bytes: payload(number, count: 900)) }
        try writer.commit()
        let (records, gaps) = try readAll(device, from: .zero)
        #expect(gaps == [LogGap(range: .zero..<writer.oldest, reason: .overwritten)])
        #expect(try records == readAll(device).records)
    }
}
