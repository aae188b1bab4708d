import HostRuntime
import LogbookStores
import Synchronization

/// The users and devices of the store, in memory, so that the store never delays the decision about a request.
///
/// It is read again after each change by this logbook, and every five seconds for changes by the command line or by
/// another logbook of the same store.
final class UserDirectory: Sendable {
    static let pollInterval = Duration.seconds(5)
    /// The use of a device is stored at most once in this time: milliseconds.
    private static let useInterval: Int64 = 3_600_000

    enum Lookup: Equatable, Sendable {
        case found(AccessControl.Identity)
        case unknown
        /// The store could not be read yet.
        case notRead
    }

    private struct Device {
        var identity: AccessControl.Identity
        /// Unix milliseconds.
        var seenAt: Int64
    }

    private let reader: StoreQueue
    private let writer: StoreQueue
    private let runtime: any Runtime
    private let executor: SerialQueueExecutor
    private struct Contents {
        /// By digest; nil before the first reading.
        var devices: [String: Device]?
        /// The numbers of the reading that began last, and of the reading that `devices` is from.
        var (lastReading, appliedReading): (UInt64, UInt64) = (0, 0)
    }

    private let contents = Mutex(Contents())
    private nonisolated(unsafe) var timer: QueueTimer?  // of the executor alone

    init(reader: StoreQueue, writer: StoreQueue, runtime: any Runtime) {
        (self.reader, self.writer, self.runtime) = (reader, writer, runtime)
        executor = runtime.makeQueue(label: "logbook.users")
    }

    func start() {
        executor.async { [self] in
            timer = QueueTimer(on: executor) { @Sendable [weak self] in self?.poll() }
            timer?.fire(every: Self.pollInterval)
            poll()
        }
    }

    func stop() { executor.enter { [self] in timer?.cancel() } }

    private func poll() {
        // An error keeps what was read before. Requests for data report it.
        _ = reader.perform({ [weak self] in try self?.read(from: $0) }, failed: { _ in })
    }

    /// Reads all users and devices.
    func read(from store: any LogbookStore) throws(StoreFailure) {
        try read { () throws(StoreFailure) in (try store.users.all(), try store.users.devices()) }
    }

    /// Reads what `fetch` returns. Discards it if a reading that began later has ended already: it may be older than
    /// a change, and then a removed device would be valid again.
    func read(
        _ fetch: () throws(StoreFailure) -> (users: [StoredUser], devices: [StoredDevice])
    ) throws(StoreFailure) {
        let reading = contents.withLock { contents in
            contents.lastReading += 1
            return contents.lastReading
        }
        let (users, stored) = try fetch()
        let identities = Dictionary(
            users.compactMap { user in
                Role(rawValue: user.role).map { (user.id, AccessControl.Identity(user, role: $0)) }
            }, uniquingKeysWith: { first, _ in first })
        contents.withLock { contents in
            guard reading > contents.appliedReading else { return }
            contents.appliedReading = reading
            var found: [String: Device] = [:]
            for device in stored {
                guard var identity = identities[device.user] else { continue }
                identity.device = device.digest
                let seenAt = max(device.seenAt, contents.devices?[device.digest]?.seenAt ?? 0)
                found[device.digest] = Device(identity: identity, seenAt: seenAt)
            }
            contents.devices = found
        }
    }

    /// Returns whose device has a token with this digest, and stores that it was used.
    func lookup(_ digest: String) -> Lookup {
        let now = runtime.unixMilliseconds()
        let (result, isFirstUseInAnHour) = contents.withLock { contents -> (Lookup, Bool) in
            guard let known = contents.devices else { return (.notRead, false) }
            guard let device = known[digest] else { return (.unknown, false) }
            let isFirstUseInAnHour = now - device.seenAt > Self.useInterval
            if isFirstUseInAnHour { contents.devices?[digest]?.seenAt = now }
            return (.found(device.identity), isFirstUseInAnHour)
        }
        if isFirstUseInAnHour { _ = writer.perform({ try $0.users.saw(digest, at: now) }, failed: { _ in }) }
        return result
    }
}
