import Dispatch
import Glibc
import HostRuntime
import Testing

struct ReadinessTests {
    @Test func readsPacketsUntilTheEnd() async {
        let (near, far) = socketPair()
        let executor = SerialQueueExecutor(label: "reader")
        let sizes: [Int] = await withCheckedContinuation { done in
            executor.async {
                PacketReader(near, on: executor) { done.resume(returning: $0) }.start()
                let bytes: [UInt8] = [7, 7, 7]
                for size in 1...3 { send(far, bytes, size, 0) }
                shutdown(far, Int32(SHUT_WR))
            }
        }
        #expect(sizes == [1, 2, 3])
        var byte: UInt8 = 0
        #expect(recv(far, &byte, 1, 0) == 0, "the source closes its descriptor")
        close(far)
    }

    @Test func groupReadsManySockets() async {
        let pairs = (0..<3).map { _ in socketPair() }
        let executor = SerialQueueExecutor(label: "group")
        let received: [String] = await withCheckedContinuation { done in
            executor.async {
                let reader = GroupReader(on: executor) { done.resume(returning: $0) }
                for (name, pair) in pairs.enumerated() { reader.listen("\(name)", pair.0) }
                var bytes: [UInt8] = [1, 2]
                send(pairs[1].1, &bytes, 1, 0)
                close(pairs[1].1)
                send(pairs[0].1, &bytes, 2, 0)
                send(pairs[2].1, &bytes, 1, 0)
                send(pairs[2].1, &bytes, 2, 0)
            }
        }
        #expect(received.sorted() == ["0: 2", "1: 0", "1: 1", "2: 1", "2: 2"])
        for far in [pairs[0].1, pairs[2].1] {
            var byte: UInt8 = 0
            #expect(recv(far, &byte, 1, 0) == 0, "the group closes its descriptor")
            close(far)
        }
    }

    @Test func readAlongKeepsOrder() async {
        let pairs = (0..<3).map { _ in socketPair() }
        let executor = SerialQueueExecutor(label: "group")
        let received: [String] = await withCheckedContinuation { done in
            executor.async {
                let reader = GroupReader(on: executor) { done.resume(returning: $0) }
                reader.listen("first", pairs[0].0)
                reader.listenAlong("along", pairs[1].0)
                reader.listen("last", pairs[2].0)
                let bytes: [UInt8] = [1, 2]
                for pair in pairs { send(pair.1, bytes, 1, 0) }
                for pair in pairs.dropLast() { send(pair.1, bytes, 2, 0) }
            }
        }
        #expect(received == ["first: 1", "along: 1", "last: 1", "first: 2", "along: 2"])
        for pair in pairs { close(pair.1) }
    }

    @Test func waitsForRestOfPartialValue() async {
        let (near, far) = socketPair()
        let executor = SerialQueueExecutor(label: "group")
        let received: [String] = await withCheckedContinuation { done in
            executor.async {
                let reader = GroupReader(on: executor) { done.resume(returning: $0) }
                reader.listen("part", near, found: .partialValue) { send(far, [1] as [UInt8], 1, 0) }
                send(far, [1] as [UInt8], 1, 0)
            }
        }
        #expect(received == Array(repeating: "part: 1", count: 5))
        close(far)
    }

    @Test func readAlongIsReadWithoutWakeUp() async {
        let (near, far) = socketPair()
        let executor = SerialQueueExecutor(label: "group")
        let received: [String] = await withCheckedContinuation { done in
            executor.async {
                GroupReader(on: executor) { done.resume(returning: $0) }.listenAlong("along", near)
                for _ in 1...5 { send(far, [1] as [UInt8], 1, 0) }
            }
        }
        #expect(received == Array(repeating: "along: 1", count: 5))
        close(far)
    }

    @Test(arguments: [false, true])
    func releasesSuspendedSource(ran: Bool) async {
        let (near, far) = socketPair()
        let executor = SerialQueueExecutor(label: "source")
        await withCheckedContinuation { done in
            executor.async {
                let source = ReadinessSource(
                    .read, descriptor: near, on: executor, closing: true
                ) {}
                if ran {
                    source.resume()
                    source.suspend()
                }
                source.cancel()
                source.cancel()
                close(far)
                done.resume()
            }
        }
    }

    @Test func timerFiresAndStops() async {
        let (ticks, report) = AsyncStream.makeStream(of: Void.self)
        let clock = Clock()
        await clock.start { report.yield() }
        var seen = 0
        for await _ in ticks {
            seen += 1
            if seen == 3 { break }
        }
        await clock.stop()
        #expect(seen == 3)
    }

    private actor Clock {
        nonisolated let executor = SerialQueueExecutor(label: "timer")
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }
        private var timer: QueueTimer?

        func start(_ tick: @escaping @Sendable () -> Void) {
            timer = QueueTimer(on: executor, handler: tick)
            timer?.fire(every: .milliseconds(1))
        }

        func stop() { timer?.cancel() }
    }

    private func socketPair() -> (Int32, Int32) {
        var pair: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &pair)
        return (pair[0], pair[1])
    }

    /// Notes who sent how much, until five notes are taken. Confined to its executor's queue.
    private final class GroupReader: @unchecked Sendable {
        private let thread = ReadinessThread()
        private let group: ReadinessGroup
        private var received: [String] = []
        private let onEnd: ([String]) -> Void

        init(on executor: SerialQueueExecutor, onEnd: @escaping ([String]) -> Void) {
            group = ReadinessGroup(on: executor, waitingOn: thread)
            self.onEnd = onEnd
        }

        func listen(
            _ name: String, _ descriptor: Int32, found: ReadinessGroup.ReadResult = .value,
            then: @escaping () -> Void = {}
        ) {
            group.add(descriptor) { [self] in
                var buffer = [UInt8](repeating: 0, count: 64)
                let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                guard count >= 0 else { return .nothing }
                received.append("\(name): \(count)")
                if count == 0 { group.remove(descriptor) }
                if received.count == 5 {
                    group.cancel()
                    thread.stop()
                    onEnd(received)
                }
                then()
                return count > 0 ? found : .nothing
            }
        }

        func listenAlong(_ name: String, _ descriptor: Int32) {
            listen(name, descriptor)
            for _ in 1...2 { group.readAlong(descriptor) }
        }
    }

    /// Notes the sizes of packets until their end. Confined to its executor's queue.
    private final class PacketReader: @unchecked Sendable {
        private var source: ReadinessSource?
        private var sizes: [Int] = []
        private let descriptor: Int32
        private let executor: SerialQueueExecutor
        private let onEnd: ([Int]) -> Void

        init(
            _ descriptor: Int32, on executor: SerialQueueExecutor,
            onEnd: @escaping ([Int]) -> Void
        ) {
            self.descriptor = descriptor
            self.executor = executor
            self.onEnd = onEnd
        }

        func start() {
            source = ReadinessSource(
                .read, descriptor: descriptor, on: executor, closing: true
            ) { @Sendable [self] in drain() }
            source?.resume()
        }

        private func drain() {
            var buffer = [UInt8](repeating: 0, count: 64)
            var count = 0
            repeat {
                count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                if count > 0 { sizes.append(count) }
            } while count > 0
            guard count == 0 else { return }
            source?.cancel()
            source = nil
            onEnd(sizes)
        }
    }
}
