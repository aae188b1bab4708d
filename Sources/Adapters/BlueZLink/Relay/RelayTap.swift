import HostRuntime
import PM5Codec
import Relay
import Rowing
import Timeline

/// A phone's part of one monitor's values: copies of notifications, and CSAFE requests in turn with the station.
///
/// Belongs to one link of the monitor. Everything runs on the station's queue, hence the unchecked conformance.
final class RelayTap: @unchecked Sendable {
    /// A request to the relay on the bus queue, in order.
    enum Event: Sendable {
        /// Write the value to 0x0021; it is the last one of a write of the phone or not.
        case write(number: Int, [UInt8], isLast: Bool)
        /// Too many values wait.
        case refused(number: Int)
        /// The phone ended a subscription, or is gone.
        case unsubscribed(CharacteristicID)
    }

    /// Values that a phone needs at once, because the next one comes only with the timer.
    private static let timed: Set<CharacteristicID> = [
        .generalStatus, .additionalStatus1, .additionalStatus2, .additionalStatus3,
    ]
    /// How often a waiting request of the phone is tried again: short against the reply of a monitor, 75 ms.
    private static let retryInterval = Duration.milliseconds(10)

    private let station: StationEndpoint
    private let clock: any Clock
    private let onEvent: @Sendable (Event) -> Void
    /// The phone's subscriptions.
    private var sockets: [CharacteristicID: PhoneSocket] = [:]
    /// The last timed values. Between the answer to a subscription and its socket, bluetoothd drops values.
    private var latest: [CharacteristicID: [UInt8]] = [:]
    private var multiplexed = MultiplexedValues()
    /// The phone's subscription of rower data that the relay makes.
    private var rower: PhoneSocket?
    private var fitnessMachine = FitnessMachineValues()
    private var requests = RelayedRequests()
    /// When the next request may begin: a while after the last reply.
    private var nextRequest = BootInstant(nanoseconds: 0)
    private var isEnded = false
    private lazy var timer = QueueTimer(on: station.executor) { [weak self] in self?.tick() }
    /// Values that did not fit into a socket, because the phone does not take them.
    private(set) var dropped = 0

    init(
        station: StationEndpoint, clock: any Clock, onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.station = station
        self.clock = clock
        self.onEvent = onEvent
    }

    // MARK: - From the bus queue

    /// Sends the values of a characteristic to the phone from now on.
    func attach(_ id: CharacteristicID, _ socket: LinkDescriptor) {
        station.executor.async { [self] in subscribe(id, socket) }
    }

    /// Sends rower data that the relay makes to the phone from now on.
    func attachRower(_ socket: LinkDescriptor) {
        station.executor.async { [self] in
            guard !isEnded else { return }
            rower?.close()
            rower = PhoneSocket(socket, on: station.executor) { [weak self] in self?.endRower() }
        }
    }

    /// Passes on what the phone wrote to 0x0021.
    func enqueue(_ value: [UInt8], write number: Int) {
        station.executor.async { [self] in accept(value, write: number) }
    }

    /// The phone is gone.
    func detachPhone() { station.executor.async { [self] in endPhone() } }

    // MARK: - From the link, on the station's queue

    /// Copies a value to the phone; returns whether the station gets it too.
    func forward(_ id: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant) -> Bool {
        if id == .csafeOut { return forwardReply(bytes, at: now) }
        if Self.timed.contains(id) { latest[id] = Array(bytes) }
        if let rower, let value = fitnessMachine.rowerData(after: id, bytes),
            !value.withUnsafeBytes({ rower.send($0) })
        {
            dropped += 1
        }
        guard !sockets.isEmpty else { return true }
        if sockets[id] != nil {
            send(bytes, of: id)
        } else if sockets[.multiplexed] != nil,
            let value = multiplexed.value(of: id, Array(bytes))
        {
            value.withUnsafeBytes { send($0, of: .multiplexed) }
        }
        return true
    }

    /// A reply belongs to the request that is under way. One without a request is late or a duplicate: rowgate
    /// has no use for it, the phone may.
    private func forwardReply(_ bytes: UnsafeRawBufferPointer, at now: BootInstant) -> Bool {
        let isForPhone = requests.isActive
        guard isForPhone || !station.listener.linkAwaitsReply else { return true }
        let hasSocket = sockets[.csafeOut] != nil
        if hasSocket { send(bytes, of: .csafeOut) }
        if requests.receive(bytes) { returnControl(at: now) }
        return !hasSocket && !isForPhone
    }

    /// A value was handled, perhaps the reply that the phone waits for.
    func didForward(_ id: CharacteristicID, at now: BootInstant) {
        if id == .csafeOut, requests.isWaiting { begin(at: now) }
    }

    /// The link is over.
    func end() {
        guard !isEnded else { return }
        isEnded = true
        for number in requests.reset() { onEvent(.refused(number: number)) }
        closeSockets()
        timer.cancel()
    }

    // MARK: - Subscriptions

    private func subscribe(_ id: CharacteristicID, _ socket: LinkDescriptor) {
        guard !isEnded else { return }
        sockets[id]?.close()
        sockets[id] = PhoneSocket(socket, on: station.executor) { [weak self] in self?.socketEnded(id) }
        latest[id]?.withUnsafeBytes { send($0, of: id) }
    }

    private func socketEnded(_ id: CharacteristicID) {
        guard let socket = sockets.removeValue(forKey: id) else { return }
        socket.close()
        onEvent(.unsubscribed(id))
    }

    private func send(_ bytes: UnsafeRawBufferPointer, of id: CharacteristicID) {
        if sockets[id]?.send(bytes) == false { dropped += 1 }
    }

    private func closeSockets() {
        for socket in sockets.values { socket.close() }
        sockets = [:]
        endRower()
    }

    private func endRower() {
        rower?.close()
        rower = nil
    }

    private func endPhone() {
        guard !isEnded else { return }
        // A request that the monitor has keeps the channel until its reply, which must not reach the station.
        for number in requests.dropWaiting() { onEvent(.refused(number: number)) }
        if !requests.isActive {
            station.listener.linkDidReturnControl(setsWorkout: false, at: clock.now())
        }
        closeSockets()
    }

    // MARK: - Requests

    private func accept(_ value: [UInt8], write number: Int) {
        guard !isEnded, requests.enqueue(value, write: number) else {
            return onEvent(.refused(number: number))
        }
        let now = clock.now()
        if requests.isActive { write(requests.next(at: now), at: now) } else { begin(at: now) }
    }

    private func begin(at now: BootInstant) {
        guard !requests.isActive else { return }
        guard now >= nextRequest else { return timer.fire(after: now.duration(to: nextRequest)) }
        guard station.listener.linkMayLendControl(at: now) else {
            return timer.fire(after: Self.retryInterval)
        }
        write(requests.begin(at: now), at: now)
    }

    private func write(_ values: [(write: Int, bytes: [UInt8])], at now: BootInstant) {
        for (index, value) in values.enumerated() {
            let isLast = index + 1 == values.count || values[index + 1].write != value.write
            onEvent(.write(number: value.write, value.bytes, isLast: isLast))
        }
        if let deadline = requests.deadline { timer.fire(after: now.duration(to: deadline)) }
    }

    private func returnControl(at now: BootInstant) {
        timer.stop()
        station.listener.linkDidReturnControl(setsWorkout: requests.setsWorkout, at: now)
        nextRequest = now.advanced(by: ControlExchange.frameGap)
        if requests.isWaiting { timer.fire(after: ControlExchange.frameGap) }
    }

    private func tick() {
        guard !isEnded else { return }
        let now = clock.now()
        if requests.tick(at: now) { return returnControl(at: now) }
        if let deadline = requests.deadline {
            timer.fire(after: now.duration(to: deadline))
        } else if requests.isWaiting {
            begin(at: now)
        }
    }
}
