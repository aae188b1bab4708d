import Contract
import HostRuntime
import LogbookStores

/// Where the keeper takes what the logbook says by itself. Called on the keeper's queue.
struct NoticeOutlets: Sendable {
    /// To the broker, under the store's epoch.
    var publish: @Sendable (KeptNotice, _ epoch: String) -> Void = { _, _ in }
    /// To who looks at a page: it is stored.
    var tell: @Sendable (KeptNotice) -> Void = { _ in }
    /// What became of these sessions is known, or is another thing than it was.
    var settled: @Sendable (Set<SessionName>) -> Void = { _ in }
    /// A while has passed.
    var look: @Sendable () -> Void = {}

    init() {}
}

/// Notices: from who found them out into the store, and from there to the broker. Changes
/// `desk`.
extension RecordKeeper {
    /// Notices that one look into the store takes, most of which are published.
    private static let part = 20

    /// What is to be said from now on, and what no more.
    func take(_ changes: NoticeChanges) {
        if !changes.isEmpty { intake.withLock { $0.note(changes) } }
    }

    /// A batch is durable: what is in it may be told.
    func tell(of batch: StoreBatch) {
        if !batch.states.isEmpty { desk.outlets.settled(Set(batch.states.keys)) }
        if !batch.notices.isEmpty { tellNew() }
    }

    /// Tells what the store has and we have not told: also what other logbooks found out, in a store that is
    /// shared, and what was taken back because somebody was forgotten.
    func tellNew() {
        desk.notices.stored()
        do throws(StoreFailure) {
            if desk.numbers == nil { desk.numbers = try store.noticeNumbers() }
            for notice in try store.notices(after: desk.told, limit: Self.part) {
                desk.told = notice.sequence
                if notice.withdraws == nil, !notice.members.isEmpty { desk.outlets.tell(notice) }
            }
        } catch { failed(error) }
    }

    /// Publishes the next one, if it is its turn.
    func publishNotices() {
        guard desk.share?.parts.isFirst ?? true, let epoch = desk.numbers?.epoch,
            desk.notices.isDue(at: runtime.now())
        else { return }
        do throws(StoreFailure) {
            let found = try store.notices(after: desk.notices.mark, limit: Self.part)
            if let notice = desk.notices.next(of: found) { desk.outlets.publish(notice, epoch) }
        } catch { failed(error) }
    }

    /// The broker has a notice.
    func acknowledged(notice sequence: UInt64) {
        executor.async { [self] in
            guard desk.notices.acknowledged(sequence) else { return }
            var changes = NoticeChanges()
            changes.published = sequence
            take(changes)
            step()
        }
    }

    /// The broker does not take a notice.
    func refused(notice sequence: UInt64) {
        executor.async { [self] in
            guard desk.notices.refused(sequence, at: runtime.now()) else { return }
            log.warning(
                "the broker does not let this logbook publish: its access list has to let the user "
                    + "write below rowgate-logbook/v1/; tried again every 5 minutes")
        }
    }
}
