/// A ring as its writer knows it at one moment, for readers on any queue.
///
/// With it a reader need not find out where the log ends, nor look at the superblocks, which a file
/// that somebody cut short lacks.
package struct LogView: @unchecked Sendable {
    // Immutable but for the device, which has to allow reading beside the writer.
    let ring: RingFile
    let newestSegment: UInt64
    /// Behind the last record.
    package let end: LogPosition

    fileprivate init(ring: RingFile, newestSegment: UInt64, end: LogPosition) {
        (self.ring, self.newestSegment, self.end) = (ring, newestSegment, end)
    }

    /// What the ring is on.
    package var device: any BlockDevice { ring.device }

    /// The start of the oldest segment.
    package var oldest: LogPosition {
        ring.geometry.start(ofSegment: ring.geometry.oldestSegment(newest: newestSegment))
    }

    /// A reader that starts with the first record at or after `position`.
    ///
    /// It asks the device for nothing behind the end, nor for more before `position` than its block.
    package func reader(from position: LogPosition) throws(RingLogError) -> LogReader {
        var reader = try LogReader(ring: ring, newestSegment: newestSegment, from: position)
        reader.end = end
        return reader
    }
}

extension LogWriter {
    /// The ring as of now.
    package var view: LogView { LogView(ring: ring, newestSegment: segment ?? 0, end: end) }
}
