import BlueZLink
import HostRuntime
import PM5Codec
import Rowing
import Synchronization
import Timeline

/// A station that records the calls of its link.
final class RecordingListener: ErgLinkListener {
    enum Event: Equatable, Sendable {
        case opened
        case received(CharacteristicID)
        case closed(LinkClosure)
    }

    struct Record: Sendable {
        var events: [Event] = []
        var values: [CharacteristicID: [[UInt8]]] = [:]
        var monitor: MonitorIdentity?
        var link: (any ErgLink)?
        /// Failed attempts that the station knew of when the link opened.
        var failuresBefore: Int?
        var status: LinkStatus?
        /// Calls off the station's queue, values outside an open link, and time running backwards.
        var faults: [String] = []
        var isOpen = false
        /// Of the opening, each value and the end, since the last opening.
        var instants: [BootInstant] = []

        mutating func note(_ now: BootInstant) {
            if let last = instants.last, now < last { faults.append("time went back") }
            instants.append(now)
        }
    }

    let executor: SerialQueueExecutor
    private let record = Mutex(Record())

    private let name: String

    init(_ serial: String) {
        name = "PM5 \(serial)"
        executor = SerialQueueExecutor(label: "station \(serial)")
    }

    var endpoint: StationEndpoint {
        StationEndpoint(name: name, executor: executor, listener: self)
    }
    var now: Record { record.withLock { $0 } }
    var isStreaming: Bool { now.isOpen && now.values[.generalStatus] != nil }

    /// How often the link opened so far.
    var openings: Int { now.events.count { $0 == .opened } }
    var closures: [LinkClosure] {
        now.events.compactMap { if case .closed(let reason) = $0 { reason } else { nil } }
    }

    func linkDidOpen(
        _ monitor: MonitorIdentity, through link: any ErgLink, at now: BootInstant
    ) {
        executor.checkIsolated()
        record.withLock {
            if $0.isOpen { $0.faults.append("opened twice") }
            $0.note(now)
            $0.instants = [now]
            $0.isOpen = true
            $0.monitor = monitor
            $0.link = link
            $0.failuresBefore = $0.status?.failures
            $0.events.append(.opened)
        }
    }

    func linkDidReceive(
        _ characteristic: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant
    ) {
        executor.checkIsolated()
        record.withLock {
            if !$0.isOpen { $0.faults.append("\(characteristic) outside a link") }
            $0.note(now)
            $0.values[characteristic, default: []].append(Array(bytes))
            if $0.events.last != .received(characteristic) {
                $0.events.append(.received(characteristic))
            }
        }
    }

    func linkDidClose(_ reason: LinkClosure, at now: BootInstant) {
        executor.checkIsolated()
        record.withLock {
            if !$0.isOpen { $0.faults.append("closed twice") }
            $0.note(now)
            $0.isOpen = false
            $0.link = nil
            $0.values = [:]
            $0.events.append(.closed(reason))
        }
    }

    func linkDidUpdate(_ status: LinkStatus) {
        executor.checkIsolated()
        record.withLock { $0.status = status }
    }
}
