import Glibc

/// Finds the state of a ring, or makes a new one: LogFormat.md, Opening.
struct LogRecovery {
    /// Where a writer goes on.
    struct State {
        var ring: RingFile
        /// The segment being filled; nil in a new ring.
        var segment: UInt64?
        /// Behind the last record.
        var end = LogPosition.zero
        /// Where the next block goes, if the segment has room.
        var nextPage = LogPosition.zero
        var consumed = LogPosition.zero
        /// Segments up to this one may once have been in use.
        var reservedThrough: UInt64 = 0
    }

    private let device: any BlockDevice
    private let scratch = PageBuffer(count: LogFormat.pageSize)

    /// Opens what `device` holds. `geometry` and `newEpoch` take effect only if a ring has to be
    /// made.
    static func open(
        _ device: any BlockDevice, geometry: LogGeometry, newEpoch: [UInt8]
    ) throws(RingLogError) -> (State, RecoveryReport) {
        precondition(newEpoch.count == Superblock.epochSize, "an epoch is 16 bytes")
        let recovery = LogRecovery(device: device)
        let new = Superblock(epoch: newEpoch, geometry: geometry)
        let copies = try Superblock.readCopies(device)
        if copies.newerVersion != nil {
            throw RingLogError(.recognize, code: EPROTONOSUPPORT, path: device.path)
        }
        guard let superblock = copies.valid else {
            // A file that was preallocated, but never got its superblock, is as good as new.
            let isBlank = try recovery.isBlank(at: 0)
            return try recovery.create(new, origin: isBlank ? .created : .recreated)
        }
        let ring = RingFile(device: device, superblock: superblock)
        guard var (state, report) = try recovery.recover(ring) else {
            return try recovery.create(new, origin: .recreated)
        }
        if copies.front != copies.back {
            try recovery.writeSuperblocks(superblock)
            report.repairedSuperblock = true
        }
        try device.sync()
        state.ring = ring
        return (state, report)
    }

    /// What the slots of a ring hold, by their headers.
    private struct Survey {
        var newest: SegmentHeader?
        /// By slot: whether a newer segment than `newest` may have been here.
        var isSuspect: [Bool] = []
        var damaged = 0
    }

    /// Nil if nothing can be read, but something was there.
    private func recover(
        _ ring: RingFile
    ) throws(RingLogError) -> (State, RecoveryReport)? {
        let survey = try self.survey(ring)
        guard let newest = survey.newest else {
            guard !survey.isSuspect.contains(true) else { return nil }
            let report = RecoveryReport(
                origin: .existing, wasClosed: true, tail: .zero ..< .zero,
                abandoned: .zero ..< .zero)
            return (State(ring: ring), report)
        }
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
        report.hasTornEnd = try reader.window.bytes(at: reader.position, wanted: 1).first != 0
        report.damagedSegments = survey.damaged
        let state = self.state(of: ring, survey, newest, reader)
        report.abandoned = reader.position..<(report.wasClosed ? reader.position : state.nextPage)
        return (state, report)
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
        try device.allocate(size: ring.geometry.fileSize)
        var survey = Survey()
        for slot in 0..<UInt64(ring.geometry.segmentCount) {
            let content = try ring.slot(of: slot, scratch: scratch)
            let end =
                ring.geometry.fileOffset(of: ring.geometry.start(ofSegment: slot))
                + UInt64(LogFormat.pageSize)
            // A blank header in a file that had been cut short says nothing about what was there.
            let isSuspect = content == .damaged || (content == .blank && end > size)
            survey.isSuspect.append(isSuspect)
            if isSuspect { survey.damaged += 1 }
            if case .segment(let header) = content,
                header.sequence >= survey.newest?.sequence ?? 0
            {
                survey.newest = header
            }
        }
        return survey
    }

    /// Makes a new ring, so that a cut at any moment leaves either no ring or an empty one.
    private func create(
        _ superblock: Superblock, origin: RecoveryReport.Origin
    ) throws(RingLogError) -> (State, RecoveryReport) {
        let ring = RingFile(device: device, superblock: superblock)
        try device.allocate(size: superblock.geometry.fileSize)
        for offset in [0, superblock.geometry.backSuperblockOffset] { try erase(at: offset) }
        try device.sync()
        for slot in 0..<UInt64(superblock.geometry.segmentCount) {
            try erase(at: ring.geometry.fileOffset(of: ring.geometry.start(ofSegment: slot)))
        }
        try device.sync()
        try writeSuperblocks(superblock)
        try device.sync()
        let report = RecoveryReport(
            origin: origin, wasClosed: true, tail: .zero ..< .zero, abandoned: .zero ..< .zero)
        return (State(ring: ring), report)
    }

    private func writeSuperblocks(_ superblock: Superblock) throws(RingLogError) {
        scratch.bytes.clear()
        superblock.write(scratch.bytes)
        try device.write(at: superblock.geometry.backSuperblockOffset, bytes: scratch.readOnly)
        try device.write(at: 0, bytes: scratch.readOnly)
    }

    private func erase(at offset: UInt64) throws(RingLogError) {
        guard try !isBlank(at: offset) else { return }
        scratch.bytes.clear()
        try device.write(at: offset, bytes: scratch.readOnly)
    }

    private func isBlank(at offset: UInt64) throws(RingLogError) -> Bool {
        do {
            let count = try device.read(at: offset, into: scratch.bytes)
            return scratch.readOnly.prefix(count).allSatisfy { $0 == 0 }
        } catch  where error.code == EIO {
            return false
        }
    }
}
