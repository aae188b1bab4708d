import Glibc
import HostRuntime
import PM5Codec
import Rowing
import TestSupport
import Testing
import Timeline

@testable import BlueZLink

/// Delivery of values that arrive before the link is open.
struct NotificationStreamTests {
    /// bluetoothd's end of a notification socket, and the other end in a stream.
    private struct Socket {
        let far: Int32

        init(_ id: CharacteristicID, of stream: NotificationStream) throws {
            var pair: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &pair) == 0)
            far = pair[0]
            stream.listen(to: id, on: LinkDescriptor(owning: pair[1]))
        }

        /// Sends a value and waits until it was read.
        func send(_ byte: UInt8) async {
            _ = [byte].withUnsafeBytes { write(far, $0.baseAddress, 1) }
            let isRead = await eventually {
                var unread: Int32 = 0
                return ioctl(far, UInt(TIOCOUTQ), &unread) == 0 && unread == 0
            }
            #expect(isRead)
        }

        /// Whether the stream has let go of its end.
        var isClosedByStream: Bool {
            var byte: UInt8 = 0
            return recv(far, &byte, 1, Int32(MSG_DONTWAIT)) == 0
        }
    }

    private struct DiscardingLink: ErgLink {
        func write(_ value: [UInt8], to characteristic: CharacteristicID) async throws {}
    }

    private let thread = ReadinessThread()

    private func newStream(
        to listener: RecordingListener, waitingOn thread: ReadinessThread? = nil,
        onEnd: @escaping @Sendable () -> Void = {}
    ) -> NotificationStream {
        NotificationStream(
            station: listener.endpoint, clock: SystemRuntime(), waitingOn: thread ?? self.thread,
            onEnd: onEnd)
    }

    private static let monitor = MonitorIdentity(
        serial: "430000001", address: "F4:30:00:00:00:01", adapter: "hci0")

    @Test func deliversValuesOfAllSocketsInOrder() async throws {
        // Strokes and statuses alternate on two sockets, and splits come over the bus.
        let listener = RecordingListener("1")
        let stream = newStream(to: listener)
        let strokes = try Socket(.strokeData, of: stream)
        let statuses = try Socket(.generalStatus, of: stream)
        defer { for socket in [strokes, statuses] { close(socket.far) } }
        let begun = SystemRuntime().now()
        for number in UInt8(1)...3 {
            await strokes.send(number)
            await statuses.send(number)
            stream.deliver(.splitData, [number])
            // The thread of the sockets may enter the queue before work that waits there.
            await withCheckedContinuation { waiter in
                listener.endpoint.executor.async { waiter.resume() }
            }
        }
        #expect(listener.now.events.isEmpty, "nothing before the opening")
        let opened = SystemRuntime().now()
        stream.open(Self.monitor, through: DiscardingLink())
        #expect(await eventually { listener.now.instants.count == 10 })
        let turn = [CharacteristicID.strokeData, .generalStatus, .splitData]
        let wanted = (turn + turn + turn).map(RecordingListener.Event.received)
        #expect(listener.now.events == [.opened] + wanted)
        let instants = listener.now.instants
        #expect(instants[0] == instants[1], "open since the first value")
        #expect(instants.dropLast().allSatisfy { $0 >= begun && $0 <= opened })
        #expect(Set(instants.map(\.nanoseconds)).count == 9)
        await strokes.send(4)
        #expect(await eventually { listener.now.values[.strokeData] == [[1], [2], [3], [4]] })
        stream.close(.ours)
        #expect(await eventually { listener.closures == [.ours] })
        #expect(await eventually { strokes.isClosedByStream && statuses.isClosedByStream })
        #expect(listener.now.faults.isEmpty)
    }

    /// Without a phone, a status waits for the one behind it, or for the thread's look at all sockets, which
    /// this thread never takes.
    @Test func phoneGetsEveryStatusAtOnce() async throws {
        let listener = RecordingListener("1")
        let thread = ReadinessThread(sweep: .seconds(86_400))
        defer { thread.stop() }
        let stream = newStream(to: listener, waitingOn: thread)
        let first = try Socket(.generalStatus, of: stream)
        let last = try Socket(.additionalStatus2, of: stream)
        defer { for socket in [first, last] { close(socket.far) } }
        stream.open(Self.monitor, through: DiscardingLink())
        await last.send(0)
        #expect(await eventually { listener.now.values[.additionalStatus2] == [[0]] })
        let (own, phone) = try #require(PhoneSocket.pair())
        let tap = RelayTap(station: listener.endpoint, clock: SystemRuntime()) { _ in }
        stream.attach(tap)
        tap.attach(.generalStatus, own)
        for number in UInt8(1)...4 { await first.send(number) }
        for number in UInt8(1)...4 {
            #expect(await eventually { LinkDescriptor.receive(phone.number) == [number] })
        }
        #expect(await eventually { listener.now.values[.generalStatus] == [[1], [2], [3], [4]] })
        stream.close(.ours)
        #expect(await eventually { listener.closures == [.ours] })
    }

    @Test func deliversValuesAndEndOfLinkClosedBeforeOpening() async throws {
        let listener = RecordingListener("1")
        let (ends, endReported) = AsyncStream.makeStream(of: Void.self)
        let stream = newStream(to: listener) {
            endReported.yield()
        }
        let socket = try Socket(.strokeData, of: stream)
        await socket.send(1)
        close(socket.far)
        try await Task.sleep(for: .milliseconds(20))
        #expect(listener.now.events.isEmpty)
        stream.open(Self.monitor, through: DiscardingLink())
        for await _ in ends { break }
        #expect(listener.now.events == [.opened, .received(.strokeData), .closed(.lost)])
        #expect(listener.now.faults.isEmpty)
    }

    @Test func abandonedPreparationClosesSockets() async throws {
        let listener = RecordingListener("1")
        func prepare() throws -> [Socket] {
            let stream = newStream(to: listener)
            let preparation = LinkPreparation(
                attempt: LinkAttempt(serial: "430000001", number: 1, path: "/org/bluez/hci0/dev_1"),
                identity: Self.monitor, stream: stream)
            return try withExtendedLifetime(preparation) {
                try [Socket(.strokeData, of: stream), Socket(.generalStatus, of: stream)]
            }
        }
        for socket in try prepare() {
            #expect(await eventually { socket.isClosedByStream })
            close(socket.far)
        }
        #expect(listener.now.events.isEmpty)
    }
}
