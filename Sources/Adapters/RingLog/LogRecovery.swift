import Glibc

/// Finds the state of a ring, or creates a new one: LogFormat.md, Opening.
struct LogRecovery {
    /// Where a writer continues.
    struct State {
        var ring: RingFile
        /// The segment being filled; nil in a new ring.
        var segment: UInt64?
        /// The end of the last record.
        var end = LogPosition.zero
        /// The page of the next block, if the segment has room.
        var nextPage = LogPosition.zero
        var consumed = LogPosition.zero
        /// The last segment that may have been in use.
        var reservedThrough: UInt64 = 0
    }

    private let device: any BlockDevice
    private let scratch = PageBuffer(count: LogFormat.pageSize)

    /// Opens the content of `device`. `geometry` and `newEpoch` are used only for a blank device.
    static func open(
        _ device: any BlockDevice, geometry: LogGeometry, newEpoch: [UInt8]
    ) throws(RingLogError) -> (State, RecoveryReport) {
        precondition(newEpoch.count == Superblock.epochSize, "an epoch is 16 bytes")
        let recovery = LogRecovery(device: device)
        switch try RingContent(of: device) {
        case .ring: return try recovery.openExisting()
        case .blank: return try recovery.create(Superblock(epoch: newEpoch, geometry: geometry))
        case .damaged: throw RingLogError(.recognize, code: EUCLEAN, path: device.path)
        case .foreign: throw RingLogError(.recognize, code: ENOTSUP, path: device.path)
        case .laterVersion:
            throw RingLogError(.recognize, code: EPROTONOSUPPORT, path: device.path)
        }
    }

    private func openExisting() throws(RingLogError) -> (State, RecoveryReport) {
        let copies = try Superblock.readCopies(device)
        guard let superblock = copies.valid,
            var (state, report) = try recover(RingFile(device: device, superblock: superblock))
        else { throw RingLogError(.recognize, code: EUCLEAN, path: device.path) }
        if copies.front != copies.back {
            try writeSuperblocks(superblock)
            report.repairedSuperblock = true
        }
        try device.sync()
        state.ring = RingFile(device: device, superblock: superblock)
        return (state, report)
    }

    /// The content of the slots of a ring, from their headers.
    private struct Survey {
        var newest: SegmentHeader?
        /// By slot: whether it may have held a newer segment than `newest`.
        var isSuspect: [Bool] = []
    }

    /// Returns nil if nothing can be read although the device was not blank.
    private func recover(
        _ ring: RingFile
    ) throws(RingLogError) -> (State, RecoveryReport)? {
        let survey = try self.survey(ring)
        guard let newest = survey.newest else {
            guard try isEmpty(ring, survey) else { return nil }
            try device.allocate(size: ring.geometry.fileSize)
            let report = RecoveryReport(
                origin: .existing, wasClosed: true, tail: .zero ..< .zero,
                abandoned: .zero ..< .zero)
            return (State(ring: ring), report)
        }
        try device.allocate(size: ring.geometry.fileSize)
        let start = ring.geometry.start(ofSegment: newest.sequence)
        var reader = try LogReader(ring: ring, newestSegment: newest.sequence, from: start)
        var report = RecoveryReport(
            origin: .existing, wasClosed: false, snapshot: newest.snapshot, tail: start..<start,
            abandoned: start..<start)
        while let item = try reader.next() {
            if case .gap(let gap) = item, report.gaps.count < RecoveryReport.maximumListedGaps {
                report.gaps.append(gap)
            }
        }
        report.wasClosed = reader.endsClosed
        report.tail = start..<reader.position
        report.tailRecords = reader.recordCount
        report.tornBytes = try tornBytes(reader)
        let state = self.state(of: ring, survey, newest, reader)
        report.abandoned = reader.position..<(report.wasClosed ? reader.position : state.nextPage)
        return (state, report)
    }

    /// Whether no segment was ever created. A power cut may have torn the header of the first
    /// segment, but then no block follows it.
    private func isEmpty(_ ring: RingFile, _ survey: Survey) throws(RingLogError) -> Bool {
        guard !survey.isSuspect.dropFirst().contains(true) else { return false }
        guard survey.isSuspect.first == true else { return true }
        var page = ring.geometry.firstBlock(ofSegment: 0)
        while page < ring.geometry.end(ofSegment: 0) {
            try ring.read(at: page, into: scratch.bytes)
            if BlockHeader.read(scratch.readOnly, at: page, seed: ring.seed) != nil { return false }
            page = page.advanced(by: LogFormat.pageSize)
        }
        return true
    }

    /// Counted up to the last byte of the page that is not zero.
    private func tornBytes(_ reader: borrowing LogReader) throws(RingLogError) -> Int {
        let rest = Int(reader.position.advanced(by: 1).pageUp.rawValue - reader.position.rawValue)
        let bytes = try reader.window.bytes(at: reader.position, wanted: rest).prefix(rest)
        guard let first = bytes.first, first != 0 else { return 0 }
        return (bytes.lastIndex { $0 != 0 } ?? bytes.startIndex) - bytes.startIndex + 1
    }

    private func state(
        of ring: RingFile, _ survey: Survey, _ newest: SegmentHeader, _ reader: borrowing LogReader
    ) -> State {
        let segment = ring.geometry.sequence(of: reader.position)
        let end = max(newest.previousEnd, reader.lastEnd)
        var state = State(ring: ring, segment: segment, end: end)
        state.consumed = max(newest.consumed, reader.consumed)
        state.nextPage = reader.position.advanced(by: 1).pageUp
        state.reservedThrough = segment
        guard !reader.endsClosed else { return state }
        state.nextPage = state.nextPage.advanced(by: LogFormat.maximumBlockSize)
        let count = UInt64(survey.isSuspect.count)
        while state.reservedThrough < segment + count - 1,
            survey.isSuspect[Int((state.reservedThrough + 1) % count)]
        {
            state.reservedThrough += 1
        }
        return state
    }

    private func survey(_ ring: RingFile) throws(RingLogError) -> Survey {
        let size = try device.size()
        var survey = Survey()
        for slot in 0..<UInt64(ring.geometry.segmentCount) {
            let content = try ring.slot(of: slot, scratch: scratch)
            let end =
                ring.geometry.fileOffset(of: ring.geometry.start(ofSegment: slot))
                + UInt64(LogFormat.pageSize)
            // A blank header in a truncated file does not prove that the segment was empty.
            let isSuspect = content == .damaged || (content == .blank && end > size)
            survey.isSuspect.append(isSuspect)
            if case .segment(let header) = content,
                header.sequence >= survey.newest?.sequence ?? 0
            {
                survey.newest = header
            }
        }
        return survey
    }

    /// Creates a ring on a blank device, so that a power cut at any moment leaves it blank or a
    /// ring.
    private func create(_ superblock: Superblock) throws(RingLogError) -> (State, RecoveryReport) {
        try device.allocate(size: superblock.geometry.fileSize)
        try device.sync()
        try writeSuperblocks(superblock)
        try device.sync()
        let report = RecoveryReport(
            origin: .created, wasClosed: true, tail: .zero ..< .zero, abandoned: .zero ..< .zero)
        return (State(ring: RingFile(device: device, superblock: superblock)), report)
    }

    private func writeSuperblocks(_ superblock: Superblock) throws(RingLogError) {
        scratch.bytes.clear()
        superblock.write(scratch.bytes)
        // One after the other, so that a power cut tears at most one.
        try device.write(at: superblock.geometry.backSuperblockOffset, bytes: scratch.readOnly)
        try device.sync()
        try device.write(at: 0, bytes: scratch.readOnly)
    }
}
