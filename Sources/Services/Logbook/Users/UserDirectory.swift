import HostRuntime
import LogbookStores
import Synchronization

/// The users, devices and merged athlete ids of the store, in memory, so that the store never delays the decision
/// about a request.
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
        /// The ids for which merged athlete ids count, by these.
        var merges: [String: String] = [:]
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

    /// Reads all users, devices and merges.
    func read(from store: any LogbookStore) throws(StoreFailure) {
        try read { () throws(StoreFailure) in
            (try store.users.all(), try store.users.devices(), try store.merges.all())
        }
    }

    /// Reads what `fetch` returns. Discards it if a reading that began later has ended already: it may be older than
    /// a change, and then a removed device would be valid again.
    func read(
        _ fetch: () throws(StoreFailure) -> (
            users: [StoredUser], devices: [StoredDevice], merges: [StoredMerge]
        )
    ) throws(StoreFailure) {
        let reading = contents.withLock { contents in
            contents.lastReading += 1
            return contents.lastReading
        }
        let (users, stored, merged) = try fetch()
        removeExpired(merged)
        let merges = Dictionary(
            merged.map { ($0.athlete, $0.current) }, uniquingKeysWith: { first, _ in first })
        let identities = Dictionary(
            users.compactMap { user in
                Role(rawValue: user.role).map { (user.id, AccessControl.Identity(user, role: $0)) }
            }, uniquingKeysWith: { first, _ in first })
        contents.withLock { contents in
            guard reading > contents.appliedReading else { return }
            contents.appliedReading = reading
            var found: [String: Device] = [:]
            for device in stored {
                guard var identity = identities[device.user].map({ Self.resolved($0, merges) }) else {
                    continue
                }
                identity.device = device.digest
                let seenAt = max(device.seenAt, contents.devices?[device.digest]?.seenAt ?? 0)
                found[device.digest] = Device(identity: identity, seenAt: seenAt)
            }
            (contents.devices, contents.merges) = (found, merges)
        }
    }

    /// Deletes the saved data of merges that cannot be undone any more. Waits for a synchronised clock, because the
    /// clock could be years ahead.
    private func removeExpired(_ merges: [StoredMerge]) {
        let now = runtime.unixMilliseconds()
        let isDue = merges.contains {
            $0.saved != nil && $0.mergedAt + MergeRepository.undoMilliseconds <= now
        }
        guard isDue, runtime.wall().isSynchronized else { return }
        _ = writer.perform({ try MergeRepository.removeExpired(in: $0, at: now) }, failed: { _ in })
    }

    /// Returns the athlete for whom the sessions of an id count: another one for a merged id.
    func currentAthlete(_ id: String) -> String { contents.withLock { $0.merges[id] } ?? id }

    /// Returns an identity with the kept athlete instead of a merged one.
    func resolved(_ identity: AccessControl.Identity) -> AccessControl.Identity {
        Self.resolved(identity, contents.withLock(\.merges))
    }

    private static func resolved(
        _ identity: AccessControl.Identity, _ merges: [String: String]
    ) -> AccessControl.Identity {
        guard let athlete = identity.athlete, !merges.isEmpty else { return identity }
        var resolved = identity
        let current = merges[athlete] ?? athlete
        resolved.athlete = current
        resolved.mergedIDs = Set(merges.filter { $0.value == current }.keys)
        return resolved
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
