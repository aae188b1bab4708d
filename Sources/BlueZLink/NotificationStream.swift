import Glibc
import HostRuntime
import PM5Codec
import Rowing
import Synchronization

/// The values of one link, from its sockets to its station.
///
/// Made on the bus queue; from `open` on, everything but the instants below belongs to the
/// station's queue, hence the unchecked conformance. A notification costs one recv and one call:
/// no lock, no await, no allocation.
final class NotificationStream: @unchecked Sendable {
    /// ATT values are at most 512 bytes (Core 5.4, Vol 3, Part F, 3.2.9).
    private static let largestValue = 512

    private let seat: StationSeat
    /// Called on the station's queue when a socket ended by itself.
    private let onEnd: @Sendable () -> Void
    private var isOpen = false
    private var sources: [ReadinessSource] = []
    /// Reused for every value; lives as long as this object.
    private let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: largestValue, alignment: 8)
    /// Boot nanoseconds of the last status, for the watchdog on the bus queue; 0 before the first.
    private let lastStatus = Atomic<UInt64>(0)
    /// The same of the last stroke.
    private let lastStroke = Atomic<UInt64>(0)

    init(seat: StationSeat, onEnd: @escaping @Sendable () -> Void) {
        self.seat = seat
        self.onEnd = onEnd
    }

    deinit { buffer.deallocate() }

    /// When the last 0x0031 arrived, by itself or multiplexed. From any thread.
    var lastStatusInstant: BootInstant? { Self.instant(lastStatus) }

    /// When the last 0x0035 arrived, likewise.
    var lastStrokeInstant: BootInstant? { Self.instant(lastStroke) }

    private static func instant(_ nanoseconds: borrowing Atomic<UInt64>) -> BootInstant? {
        let nanoseconds = nanoseconds.load(ordering: .relaxed)
        return nanoseconds > 0 ? BootInstant(nanoseconds: nanoseconds) : nil
    }

    /// Tells the station that its link is open, then lets the sockets speak.
    func open(
        _ monitor: MonitorIdentity, through link: any ErgLink,
        sockets: [(CharacteristicID, LinkDescriptor)]
    ) {
        seat.executor.queue.async { [self] in
            isOpen = true
            seat.listener.linkDidOpen(monitor, through: link, at: now())
            for (id, socket) in sockets { listen(to: id, on: socket.take()) }
        }
    }

    /// A value that came over the bus, where a socket was refused.
    func deliver(_ id: CharacteristicID, _ value: [UInt8]) {
        seat.executor.queue.async { [self] in
            guard isOpen else { return }
            value.withUnsafeBytes { hand(id, $0) }
        }
    }

    /// Ends the link for the station, unless the sockets did so already.
    func close(_ reason: LinkClosure) {
        seat.executor.queue.async { [self] in end(reason) }
    }

    // MARK: - On the station's queue

    private func listen(to id: CharacteristicID, on descriptor: Int32) {
        guard isOpen, descriptor >= 0 else { return }
        let source = ReadinessSource(
            .read, descriptor: descriptor, on: seat.executor, closing: true
        ) { @Sendable [self] in drain(id, descriptor) }
        sources.append(source)
        source.resume()
    }

    /// Reads until nothing is left. One recv is one value, because the socket is SOCK_SEQPACKET;
    /// zero bytes are its end, which is announced only once.
    private func drain(_ id: CharacteristicID, _ descriptor: Int32) {
        while isOpen {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                hand(id, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            } else if count == 0 {
                return endOfFile()
            } else if errno != EINTR {
                if errno != EAGAIN { endOfFile() }
                return
            }
        }
    }

    private func hand(_ id: CharacteristicID, _ bytes: UnsafeRawBufferPointer) {
        let now = now()
        let number = id == .multiplexed ? UInt16(bytes.first ?? 0) : id.rawValue
        switch CharacteristicID(rawValue: number) {
        case .generalStatus: lastStatus.store(now.nanoseconds, ordering: .relaxed)
        case .strokeData: lastStroke.store(now.nanoseconds, ordering: .relaxed)
        default: break
        }
        seat.listener.linkDidReceive(id, bytes, at: now)
    }

    private func endOfFile() {
        end(.lost)
        onEnd()
    }

    private func end(_ reason: LinkClosure) {
        guard isOpen else { return }
        isOpen = false
        for source in sources { source.cancel() }
        sources = []
        seat.listener.linkDidClose(reason, at: now())
    }

    private func now() -> BootInstant {
        BootInstant(nanoseconds: SystemClock.bootNanoseconds())
    }
}
