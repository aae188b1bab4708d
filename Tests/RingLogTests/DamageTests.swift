import Glibc
import TestSupport
import Testing

@testable import RingLog

@Suite struct DamageTests {
    @Test func flippedBitLosesOneRecord() throws {
        // Some thousand bits of a closed log, one at a time, on every kind of page. The loss is
        // reported, and no position is reused.
        let (content, records) = try closedLog(count: 80)
        let last = try #require(records.last)
        var random = SeededGenerator(seed: 3)
        var lost = 0
        for offset in stride(from: 0, to: content.count, by: 29) {
            var damaged = content
            damaged[offset] ^= 1 << Int.random(in: 0..<8, using: &random)
            let (found, gaps) = try readAll(CrashingBlockDevice(damaged))
            let missing = records.filter { !found.contains($0) }
            #expect(missing.count <= 1, "offset \(offset)")
            #expect(found.count + missing.count == records.count, "offset \(offset)")
            for record in missing {
                #expect(
                    gaps.contains { $0.range.contains(record.position) && $0.reason == .damaged },
                    "offset \(offset)")
            }
            lost += missing.count

            let device = CrashingBlockDevice(damaged)
            let (writer, report) = try openSmall(device, epoch: otherEpoch)
            #expect(report.origin == .existing && writer.epoch == epoch, "offset \(offset)")
            #expect(try writer.append(kind: 1, bytes: [1]) > last.position, "offset \(offset)")
        }
        // The test would prove nothing if most flips hit unused bytes.
        #expect(lost > 500)
    }

    @Test func damagedBlockHeaderLosesNoRecord() throws {
        // Every byte of every block header, one at a time.
        let (content, records) = try closedLog(count: 80)
        let headers = stride(from: 0, to: content.count, by: 4096).filter {
            content[$0..<$0 + 4].elementsEqual([0, 0x42, 0x4C, 0x4B])
        }
        #expect(headers.count > 8)
        for offset in headers.flatMap({ $0..<$0 + BlockHeader.size }) {
            var damaged = content
            damaged[offset] ^= 0x40
            let (found, gaps) = try readAll(CrashingBlockDevice(damaged))
            #expect(found == records && gaps.isEmpty, "offset \(offset)")
        }
    }

    @Test func flippedBitInNewestBlockLosesOneRecord() throws {
        // The log was not closed, and no later block confirms its last commit. A bit of each byte
        // of that commit is flipped. The result stays the same after the next writer continues.
        let (content, records, lastBlock) = try openLog()
        var random = SeededGenerator(seed: 5)
        var lost = 0
        for offset in lastBlock {
            var damaged = content
            damaged[offset] ^= 1 << Int.random(in: 0..<8, using: &random)
            lost += try expectOneLoss(in: damaged, of: records, "offset \(offset)")
        }
        #expect(lost > lastBlock.count / 2)
    }

    @Test func damagedHeaderAfterEmptyBlockLosesNoRecord() throws {
        // Each opening writes an empty block.
        let device = CrashingBlockDevice()
        let geometry = LogGeometry(segmentSize: 16 * 4096, segmentCount: 2)
        let (earlier, _) = try LogWriter.open(
            device: device, geometry: geometry, newEpoch: epoch)
        try earlier.append(kind: 1, bytes: payload(0, count: 100))
        try earlier.close()
        let (writer, _) = try openSmall(device)
        let first = try writer.append(kind: 1, bytes: payload(1, count: 100))
        try writer.append(kind: 1, bytes: payload(2, count: 100))
        try writer.commit()
        let records = try readAll(device).records
        #expect(records.count == 3)
        let start = Int(geometry.fileOffset(of: first)) - BlockHeader.size
        for offset in start..<start + BlockHeader.size {
            var damaged = device.content
            damaged[offset] ^= 0x40
            let lost = try expectOneLoss(in: damaged, of: records, "offset \(offset - start)")
            #expect(lost == 0)
        }
    }

    @Test func zeroedFirstByteInNewestBlockLosesOneRecord() throws {
        // A zero first byte makes a record look like the end of its block.
        for shift in 0..<5 {
            let (content, records, lastBlock) = try openLog(shift: shift)
            for record in records {
                let offset = Int(smallGeometry.fileOffset(of: record.position))
                guard lastBlock.contains(offset) else { continue }
                var damaged = content
                damaged[offset] = 0
                let lost = try expectOneLoss(in: damaged, of: records, "offset \(offset)")
                #expect(lost == 1, "offset \(offset)")
            }
        }
    }

    @Test func brokenSectorInNewestBlockLosesOnlyItsRecords() throws {
        // The sector becomes zeros or noise.
        let (content, records, lastBlock) = try openLog()
        var random = SeededGenerator(seed: 6)
        for sector in stride(from: lastBlock.lowerBound, to: lastBlock.upperBound, by: 512) {
            for junk in [[UInt8](repeating: 0, count: 512), random.bytes(512)] {
                var damaged = content
                damaged.put(junk, at: sector)
                let found = try readAll(CrashingBlockDevice(damaged)).records
                for record in records {
                    let start = Int(smallGeometry.fileOffset(of: record.position))
                    let end = start + Int(record.next.rawValue - record.position.rawValue)
                    guard end <= sector || start >= sector + 512 else { continue }
                    #expect(found.contains(record), "sector \(sector), record at \(start)")
                }
            }
        }
    }

    /// How many of `records` a log lacks, at most one, which it declares, now and ever after.
    private func expectOneLoss(
        in content: [UInt8], of records: [LogRecord], _ comment: Comment
    ) throws -> Int {
        let device = CrashingBlockDevice(content)
        let (found, gaps) = try readAll(device)
        let missing = records.filter { !found.contains($0) }
        #expect(missing.count <= 1 && found.count + missing.count == records.count, comment)
        for record in missing {
            #expect(gaps.contains { $0.range.contains(record.position) }, comment)
        }
        #expect(gaps.allSatisfy { $0.reason == .damaged }, comment)
        let (writer, report) = try openSmall(device)
        #expect(report.gaps == gaps, comment)
        let position = try writer.append(kind: 1, bytes: [1])
        #expect(position > records.last?.position ?? .zero, comment)
        try writer.commit()
        let (again, gapsAgain) = try readAll(device)
        #expect(again.dropLast() == found[...] && gapsAgain == gaps, comment)
        return missing.count
    }

    /// A log that was left open, its records, and the position of its last commit, which
    /// has records of all sizes.
    private func openLog(shift: Int = 0) throws -> ([UInt8], [LogRecord], Range<Int>) {
        let device = CrashingBlockDevice()
        let (writer, _) = try openSmall(device)
        for number in 0..<6 {
            try writer.append(kind: 1, bytes: payload(number, count: 500))
            try writer.commit()
        }
        let first = try writer.append(kind: 1, bytes: payload(6, count: 30 + shift))
        for number in 7..<40 {
            try writer.append(
                kind: 1, bytes: payload(number, count: [20, 133, 0, 450][number % 4]))
        }
        let end = Int(smallGeometry.fileOffset(of: writer.end))
        try writer.commit()
        let start = Int(smallGeometry.fileOffset(of: first)) - BlockHeader.size
        #expect(end - start > 4096 && start % 4096 == 0)
        return (device.content, try readAll(device).records, start..<end)
    }

    @Test func unreadableRingIsRefusedUnchanged() throws {
        // All segment headers are damaged, or both superblocks.
        let (content, _) = try closedLog(count: 80)
        var headers = content
        for slot in 0..<4 { headers[4096 + slot * 4 * 4096 + 9] ^= 1 }
        var superblocks = content
        for offset in [0, content.count - 4096] { superblocks[offset + 20] ^= 1 }
        for damaged in [headers, superblocks] {
            let device = CrashingBlockDevice(damaged)
            let refusal = RingLogError(.recognize, code: EUCLEAN, path: "memory")
            #expect(throws: refusal) { try openSmall(device, epoch: otherEpoch) }
            #expect(device.content == damaged && device.operations == 0)
        }
    }

    @Test func truncatedRingIsDamagedNotForeign() throws {
        // The file is truncated to zero under its writer, which continues, also in the middle of a
        // block of many pages.
        let geometry = LogGeometry(segmentSize: 64 * 4096, segmentCount: 4)
        for cut in 1..<40 {
            let device = CrashingBlockDevice()
            let (writer, _) = try LogWriter.open(
                device: device, geometry: geometry, newEpoch: epoch)
            for number in 0..<cut + 25 {
                if number == cut { device.truncate() }
                try writer.append(kind: 1, bytes: payload(number, count: 3000))
                try writer.flush()
            }
            let content = try RingContent(of: CrashingBlockDevice(device.content))
            #expect(content == .damaged, "cut behind \(cut)")
        }
    }

    @Test func readerWithKnownEndReadsLastBlock() throws {
        // The medium returns only the last block; the segments before it are unreadable.
        let device = CrashingBlockDevice()
        let geometry = LogGeometry(segmentSize: 16 * 4096, segmentCount: 8)
        let (writer, _) = try LogWriter.open(device: device, geometry: geometry, newEpoch: epoch)
        for number in 0..<150 {
            try writer.append(kind: 1, bytes: payload(number, count: 1500))
            if number % 5 == 4 { try writer.commit() }
        }
        let last = try writer.append(kind: 1, bytes: payload(150, count: 1500))
        try writer.commit()
        let page = Int(geometry.fileOffset(of: last)) / 4096
        device.readErrors = Set(0..<page)
        var reader = try writer.view.reader(from: .zero)
        let (records, gaps) = try readOn(&reader)
        #expect(records.map(\.position) == [last])
        #expect(gaps.allSatisfy { $0.reason == .damaged })
        #expect(gaps.last?.range.upperBound.rawValue ?? 0 <= last.rawValue)
    }

    @Test(arguments: CrashingBlockDevice.Loss.allCases)
    func powerCutDuringCreationLeavesBlankOrRing(loss: CrashingBlockDevice.Loss) throws {
        // A cut at each step, with each kind of loss.
        for stop in 1...8 {
            for seed in 0..<50 as Range<UInt64> {
                var random = SeededGenerator(seed: seed)
                let device = CrashingBlockDevice()
                device.stopsAt = stop
                _ = try? openSmall(device)
                let cut = CrashingBlockDevice(device.content(after: loss, using: &random))
                let (writer, report) = try openSmall(cut, epoch: otherEpoch)
                #expect(report.wasClosed, "stop \(stop), seed \(seed)")
                try writer.append(kind: 1, bytes: [1])
                try writer.commit()
                #expect(try readAll(cut).records.count == 1, "stop \(stop), seed \(seed)")
            }
        }
    }

    @Test func badSectorLosesOnlyItsRecords() throws {
        // EIO on each page in turn: at most a page of the shortest records, and the two that reach
        // into it.
        let (content, records) = try closedLog(count: 80)
        for page in 0..<content.count / 4096 {
            let device = CrashingBlockDevice(content)
            device.readErrors = [page]
            let (found, gaps) = try readAll(device)
            #expect(found.allSatisfy(records.contains), "page \(page)")
            // At most a page of the shortest and the two that reach into it.
            #expect(found.count >= records.count - 12, "page \(page)")
            #expect(found.count == records.count || !gaps.isEmpty, "page \(page)")
            _ = try openSmall(device)
        }
    }

    @Test func opensOrRefusesAnyContent() throws {
        // Garbage, zeros and parts of a ring. A refused file is unchanged.
        var random = SeededGenerator(seed: 4)
        var refusals = 0
        for (index, content) in try contents(&random).enumerated() {
            let device = CrashingBlockDevice(content)
            do {
                let (writer, report) = try openSmall(device, epoch: otherEpoch)
                #expect(
                    (writer.epoch == otherEpoch) == (report.origin == .created), "content \(index)")
                let position = try writer.append(kind: 5, bytes: [1, 2, 3])
                try writer.close()
                let found = try readAll(device).records.last
                #expect(found?.position == position, "content \(index)")
                #expect(found?.bytes == [1, 2, 3], "content \(index)")
                #expect(try openSmall(device).1.wasClosed, "content \(index)")
            } catch let error as RingLogError {
                #expect(error.operation == .recognize, "content \(index)")
                #expect(device.content == content, "content \(index)")
                refusals += 1
            }
        }
        #expect((61..<100).contains(refusals), "all that is foreign, and some scraps")
    }

    private func contents(_ random: inout SeededGenerator) throws -> [[UInt8]] {
        let (ring, _) = try closedLog(count: 80)
        var contents: [[UInt8]] = [[], [7], [UInt8](repeating: 0, count: 5000)]
        for round in 0..<60 {
            contents.append(random.bytes([1, 100, 4096, 9000, 80_000][round % 5]))
            var scrap = ring
            for _ in 0...round % 7 {
                let start = Int.random(in: 0..<scrap.count, using: &random)
                let count =
                    Int.random(in: 0...scrap.count - start, using: &random) / (1 + round % 9)
                let junk =
                    round % 2 == 0 ? random.bytes(count) : [UInt8](repeating: 0, count: count)
                scrap.put(junk, at: start)
            }
            contents.append(scrap)
        }
        return contents
    }

    @Test func truncatedFileNeverReusesPositions() throws {
        // The file is truncated at every half page.
        let (content, records) = try closedLog(count: 80)
        let last = try #require(records.last)
        for size in stride(from: 2048, through: content.count, by: 2048) {
            let device = CrashingBlockDevice(Array(content[..<size]))
            guard let (writer, report) = try? openSmall(device, epoch: otherEpoch) else {
                #expect(size < content.count && device.operations == 0, "size \(size)")
                continue
            }
            let position = try writer.append(kind: 1, bytes: [9])
            #expect(report.origin == .existing && position > last.position, "size \(size)")
            try writer.commit()
            let (found, _) = try readAll(device)
            #expect(found.last?.position == position, "size \(size)")
            #expect(found.dropLast().allSatisfy(records.contains), "size \(size)")
        }
    }

    @Test func laterVersionIsRefusedUnchanged() throws {
        // Version 2, in either superblock.
        let (content, _) = try closedLog(count: 3)
        for offsets in [[0, content.count - 4096], [content.count - 4096]] {
            var newer = content
            if offsets.count == 1 { newer.put([0], at: 0) }
            for offset in offsets { newer.put(superblock(version: 2, from: content), at: offset) }
            let device = CrashingBlockDevice(newer)
            let refusal = RingLogError(.recognize, code: EPROTONOSUPPORT, path: "memory")
            #expect(throws: refusal) { try openSmall(device) }
            #expect(throws: refusal) { try readAll(device) }
            #expect(device.content == newer && device.operations == 0)
            #expect(refusal.description == "memory: written by a later version of this program")
        }
    }

    @Test func oneSuperblockSuffices() throws {
        // The opening restores the other one.
        let (content, records) = try closedLog(count: 80)
        for offset in [0, content.count - 4096] {
            var damaged = content
            damaged.put([UInt8](repeating: 0xA5, count: 4096), at: offset)
            let device = CrashingBlockDevice(damaged)
            #expect(try readAll(device).records == records)
            let (_, report) = try openSmall(device, epoch: otherEpoch)
            #expect(report.repairedSuperblock && report.origin == .existing)
            #expect(device.content == content)
        }
    }

    /// A log that has come round more than once, closed, and the records it still holds.
    private func closedLog(count: Int) throws -> ([UInt8], [LogRecord]) {
        let device = CrashingBlockDevice()
        let (writer, _) = try openSmall(device)
        for number in 0..<count {
            let length = [30, 540, 90, 3000, 700, 1200][number % 6]
            try writer.append(kind: 1, bytes: payload(number, count: length))
            if number % 7 == 6 { try writer.commit() }
        }
        try writer.close()
        return (device.content, try readAll(device).records)
    }

    private func superblock(version: UInt32, from content: [UInt8]) -> [UInt8] {
        let page = PageBuffer(count: 4096)
        page.bytes.copyBytes(from: content[..<4096])
        page.bytes.store(version, at: 8)
        var crc = CRC32C()
        crc.update(page.readOnly.part(0..<60))
        page.bytes.store(crc.value, at: 60)
        return Array(page.readOnly)
    }
}
