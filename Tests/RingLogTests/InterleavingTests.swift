import TestSupport
import Testing

@testable import RingLog

/// Reads during concurrent writes between the reader's own reads.
@Suite struct InterleavingTests {
    @Test(arguments: Start.allCases)
    func readerMissesNoRecordWrittenDuringItsReads(start: Start) throws {
        // The writer continues after each page that the reader reads, in steps of every length.
        // Then the reader looks at the end of the log. New records must not count as damage.
        for steps in 1...9 {
            var page = 0
            while try look(from: start, interruptedBehind: page, steps: steps) { page += 1 }
            #expect(page > 1, "a look reads several pages")
        }
    }

    /// The position of the reader.
    enum Start: CaseIterable {
        case closedBlock, openBlock, beginning
    }

    /// Whether the lookup reached `page`.
    private func look(from start: Start, interruptedBehind page: Int, steps: Int) throws -> Bool {
        let memory = CrashingBlockDevice()
        let geometry = LogGeometry(segmentSize: 8 * 4096, segmentCount: 4)
        let (writer, _) = try LogWriter.open(device: memory, geometry: geometry, newEpoch: epoch)
        var appended = 0
        func goOn(_ steps: Int) throws {
            for step in 1...steps {
                for count in [300, 2000] {
                    appended += 1
                    try writer.append(kind: 1, bytes: payload(appended, count: count))
                }
                try writer.flush()
                if step % 2 == 0 { try writer.commit() }
            }
        }
        try goOn(start == .openBlock ? 3 : 2)

        let device = InterruptedBlockDevice(memory)
        var reader = try LogReader(device: device)
        var seen = start == .beginning ? [] : try readOn(&reader).records
        device.interrupt(behind: page) { try goOn(steps) }
        let during = try readOn(&reader)
        guard device.wasInterrupted else { return false }
        let afterwards = try readOn(&reader)
        seen += during.records + afterwards.records
        let comment: Comment = "\(start), \(steps) steps behind page \(page)"
        #expect(during.gaps.isEmpty && afterwards.gaps.isEmpty, comment)
        #expect(seen.map(\.bytes) == (1...appended).map { bytes(of: $0) }, comment)
        return true
    }

    private func bytes(of number: Int) -> [UInt8] {
        payload(number, count: number % 2 == 1 ? 300 : 2000)
    }
}

/// Reads page by page; once, a writer runs between two reads.
private final class InterruptedBlockDevice: BlockDevice {
    private let device: any BlockDevice
    private var interruption: (() throws -> Void)?
    private var pagesBefore = 0

    init(_ device: any BlockDevice) { self.device = device }

    var wasInterrupted: Bool { interruption == nil }

    func interrupt(behind page: Int, by interruption: @escaping () throws -> Void) {
        (pagesBefore, self.interruption) = (page, interruption)
    }

    var path: String { device.path }
    func size() throws(RingLogError) -> UInt64 { try device.size() }
    func allocate(size: UInt64) throws(RingLogError) { try device.allocate(size: size) }
    func sync() throws(RingLogError) { try device.sync() }

    func write(at offset: UInt64, bytes: UnsafeRawBufferPointer) throws(RingLogError) {
        try device.write(at: offset, bytes: bytes)
    }

    func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RingLogError) -> Int {
        var count = 0
        for start in stride(from: 0, to: buffer.count, by: LogFormat.pageSize) {
            let page = buffer.part(start..<min(start + LogFormat.pageSize, buffer.count))
            count += try device.read(at: offset + UInt64(start), into: page)
            goOn()
        }
        return count
    }

    private func goOn() {
        guard let interruption else { return }
        guard pagesBefore > 0 else {
            self.interruption = nil
            do { try interruption() } catch { Issue.record(error) }
            return
        }
        pagesBefore -= 1
    }
}
