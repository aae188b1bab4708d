import Glibc

/// The only interface between a ring log and the system: every syscall of a log is a call here.
package protocol BlockDevice: AnyObject {
    /// The name used in error messages.
    var path: String { get }

    /// Returns the number of bytes of the device.
    func size() throws(RingLogError) -> UInt64

    /// Grows the device to at least `size` bytes, zero where new, with their space reserved.
    func allocate(size: UInt64) throws(RingLogError)

    /// Fills `buffer` from `offset`. Returns the number of bytes read: less than the buffer only at
    /// the end.
    func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RingLogError) -> Int

    /// Passes all `bytes` to the system. After an error, any part of them may have been written.
    func write(at offset: UInt64, bytes: UnsafeRawBufferPointer) throws(RingLogError)

    /// Returns once everything written so far is on the medium.
    func sync() throws(RingLogError)

    /// Whether `path` still names this file: it may have been deleted or replaced.
    var isInPlace: Bool { get }

    /// Writes up to `limit` bytes of zeros to reserved space in `range` that was never written. The
    /// first write to such space is slower than later ones.
    ///
    /// Returns the offset at which to continue; nil if the range has no such space left.
    func prepare(_ range: Range<UInt64>, limit: Int) throws(RingLogError) -> UInt64?
}

extension BlockDevice {
    package var isInPlace: Bool { true }

    package func prepare(_ range: Range<UInt64>, limit: Int) -> UInt64? { nil }

    /// Fills `buffer` from `offset`. Bytes that the device does not have, or that cannot be read,
    /// become zero.
    ///
    /// After a read error, each page is read separately, so that a bad page does not affect its
    /// neighbours.
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
