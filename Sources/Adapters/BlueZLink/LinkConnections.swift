import PM5Codec
import Rowing

/// The connections of the monitors to their stations: links being prepared, open links, and waiting writes.
///
/// Confined to the bus queue.
final class LinkConnections {
    private struct Connection {
        let station: StationEndpoint
        var writeQueue = WriteQueue()
        /// The attempt that is being prepared, and its subscriptions so far.
        var preparation: LinkPreparation?
        /// The open link.
        var stream: NotificationStream?
        var streamAttempt: LinkAttempt?
        /// The subscriptions of the open link.
        var held: [CharacteristicID] = []
        /// The firmware version that the last link read.
        var firmware: String?
        /// Characteristics of the open link whose values arrive as signals, by path.
        var signalled: [String: CharacteristicID] = [:]
    }

    /// By serial number.
    private var connections: [String: Connection] = [:]

    init(_ roster: Roster) {
        guard case .listed(let stations) = roster else { return }
        connections = stations.mapValues { Connection(station: $0) }
    }

    func add(_ serial: String, at station: StationEndpoint) {
        connections[serial] = Connection(station: station)
    }

    func remove(_ serial: String) { connections[serial] = nil }

    func station(of serial: String) -> StationEndpoint? { connections[serial]?.station }

    /// The firmware version that the last link read.
    func firmware(of serial: String) -> String? { connections[serial]?.firmware }

    /// The subscriptions of the open link.
    func held(by serial: String) -> [CharacteristicID] { connections[serial]?.held ?? [] }

    // MARK: - Preparation

    /// Replaces an earlier preparation, which closes its stream.
    func begin(_ preparation: LinkPreparation) {
        connections[preparation.attempt.serial]?.preparation = preparation
    }

    /// The preparation of this attempt while it is running; nil if a later attempt replaced it.
    func preparation(of attempt: LinkAttempt) -> LinkPreparation? {
        guard let preparation = connections[attempt.serial]?.preparation, preparation.attempt == attempt
        else { return nil }
        return preparation
    }

    func endPreparation(of attempt: LinkAttempt) {
        if preparation(of: attempt) != nil { connections[attempt.serial]?.preparation = nil }
    }

    // MARK: - Open links

    /// The open links with their attempts.
    var streams: [(attempt: LinkAttempt, stream: NotificationStream)] {
        connections.values.compactMap { connection in
            guard let attempt = connection.streamAttempt, let stream = connection.stream else { return nil }
            return (attempt, stream)
        }
    }

    /// How many characteristics of all open links arrive as signals.
    var signalledCharacteristics: Int { connections.values.reduce(0) { $0 + $1.signalled.count } }

    /// The open link of an attempt.
    func stream(of attempt: LinkAttempt) -> NotificationStream? {
        isOpen(attempt) ? connections[attempt.serial]?.stream : nil
    }

    func isOpen(_ attempt: LinkAttempt) -> Bool { connections[attempt.serial]?.streamAttempt == attempt }

    /// Opens the prepared link; does nothing if a later attempt replaced it.
    ///
    /// - Parameter link: for writes.
    func open(_ attempt: LinkAttempt, through link: MonitorLink) {
        guard var connection = connections[attempt.serial], let preparation = preparation(of: attempt),
            let stream = preparation.detachStream()
        else { return }
        stream.open(preparation.identity, through: link)
        connection.preparation = nil
        connection.stream = stream
        connection.streamAttempt = attempt
        connection.signalled = preparation.signalled
        connection.held = preparation.identity.notifying
        connection.firmware = preparation.identity.firmwareRevision
        connections[attempt.serial] = connection
    }

    /// Does nothing if the attempt has no open link.
    func close(_ attempt: LinkAttempt, _ reason: LinkClosure) {
        guard let connection = connections[attempt.serial], connection.streamAttempt == attempt
        else { return }
        connection.stream?.close(reason)
        connections[attempt.serial]?.stream = nil
        connections[attempt.serial]?.streamAttempt = nil
        connections[attempt.serial]?.signalled = [:]
    }

    /// Passes on a value that arrived as a signal.
    ///
    /// - Parameter path: the characteristic's object.
    func deliver(_ value: [UInt8], from path: String, of serial: String) {
        guard let connection = connections[serial] else { return }
        if let id = connection.signalled[path] {
            connection.stream?.deliver(id, value)
        } else {
            connection.preparation?.handleSignalledValue(value, from: path)
        }
    }

    // MARK: - Writes

    func hasFullWriteQueue(_ serial: String) -> Bool { connections[serial]?.writeQueue.isFull ?? false }

    func tryBeginWrite(to serial: String) -> Bool { connections[serial]?.writeQueue.tryBegin() ?? false }

    /// The write starts when the continuation resumes. Call only after `tryBeginWrite` has refused.
    func enqueueWrite(_ continuation: CheckedContinuation<Void, Never>, to serial: String) {
        connections[serial]?.writeQueue.enqueue(continuation)
    }

    func endWrite(to serial: String) { connections[serial]?.writeQueue.end() }
}
