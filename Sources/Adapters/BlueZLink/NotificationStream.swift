import Glibc
import HostRuntime
import PM5Codec
import Rowing
import Synchronization
import Timeline

/// The values of one link, from its sockets to its station.
///
/// A socket is read as soon as it exists. Values wait for `open` with their arrival time, so that
/// the station receives the values of all sockets in order: a link is ready only seconds after its
/// first subscription, on a busy machine after half a minute. Strokes of that time are useless
/// without the status to which they belong.
///
/// Created on the bus queue. Everything except the instants below belongs to the station's queue,
/// hence the unchecked conformance. Once open, a notification costs one recv and one call: no lock,
/// no await, no allocation.
final class NotificationStream: @unchecked Sendable {
    private enum State { case waiting, open, closed }

    /// A value that arrived before `open`.
    private struct EarlyValue {
        let id: CharacteristicID
        let bytes: [UInt8]
        let at: BootInstant
    }

    /// Twice the number of values in the longest set-up at ten values a second of four kinds.
    private static let earlyLimit = 4096
    /// ATT values are at most 512 bytes (Core 5.4, Vol 3, Part F, 3.2.9).
    private static let largestValue = 512
    /// Sent shortly before 0x0033.
    private static let earlierStatus: [CharacteristicID] = [.generalStatus, .additionalStatus1]

    private let station: StationEndpoint
    private let clock: any Clock
    private let thread: ReadinessThread
    /// Called on the station's queue when the other side closes a socket.
    private let onEnd: @Sendable () -> Void
    private var state = State.waiting
    private var early: [EarlyValue] = []
    /// A socket ended before `open`.
    private var hasEnded = false
    private var sockets: ReadinessGroup?
    private var descriptors: [CharacteristicID: Int32] = [:]
    /// 0x0033 has arrived over its own socket: see `readStatusTogether`.
    private var isStatusTogether = false
    /// Reused for every value; lives as long as this object.
    private let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: largestValue, alignment: 8)
    /// Boot nanoseconds of the last status, for the link watchdog on the bus queue; 0 before the
    /// first.
    private let lastStatus = Atomic<UInt64>(0)
    /// Boot nanoseconds of the last use of the monitor.
    private let lastUse = Atomic<UInt64>(0)
    private var use = UseDetector()
    /// Copies values to a phone; nil without a relay.
    private var tap: RelayTap?

    /// - Parameter thread: waits for the sockets.
    init(
        station: StationEndpoint, clock: any Clock, waitingOn thread: ReadinessThread,
        onEnd: @escaping @Sendable () -> Void
    ) {
        self.station = station
        self.clock = clock
        self.thread = thread
        self.onEnd = onEnd
    }

    deinit { buffer.deallocate() }

    /// When the last 0x0031 arrived, directly or multiplexed. From any thread.
    var lastStatusInstant: BootInstant? { Self.instant(lastStatus) }

    /// When a value last showed that the monitor is used. From any thread.
    var lastUseInstant: BootInstant? { Self.instant(lastUse) }

    private static func instant(_ nanoseconds: borrowing Atomic<UInt64>) -> BootInstant? {
        let nanoseconds = nanoseconds.load(ordering: .relaxed)
        return nanoseconds > 0 ? BootInstant(nanoseconds: nanoseconds) : nil
    }

    /// Starts reading a socket.
    func listen(to id: CharacteristicID, on socket: LinkDescriptor) {
        station.executor.async { [self] in
            if state != .closed { watch(id, socket.release()) }
        }
    }

    /// Ends a subscription by closing its socket, which bluetoothd passes on to the monitor.
    func stopListening(to id: CharacteristicID) {
        station.executor.async { [self] in
            if let descriptor = descriptors.removeValue(forKey: id) { sockets?.remove(descriptor) }
        }
    }

    /// Copies the values from now on to a phone, each as soon as it arrives.
    func attach(_ tap: RelayTap) {
        station.executor.async { [self] in
            guard state != .closed else { return tap.end() }
            self.tap = tap
            readStatusSeparately()
        }
    }

    /// Ends the copies.
    func detachTap() { station.executor.async { [self] in endTap() } }

    private func endTap() {
        tap?.end()
        tap = nil
    }

    /// Notifies the station that its link is open since the first value, then delivers the waiting
    /// values.
    func open(_ monitor: MonitorIdentity, through link: any ErgLink) {
        station.executor.async { [self] in
            guard state == .waiting else { return }
            state = .open
            station.listener.linkDidOpen(monitor, through: link, at: early.first?.at ?? clock.now())
            for value in early { value.bytes.withUnsafeBytes { forward(value.id, $0, at: value.at) } }
            early = []
            if hasEnded { endOfFile() }
        }
    }

    /// Delivers a value that came over the bus because a socket was refused.
    func deliver(_ id: CharacteristicID, _ value: [UInt8]) {
        station.executor.async { [self] in value.withUnsafeBytes { receive(id, $0) } }
    }

    /// Ends the link for the station, unless the sockets ended already. A link that was never
    /// opened ends without notification.
    func close(_ reason: LinkClosure) {
        station.executor.async { [self] in end(reason) }
    }

    // MARK: - On the station's queue

    private func watch(_ id: CharacteristicID, _ descriptor: Int32) {
        guard descriptor >= 0 else { return }
        let sockets = sockets ?? ReadinessGroup(on: station.executor, waitingOn: thread)
        self.sockets = sockets
        descriptors[id] = descriptor
        sockets.add(descriptor) { [self] in readValue(id, descriptor) }
    }

    /// One recv is one value, because the socket is SOCK_SEQPACKET; zero bytes are its end.
    private func readValue(
        _ id: CharacteristicID, _ descriptor: Int32
    ) -> ReadinessGroup.ReadResult {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 {
            let value = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            receive(id, value)
            let isOpenWithoutPhone = state == .open && tap == nil
            if id == .additionalStatus2, !isStatusTogether, isOpenWithoutPhone { readStatusTogether() }
            return id == .forceCurve && !ForceCurvePiece.isLast(value) ? .partialValue : .value
        }
        if count == 0 || errno != EINTR && errno != EAGAIN {
            sockets?.remove(descriptor)
            endOfFile()
        }
        return .nothing
    }

    /// A monitor sends 0x0031, 0x0032 and 0x0033 in a row (`LiveSampleSchedule`): if the last one arrives,
    /// only it must wake a thread. If it is lost, the others are read with the next value of the
    /// erg.
    private func readStatusTogether() {
        isStatusTogether = true
        for id in Self.earlierStatus {
            if let descriptor = descriptors[id] { sockets?.readAlong(descriptor) }
        }
    }

    /// A phone would otherwise get 0x0031 only with 0x0033, which may be in the next connection event.
    private func readStatusSeparately() {
        isStatusTogether = false
        for id in Self.earlierStatus {
            if let descriptor = descriptors[id] { sockets?.readAtOnce(descriptor) }
        }
    }

    private func receive(_ id: CharacteristicID, _ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .open: forward(id, bytes, at: clock.now())
        case .waiting where early.count < Self.earlyLimit:
            early.append(EarlyValue(id: id, bytes: Array(bytes), at: clock.now()))
        case .waiting, .closed: break
        }
    }

    private func forward(
        _ id: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant
    ) {
        let inner = id.carried(in: bytes)
        if inner == .generalStatus { lastStatus.store(now.nanoseconds, ordering: .relaxed) }
        let payload = inner == id ? bytes : UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        if use.isUse(inner, payload) { lastUse.store(now.nanoseconds, ordering: .relaxed) }
        guard let tap else { return station.listener.linkDidReceive(id, bytes, at: now) }
        if tap.forward(id, bytes, at: now) { station.listener.linkDidReceive(id, bytes, at: now) }
        tap.didForward(id, at: now)
    }

    /// The end of one socket ends the whole link.
    private func endOfFile() {
        guard state == .open else {
            hasEnded = true
            return
        }
        end(.lost)
        onEnd()
    }

    private func end(_ reason: LinkClosure) {
        let wasOpen = state == .open
        state = .closed
        early = []
        sockets?.cancel()
        sockets = nil
        endTap()
        if wasOpen { station.listener.linkDidClose(reason, at: clock.now()) }
    }
}
