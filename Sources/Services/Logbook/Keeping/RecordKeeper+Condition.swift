import Contract
import HostRuntime
import LogbookStores
import Timeline

/// Whether the store takes records, and whether its file was taken away since the start.
struct StoreCondition: Equatable, Sendable {
    /// Why it takes none, and since when: Unix milliseconds. nil while it takes them.
    var failure: (kind: StoreFailure.Kind, since: Int64)? {
        get { kind.map { ($0, since) } }
        set { (kind, since) = (newValue?.kind, newValue?.since ?? 0) }
    }
    private var kind: StoreFailure.Kind?
    private var since: Int64 = 0
    /// What the path led to when the open file had been removed, moved away or replaced.
    var replacement: ReplacedFile?
    /// When that was noticed, in Unix milliseconds.
    var replacedAt: Int64?
    /// Records that wait in memory.
    var waiting = 0

    init() {}
}

/// What can be asked of the store's condition from any thread. Changes `desk` and `state`.
extension RecordKeeper {
    /// How the store is at this moment.
    var condition: StoreCondition {
        var condition = state.withLock(\.self)
        condition.waiting = waitingCount
        return condition
    }

    /// Opens what is at the store's path, if another file is open. Returns when that is done. Who opens the
    /// store besides does this first, because the daemon has to be the first to open another file.
    func openFileInPlace() {
        executor.enter { [self] in verifyPlace() }
    }

    /// Looks whether the open file is still at its path.
    func verifyPlace() {
        do throws(StoreFailure) {
            try store.verifyPlace()
            if desk.hasNoPlace {
                desk.hasNoPlace = false
                recovered()
            }
        } catch {
            desk.hasNoPlace = true
            failed(error)
        }
    }

    /// Reads the store anew once another file is in its place.
    func readReplacement() {
        let (count, file) = store.replacement
        guard count != desk.replacements, let file else { return }
        do throws(StoreFailure) {
            let (states, declarations) = (try store.streams(), try store.declarations())
            desk.unjudged = try Self.missing(in: store, desk.share?.parts ?? .all)
            desk.numbers = try store.noticeNumbers()
            intake.withLock { $0.replaceStore(states, declarations) }
        } catch { return failed(error) }
        desk.replacements = count
        (desk.judge, desk.memory) = (SessionJudge(), GatewayMemory())
        desk.told = desk.numbers?.last ?? 0
        desk.notices.takeOver(published: desk.numbers?.published ?? 0)
        if desk.numbers == nil { beginNotices() }
        state.withLock { ($0.replacement, $0.replacedAt) = (file, runtime.unixMilliseconds()) }
        log.error(
            "the file \(store.place) \(file.words); what it lacks is requested from the gateways")
    }

    /// A store that has never numbered a notice gets an epoch.
    func beginNotices() {
        var changes = NoticeChanges()
        changes.epoch = runtime.makeULID().description
        intake.withLock { $0.note(changes) }
    }

    func noteFailure(_ failure: StoreFailure) {
        let now = runtime.unixMilliseconds()
        state.withLock { state in
            state.failure = (failure.kind, since: state.failure?.since ?? now)
        }
    }
}

extension ReplacedFile {
    /// As a sentence goes on behind the file.
    var words: String {
        switch self {
        case .new: "was removed or moved away, and a new one is made"
        case .another: "was removed or moved away, and another file is in its place, which is used now"
        case .same: "was away for a while, and is used again"
        }
    }
}
