import Glibc

/// The one seam between a ring log and the system: every syscall of a log is a call here.
package protocol BlockDevice: AnyObject {
    /// What error messages call it.
    var path: String { get }

    /// Bytes from the start to the end.
    func size() throws(RingLogError) -> UInt64

    /// Grows the device to at least `size` bytes, zero where new, with their space reserved.
    func allocate(size: UInt64) throws(RingLogError)

    /// Fills `buffer` from `offset` and returns how many bytes there were: fewer only at the end.
    func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RingLogError) -> Int

    /// Hands all `bytes` to the system. On an error any part of them may have been taken.
    func write(at offset: UInt64, bytes: UnsafeRawBufferPointer) throws(RingLogError)

    /// Returns once everything written so far is on the medium.
    func sync() throws(RingLogError)

    /// Whether `path` still leads to this file: it may have been deleted, or another put there.
    var isInPlace: Bool { get }

    /// Writes zeros, `limit` bytes at most, to space in `range` that is reserved and was never
    /// written, where a first write costs more than any later one.
    ///
    /// Returns where to go on; nil if there is no such space left in the range.
    func prepare(_ range: Range<UInt64>, limit: Int) throws(RingLogError) -> UInt64?
}

extension BlockDevice {
    package var isInPlace: Bool { true }

    package func prepare(_ range: Range<UInt64>, limit: Int) -> UInt64? { nil }

    /// Fills `buffer` from `offset`; what the device lacks, or the medium cannot give back, is zero.
    ///
    /// Where the medium fails, each page is read by itself: one must not cost its neighbours.
    func readAll(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RingLogError) {
        do {
            let count = try read(at: offset, into: buffer)
            buffer.part(count..<buffer.count).clear()
        } catch  where error.code == EIO {
            guard buffer.count > LogFormat.pageSize else { return buffer.clear() }
            for start in stride(from: 0, to: buffer.count, by: LogFormat.pageSize) {
                let page = buffer.part(start..<min(start + LogFormat.pageSize, buffer.count))
                try readAll(at: offset + UInt64(start), into: page)
            }
        }
    }
}
