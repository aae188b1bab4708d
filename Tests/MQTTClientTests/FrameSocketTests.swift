import Glibc
import Testing

@testable import MQTTClient

/// Frames on the socket between a connection's process and its parent.
struct FrameSocketTests {
    private let near: FrameSocket
    private let far: FrameSocket

    init() {
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        (near, far) = (FrameSocket(descriptor: ends[0]), FrameSocket(descriptor: ends[1]))
    }

    private func closeBoth() { for socket in [near, far] { close(socket.descriptor) } }

    @Test func readsFramesInAnyParts() {
        defer { closeBoth() }
        let frames: [[UInt8]] = [[1], [], [2, 3], [4, 5, 6]]
        let bytes = frames.flatMap(FrameSocket.packed)
        var reader = FrameReader()
        var read: [[UInt8]] = []
        for part in [bytes[..<13], bytes[13..<16], bytes[16..<19], bytes[19...]] {
            let isMore = near.write(Array(part)) && reader.receive(from: far)
            #expect(isMore)
            while let frame = reader.next() { read.append(frame) }
        }
        #expect(read == frames)
        shutdown(near.descriptor, Int32(SHUT_WR))
        let isMore = reader.receive(from: far)
        #expect(!isMore)
    }

    @Test func rejectsTooLongFrames() {
        defer { closeBoth() }
        var reader = FrameReader()
        let isThere = near.write([0xFF, 0xFF, 0xFF, 0x7F, 0]) && reader.receive(from: far)
        let frame = reader.next()
        let isMore = reader.receive(from: far)
        #expect(isThere && frame == nil && !isMore)
    }

    /// The socket is filled without a reader; then the other end closes.
    @Test func offerNeverWaits() {
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        let sentCount = near.offer(bytes[...])
        #expect(sentCount ?? 0 > 0 && sentCount ?? 0 < bytes.count && near.offer(bytes[...]) == 0)
        close(far.descriptor)
        #expect(near.offer(bytes[...]) == nil)
        close(near.descriptor)
    }
}
