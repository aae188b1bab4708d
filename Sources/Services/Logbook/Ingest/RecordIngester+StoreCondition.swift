import Contract
import HostRuntime
import LogbookStores
import Timeline

/// Whether the store accepts records, and whether its file was replaced since the start.
struct StoreCondition: Equatable, Sendable {
    /// Why commits fail and since when, in Unix milliseconds; nil while they succeed.
    var failure: (kind: StoreFailure.Kind, since: Int64)? {
        get { kind.map { ($0, since) } }
        set { (kind, since) = (newValue?.kind, newValue?.since ?? 0) }
    }
    private var kind: StoreFailure.Kind?
    private var since: Int64 = 0
    /// The file found at the path after the open file was removed, moved away or replaced; nil if it never
    /// was.
    var replacement: ReplacedFile?
    /// The time at which the replacement was noticed, in Unix milliseconds.
    var replacedAt: Int64?
    /// The number of records that wait in memory.
    var waiting = 0

    init() {}
}

/// The store's condition, and the handling of a replaced store file. Changes `executorState` and
/// `storeCondition`.
extension RecordIngester {
    /// The current condition of the store. Can be read on any thread.
    var condition: StoreCondition {
        var condition = storeCondition.withLock(\.self)
        condition.waiting = waitingCount
        return condition
    }

    /// Opens the file at the store's path if another file is open, and waits for it. Call this before opening
    /// another connection to the store, because this one must be the first to open a new file.
    func reopenReplacedFile() {
        executor.enter { [self] in verifyPlace() }
    }

    /// Checks whether the open file is still at its path.
    func verifyPlace() {
        do throws(StoreFailure) {
            try store.verifyPlace()
            if executorState.isFileMissing {
                executorState.isFileMissing = false
                recovered()
            }
        } catch {
            executorState.isFileMissing = true
            failed(error)
        }
    }

    /// Reads the state of the store again after its file was replaced.
    func reloadReplacedStore() {
        let (count, file) = store.replacement
        guard count != executorState.replacements, let file else { return }
        do throws(StoreFailure) {
            let (states, declarations) = (try store.streams(), try store.declarations())
            executorState.unverified = try Self.incompleteSessions(
                in: store, executorState.share?.shards ?? .all)
            executorState.noticeNumbers = try store.noticeNumbers()
            queue.withLock { $0.replaceStore(states, declarations) }
        } catch { return failed(error) }
        executorState.replacements = count
        (executorState.verifier, executorState.statusFilter) = (SessionVerifier(), GatewayStatusFilter())
        executorState.lastShownNotice = executorState.noticeNumbers?.last ?? 0
        executorState.noticeQueue.restart(published: executorState.noticeNumbers?.published ?? 0)
        if executorState.noticeNumbers == nil { beginNoticeEpoch() }
        storeCondition.withLock { ($0.replacement, $0.replacedAt) = (file, runtime.unixMilliseconds()) }
        log.error(
            "the file \(store.place) \(file.event); missing records are requested from the gateways")
    }

    /// Gives the store an epoch for notices if it has none.
    func beginNoticeEpoch() {
        var changes = NoticeChanges()
        changes.epoch = runtime.makeULID().description
        queue.withLock { $0.enqueue(changes) }
    }

    func noteFailure(_ failure: StoreFailure) {
        let now = runtime.unixMilliseconds()
        storeCondition.withLock { condition in
            condition.failure = (failure.kind, since: condition.failure?.since ?? now)
        }
    }
}

extension ReplacedFile {
    /// What happened to the file, for the log.
    var event: String {
        switch self {
        case .new: "was removed or moved away; a new file was created"
        case .another: "was removed or moved away; the file now at its path is used"
        case .same: "was missing for a while and is used again"
        }
    }
}
