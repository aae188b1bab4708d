/// A snapshot of a ring as its writer knows it, for readers on any queue.
///
/// A reader that has it does not need to find the end of the log or to read the superblocks, which
/// a truncated file lacks.
package struct LogView: @unchecked Sendable {
    // Immutable except for the device, which must allow reading while it is written.
    let ring: RingFile
    let newestSegment: UInt64
    /// The end of the last record.
    package let end: LogPosition

    fileprivate init(ring: RingFile, newestSegment: UInt64, end: LogPosition) {
        (self.ring, self.newestSegment, self.end) = (ring, newestSegment, end)
    }

    /// The device of the ring.
    package var device: any BlockDevice { ring.device }

    /// The start of the oldest segment.
    package var oldest: LogPosition {
        ring.geometry.start(ofSegment: ring.geometry.oldestSegment(newest: newestSegment))
    }

    /// Returns a reader that starts with the first record at or after `position`.
    ///
    /// It reads nothing behind the end, and before `position` only the block that holds it.
    package func reader(from position: LogPosition) throws(RingLogError) -> LogReader {
        var reader = try LogReader(ring: ring, newestSegment: newestSegment, from: position)
        reader.end = end
        return reader
    }
}

extension LogWriter {
    /// The ring at this moment.
    package var view: LogView { LogView(ring: ring, newestSegment: segment ?? 0, end: end) }
}
