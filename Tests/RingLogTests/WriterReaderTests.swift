import Glibc
import TestSupport
import Testing

@testable import RingLog

@Suite struct WriterReaderTests {
    @Test func readsRecordsFromEveryPosition() throws {
        // Lengths on both sides of each limit of the format.
        let device = CrashingBlockDevice()
        let (writer, report) = try openSmall(device)
        #expect(report.origin == .created)
        let lengths = [0, 1, 127, 128, 4000, 4096, smallGeometry.maximumRecordSize, 5]
        var expected: [LogRecord] = []
        for (number, length) in lengths.enumerated() {
            let bytes = payload(number, count: length)
            let position = try writer.append(kind: UInt8(number + 1), bytes: bytes)
            expected.append(
                LogRecord(
                    position: position, next: writer.end, kind: UInt8(number + 1), bytes: bytes))
        }
        try writer.commit()
        #expect(try readAll(device).records == expected)
        for (index, record) in expected.enumerated() {
            #expect(try readAll(device, from: record.position).records == Array(expected[index...]))
            #expect(
                try readAll(device, from: record.next).records == Array(expected[(index + 1)...]))
        }
    }

    @Test func readerSeesOnlyFlushedRecords() throws {
        // A reader polls after each step, across blocks and segments.
        let device = CrashingBlockDevice()
        let (writer, _) = try openSmall(device)
        var reader = try LogReader(device: device)
        for number in 0..<60 {
            let bytes = payload(number, count: 700)
            let position = try writer.append(kind: 1, bytes: bytes)
            let early = try readOn(&reader)
            #expect(early.records.isEmpty && early.gaps.isEmpty)
            try writer.flush()
            let seen = try readOn(&reader)
            #expect(seen.records.map(\.position) == [position])
            #expect(seen.records.map(\.bytes) == [bytes])
            #expect(seen.gaps.isEmpty)
            if number % 3 == 2 { try writer.commit() }
        }
    }

    @Test func epochCursorAndSnapshotSurviveRestart() throws {
        let device = CrashingBlockDevice()
        let (writer, _) = try openSmall(device)
        var appended = 0
        writer.snapshot = { Array("after \(appended)".utf8) }
        var positions: [LogPosition] = []
        while positions.last.map({ smallGeometry.sequence(of: $0) }) != 2 {
            positions.append(try writer.append(kind: 9, bytes: payload(appended, count: 1000)))
            appended += 1
            if appended % 4 == 0 { try writer.commit() }
        }
        writer.consumed = positions[5]
        try writer.close()

        let (second, report) = try openSmall(device, epoch: otherEpoch)
        #expect(report.origin == .existing)
        #expect(report.wasClosed)
        #expect(report.abandoned.isEmpty)
        #expect(second.epoch == epoch)
        #expect(second.consumed == positions[5])
        #expect(report.snapshot == Array("after \(appended - 1)".utf8))
        #expect(report.tailRecords == 1)
        let tail = try readAll(device, from: report.tail.lowerBound)
        #expect(tail.records.map(\.position) == [positions[appended - 1]])
        #expect(second.end > positions[appended - 1])
    }

    @Test func syncedPagesAreNotRewritten() throws {
        // Two rounds with flushes between records; only reused segments are written again.
        let device = CrashingBlockDevice()
        let (writer, _) = try openSmall(device)
        // Creation and the filling of the first turn come first.
        while smallGeometry.sequence(of: writer.end) < 4 {
            try writer.append(kind: 1, bytes: payload(0, count: 3000))
        }
        try writer.commit()
        let (fresh, _) = try openSmall(CrashingBlockDevice(device.content))
        let before = fresh.end
        let copy = CrashingBlockDevice(device.content)
        let (second, _) = try openSmall(copy)
        for number in 0..<9 {
            try second.append(kind: 1, bytes: payload(number, count: 200))
            try second.flush()
            if number % 2 == 1 { try second.commit() }
        }
        try second.close()
        #expect(second.end > before)
        #expect(copy.rewrittenPages.isEmpty)
    }

    @Test func cursorOnlyGrowsAndNeedsNoWrite() throws {
        let device = CrashingBlockDevice()
        let (writer, _) = try openSmall(device)
        try writer.append(kind: 1, bytes: [1])
        let first = writer.end
        try writer.append(kind: 1, bytes: [2])
        try writer.commit()
        let written = device.writtenBytes
        writer.consumed = first
        writer.consumed = .zero
        try writer.commit()
        #expect(writer.consumed == first)
        #expect(device.writtenBytes == written)
        try writer.commit(cursor: true)
        #expect(device.writtenBytes == written + 4096)
        writer.consumed = LogPosition(rawValue: .max)
        #expect(writer.consumed == writer.end)
        let (again, _) = try openSmall(CrashingBlockDevice(device.content))
        #expect(again.consumed == first)
    }

    @Test func refusesOversizeRecord() throws {
        let device = CrashingBlockDevice()
        let (writer, _) = try openSmall(device)
        let limit = smallGeometry.maximumRecordSize
        try writer.append(kind: 1, bytes: payload(1, count: limit))
        #expect(throws: RingLogError(.append, code: EMSGSIZE, path: "memory")) {
            try writer.append(kind: 1, bytes: payload(2, count: limit + 1))
        }
        try writer.commit()
        #expect(try readAll(device).records.count == 1)
    }

    @Test(arguments: [true, false])
    func failedDeviceLosesNoAcceptedRecord(failsInSync: Bool) throws {
        // EIO on write or fdatasync at any record.
        for failing in 0..<54 {
            let device = CrashingBlockDevice()
            let (writer, _) = try openSmall(device)
            var accepted: [LogPosition] = []
            for number in 0..<60 {
                let isFailing = (failing..<failing + 6).contains(number)
                device.syncError = isFailing && failsInSync ? EIO : nil
                device.writeError = isFailing && !failsInSync ? EIO : nil
                if let position = try? writer.append(kind: 1, bytes: payload(number, count: 600)) {
                    accepted.append(position)
                }
                try? writer.commit()
            }
            try writer.commit()
            let medium = device.content(after: .everything)
            let (records, gaps) = try readAll(CrashingBlockDevice(medium))
            let oldest = try #require(records.first).position
            #expect(records.map(\.position) == accepted.filter { $0 >= oldest })
            #expect(gaps.isEmpty)
            #expect(accepted.count < 60 && accepted.count >= 54)
        }
    }

    @Test(arguments: [0, 4056, 4057, 20_000, 65_496])
    func snapshotMayFillManyPages(count: Int) throws {
        // Damage in any page of its header loses no record.
        let geometry = LogGeometry(segmentSize: 256 << 10, segmentCount: 3)
        #expect(geometry.maximumSnapshotSize == 65_496)
        let device = CrashingBlockDevice()
        let (writer, _) = try LogWriter.open(device: device, geometry: geometry, newEpoch: epoch)
        writer.snapshot = { payload(7, count: count) }
        var positions: [LogPosition] = []
        while writer.oldest == .zero {
            positions.append(
                try writer.append(kind: 1, bytes: payload(positions.count, count: 9000)))
        }
        try writer.commit()
        let (records, gaps) = try readAll(device)
        #expect(records.map(\.position) == positions.filter { $0 >= writer.oldest } && gaps.isEmpty)
        let (_, report) = try openSmall(CrashingBlockDevice(device.content))
        #expect(report.snapshot == payload(7, count: count))
        for page in stride(from: 0, to: count + 40, by: 4096) {
            var damaged = device.content
            damaged[4096 + (256 << 10) + page + 9] ^= 1
            let found = try readAll(CrashingBlockDevice(damaged))
            #expect(found.records == records && found.gaps.isEmpty, "page at \(page)")
        }
    }

    @Test func refusesOversizeSnapshot() throws {
        // The refused record is accepted later.
        let device = CrashingBlockDevice()
        let (writer, _) = try openSmall(device)
        writer.snapshot = { payload(7, count: smallGeometry.maximumSnapshotSize + 1) }
        #expect(throws: RingLogError(.snapshot, code: EMSGSIZE, path: "memory")) {
            try writer.append(kind: 1, bytes: [1])
        }
        writer.snapshot = { payload(7, count: smallGeometry.maximumSnapshotSize) }
        try writer.append(kind: 1, bytes: [1])
        try writer.commit()
        #expect(try readAll(device).records.map(\.bytes) == [[1]])
    }

    @Test func recordMayFillItsPage() throws {
        // The zero byte that ends the block then needs another page.
        let device = CrashingBlockDevice()
        let (writer, _) = try openSmall(device)
        for number in 0..<14 {
            let bytes = payload(number, count: 4096 - BlockHeader.size - 7)
            let position = try writer.append(kind: 1, bytes: bytes)
            try writer.commit()
            #expect(try readAll(device).records.last?.position == position)
            let (_, report) = try openSmall(CrashingBlockDevice(device.content))
            #expect(report.tornBytes == 0 && report.tailRecords > 0)
        }
        #expect(writer.oldest > .zero)
    }
}
