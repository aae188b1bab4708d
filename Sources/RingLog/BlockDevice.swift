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
}
