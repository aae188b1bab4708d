import Glibc

/// One end of a stream socket between two processes, and frames on it: a length in four bytes, then
/// so many bytes.
struct FrameSocket: Sendable {
    /// No message comes near; what claims to be longer is no frame of ours.
    static let maximumFrame = 16 << 20
    /// Whoever takes nothing for so long hangs.
    private static let patience = 5

    let descriptor: Int32

    /// From now on `write` gives up on who takes nothing.
    func limitPatience() {
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Waits for the next frame; nil at the end, and for what is no frame.
    func read() -> [UInt8]? {
        guard let head = read(count: 4) else { return nil }
        let count = head.reversed().reduce(0) { $0 << 8 | Int($1) }
        return count <= Self.maximumFrame ? read(count: count) : nil
    }

    private func read(count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let taken = bytes.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress! + filled, count - filled, 0)
            }
            if taken < 0, errno == EINTR { continue }
            guard taken > 0 else { return nil }
            filled += taken
        }
        return bytes
    }

    /// Hands a frame over; false when the other end is gone or hangs, and then it is of no use
    /// any more.
    func write(_ frame: [UInt8]) -> Bool {
        let count = UInt32(frame.count)
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + frame
        var written = 0
        while written < bytes.count {
            let taken = bytes.withUnsafeBytes {
                send(
                    descriptor, $0.baseAddress! + written, bytes.count - written,
                    Int32(MSG_NOSIGNAL))
            }
            if taken < 0, errno == EINTR { continue }
            guard taken > 0 else { return false }
            written += taken
        }
        return true
    }
}
