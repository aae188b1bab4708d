import Contract
import HostRuntime
import LogbookStores

/// Handlers of notices and related events. The ingester calls them on its queue.
struct NoticeHandlers: Sendable {
    /// Publishes a notice under the store's epoch.
    var publish: @Sendable (StoredNotice, _ epoch: String) -> Void = { _, _ in }
    /// Shows a stored notice on the pages.
    var show: @Sendable (StoredNotice) -> Void = { _ in }
    /// Handles new or changed states of sessions.
    var sessionsChanged: @Sendable (Set<SessionName>) -> Void = { _ in }
    /// Called every 10 s.
    var tick: @Sendable () -> Void = {}

    init() {}
}

/// Stores and publishes notices. Changes `executorState`.
extension RecordIngester {
    /// The maximum number of notices in one read from the store.
    private static let pageSize = 20

    /// Queues changes of notices for the store.
    func enqueue(_ changes: NoticeChanges) {
        if !changes.isEmpty { queue.withLock { $0.enqueue(changes) } }
    }

    /// Calls the handlers for the contents of a committed batch.
    func didCommit(_ batch: StoreBatch) {
        if !batch.states.isEmpty { executorState.handlers.sessionsChanged(Set(batch.states.keys)) }
        if !batch.notices.isEmpty { showNewNotices() }
    }

    /// Shows the stored notices that were not shown yet. They include the notices of other logbooks that
    /// share the store, and withdrawals after an erasure.
    func showNewNotices() {
        executorState.noticeQueue.stored()
        do throws(StoreFailure) {
            if executorState.noticeNumbers == nil { executorState.noticeNumbers = try store.noticeNumbers() }
            for notice in try store.notices(after: executorState.lastShownNotice, limit: Self.pageSize) {
                executorState.lastShownNotice = notice.sequence
                if notice.withdraws == nil, !notice.members.isEmpty { executorState.handlers.show(notice) }
            }
        } catch { failed(error) }
    }

    /// Publishes the next notice if it is due.
    func publishNextNotice() {
        guard executorState.share?.shards.isFirst ?? true, let epoch = executorState.noticeNumbers?.epoch,
            executorState.noticeQueue.isDue(at: runtime.now())
        else { return }
        do throws(StoreFailure) {
            let found = try store.notices(after: executorState.noticeQueue.position, limit: Self.pageSize)
            if let notice = executorState.noticeQueue.next(of: found) {
                executorState.handlers.publish(notice, epoch)
            }
        } catch { failed(error) }
    }

    /// Handles the broker's acknowledgement of a notice.
    func acknowledged(notice sequence: UInt64) {
        executor.async { [self] in
            guard executorState.noticeQueue.acknowledged(sequence) else { return }
            var changes = NoticeChanges()
            changes.published = sequence
            enqueue(changes)
            step()
        }
    }

    /// Handles the broker's refusal of a notice.
    func refused(notice sequence: UInt64) {
        executor.async { [self] in
            guard executorState.noticeQueue.refused(sequence, at: runtime.now()) else { return }
            log.warning(
                "the broker refuses this logbook's notices: let its user write below "
                    + "\(topicPrefix.logbookRoot) in the broker's access list; retrying every 5 minutes")
        }
    }
}
