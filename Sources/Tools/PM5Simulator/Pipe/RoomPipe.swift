import Bytes
import Glibc
import HostRuntime

/// Runs a `PipedRoom` in real time between two descriptors, on its own queue.
package actor RoomPipe: QueueActor {
    package nonisolated let executor = SerialQueueExecutor(label: "pm5sim.pipe")

    private var room: PipedRoom
    private let input: Int32
    private let output: Int32
    private let speed: Double
    private let startNanoseconds = SystemClock.bootNanoseconds()
    private var lines = LineSplitter()
    private var source: ReadinessSource?
    private var timer: QueueTimer?
    private var onEnd: (@Sendable () -> Void)?

    /// - Parameters:
    ///   - speed: simulated seconds per second.
    ///   - input: requests; the caller owns both descriptors.
    package init(_ room: PipedRoom, speed: Double, input: Int32, output: Int32) {
        self.room = room
        self.speed = speed
        self.input = input
        self.output = output
    }

    /// Describes the room and continues until `stop()`.
    ///
    /// - Parameter onEnd: called on the queue, once, when one of the descriptors has ended.
    package func start(onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = onEnd
        timer = makeTimer { $0.advance() }
        source = ReadinessSource(.read, descriptor: input, on: executor, closing: false) {
            @Sendable [weak self] in
            self?.assumeIsolated { $0.read() }
        }
        write(room.description)
        source?.resume()
        advance()
    }

    /// Idempotent.
    package func stop() {
        onEnd = nil
        source?.cancel()
        source = nil
        timer?.cancel()
        timer = nil
    }

    private var milliseconds: Int {
        let nanoseconds = SystemClock.bootNanoseconds() - startNanoseconds
        return Int(Double(nanoseconds) / 1_000_000 * speed)
    }

    private func advance() {
        write(room.advance(to: milliseconds))
        let next = room.nextMilliseconds
        guard next < .max else { return timer?.stop() ?? () }
        let wait = Double(next - milliseconds) * 1_000_000 / speed
        timer?.fire(after: .nanoseconds(Int64(max(wait, 0))))
    }

    /// Reads everything available: the end of the input is reported only once, perhaps with the
    /// last bytes.
    private func read() {
        while onEnd != nil, isReadable { readOnce() }
        advance()
    }

    /// The descriptor may be blocking, and we must not change it.
    private var isReadable: Bool {
        var request = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0
    }

    private func readOnce() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(input, &buffer, buffer.count)
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
        guard count > 0 else { return end() }
        for line in lines.consume(buffer[..<count]) {
            // A client that sends a line without end is disconnected.
            guard case .whole(let bytes) = line else { return end() }
            write(room.receive(String(decoding: bytes, as: UTF8.self), at: milliseconds))
        }
    }

    /// The reader is the other half of the emulation, so a full pipe is waited for.
    private func write(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        var rest = Array((lines.joined(separator: "\n") + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return end() }
            rest = rest.dropFirst(count)
        }
    }

    private func end() {
        source?.suspend()
        onEnd?()
        onEnd = nil
    }
}
