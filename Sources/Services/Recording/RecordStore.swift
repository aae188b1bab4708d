import HostRuntime
import RingLog
import Timeline

/// The storage of records: the ring, the high-water marks of the numbers, and the state of the
/// disk.
///
/// Nothing here throws or waits for the disk. A ring that refuses writes, or does not answer for
/// too long, continues in memory (`FallbackBlockDevice`), and the log gets a line. Confined to the
/// log queue.
final class RecordStore {
    /// The result of the requested commits.
    enum Outcome { case none, pending, durable, refused }

    /// A disk that has not responded for this time counts as failed.
    static let patience = Duration.seconds(30)
    /// A disk that has not responded for this time gets a line in the log.
    private static let reportingDelay = Duration.seconds(2)
    /// Bytes of new space prepared at a time, so that no commit takes noticeably longer.
    private static let preparedPerCommit = 256 << 10
    /// Longest time between two attempts to write to a disk that refuses writes.
    private static let longestDelay = Duration.seconds(30)

    private(set) var storage: RingStorage
    private var highWater: SequenceHighWater?
    /// Whether numbers were assigned since the high-water marks were written.
    private var isHighWaterBehind = true
    /// Writes after close are ignored.
    private var isClosed = false
    /// The last refusal of the disk that was logged; nil while it accepts records.
    private var reportedFailure: RingLogError?
    /// When the disk is tried again, and the delay after that; only while it refuses records.
    private var nextAttempt: (at: BootInstant, delay: Duration)?
    /// The running commit: the sync that ends it, and when it began.
    private var commit: (sync: UInt64, begun: BootInstant)?
    /// Whether another commit was requested meanwhile, and whether only because of the cursor.
    private var nextCommit: (isWanted: Bool, cursor: Bool) = (false, false)
    /// Numbers of requested commits, of commits covered by the running one, and of durable ones.
    private var (requested, begun, done): (UInt64, UInt64, UInt64) = (0, 0, 0)
    private var waiters: [(request: UInt64, resume: CheckedContinuation<Void, Never>)] = []
    private var isSlow = false
    /// Whether an attempt to heal is running, and the callers that wait for its end.
    var isHealing = false
    /// Whether, as part of that, the records in memory are being moved to a ring that came back.
    var isMerging = false
    private var healingWaiters: [CheckedContinuation<Void, Never>] = []
    /// Durations of the commits.
    private(set) var commitTimes = CommitTimes()
    private let log: SystemLog

    init(_ storage: RingStorage, highWater: SequenceHighWater?, log: SystemLog) {
        (self.storage, self.highWater, self.log) = (storage, highWater, log)
    }

    var writer: LogWriter { storage.writer }
    var device: FallbackBlockDevice { storage.device }

    // MARK: - Writing

    /// Appends a record. Returns false for a record that is too long.
    func append(kind: UInt8, bytes: [UInt8]) -> Bool {
        // Called late by a part that hung during its stop; the process is about to end.
        guard !isClosed else { return true }
        isHighWaterBehind = true
        do throws(RingLogError) {
            try writer.append(kind: kind, bytes: bytes)
            return true
        } catch {
            log.error("a record of \(bytes.count) bytes cannot be stored: \(error)")
            return false
        }
    }

    /// Passes everything to the kernel, so that it survives this process.
    ///
    /// - Parameter state: as of the last record.
    func flush(_ state: RecorderState) {
        raiseHighWater(to: state)
        attempt { () throws(RingLogError) in try writer.flush() }
    }

    /// Passes everything to the kernel. Later data reaches the medium only together with it. Does
    /// not wait.
    func flushInOrder(_ state: RecorderState) {
        raiseHighWater(to: state)
        attempt { () throws(RingLogError) in try writer.commit() }
    }

    /// Called before appended records can be read.
    private func raiseHighWater(to state: RecorderState) {
        if isHighWaterBehind, !isClosed { highWater?.write(state) }
        isHighWaterBehind = false
    }

    /// Starts a commit; `settle` reports its end. If a commit is running, the next one starts at its end
    /// and covers all requests until then.
    ///
    /// - Parameter always: whether to write a page even if only the cursor moved.
    /// - Returns: whether a commit of `state` has started.
    func commit(_ state: RecorderState, cursor always: Bool) -> Bool {
        guard !isClosed else { return false }
        requested += 1
        guard commit == nil, device.failure == nil else {
            nextCommit = (device.failure == nil, nextCommit.cursor || always)
            flush(state)
            return false
        }
        raiseHighWater(to: state)
        attempt { () throws(RingLogError) in
            try writer.commit(cursor: always || nextCommit.cursor)
        }
        nextCommit = (false, false)
        (commit, begun) = ((device.progress.ended, storage.runtime.now()), requested)
        return true
    }

    /// Returns the result of the running commit.
    func settle() -> Outcome {
        let progress = device.progress
        guard progress.failure == nil else {
            (commit, nextCommit) = (nil, (false, false))
            reportFailure()
            resume(through: requested)
            return .refused
        }
        guard let commit else { return .none }
        guard progress.durable >= commit.sync else { return .pending }
        let now = storage.runtime.now()
        commitTimes.add(commit.begun.duration(to: now), at: now)
        if isSlow {
            let seconds = commit.begun.duration(to: now).components.seconds
            log.notice("the disk responded after \(seconds) s")
        }
        (self.commit, isSlow, done) = (nil, false, begun)
        resume(through: done)
        return .durable
    }

    /// Whether another commit was requested while one was running.
    var wantsCommit: Bool { commit == nil && nextCommit.isWanted }

    /// Resumes `waiter` once the commits requested so far are durable, or the disk refuses them.
    func whenSettled(_ waiter: CheckedContinuation<Void, Never>) {
        guard done < requested, device.failure == nil else { return waiter.resume() }
        waiters.append((requested, waiter))
    }

    private func resume(through request: UInt64) {
        let due = waiters.filter { $0.request <= request }
        waiters.removeAll { $0.request <= request }
        for waiter in due { waiter.resume.resume() }
    }

    func prepareAhead() {
        attempt { () throws(RingLogError) in
            try writer.prepareAhead(limit: Self.preparedPerCommit)
        }
    }

    /// Closes the ring. The next process needs no high-water marks once `settle` has reported this
    /// as durable.
    func close() {
        defer { isClosed = true }
        requested += 1
        do throws(RingLogError) {
            try writer.close()
            (commit, begun) = ((device.progress.ended, storage.runtime.now()), requested)
        } catch {
            log.error("the ring log cannot be closed in order: \(error)")
        }
    }

    /// Notes that the closed ring is durable, or copied to a new file.
    func removeUnwrittenPages() {
        highWater?.remove()
        device.removeUnwrittenPages()
    }

    private func attempt(_ body: () throws(RingLogError) -> Void) {
        guard !isClosed else { return }
        do throws(RingLogError) { try body() } catch { log.error("\(error)") }
    }

    // MARK: - A disk that does not answer

    /// How long the oldest record has waited to become durable; nil if nothing waits.
    func behind(at now: BootInstant) -> Duration? { commit.map { $0.begun.duration(to: now) } }

    /// Bytes that a power cut would lose.
    var pendingBytes: Int { device.progress.pendingBytes }

    /// Gives up a disk that has not answered for too long, or has too much to write.
    func watch(at now: BootInstant) {
        guard let behind = behind(at: now), device.failure == nil else { return }
        if behind >= Self.reportingDelay, !isSlow {
            isSlow = true
            log.warning(
                "the disk has not answered for \(behind.components.seconds) s; new records are "
                    + "in memory")
        }
        if behind >= Self.patience || pendingBytes > device.memoryLimit { device.abandonUnresponsiveFile() }
    }

    // MARK: - A disk that refuses

    /// Logs one line per reason and burst; `healed` logs the end.
    func reportFailure() {
        guard let failure = device.failure, failure != reportedFailure else { return }
        reportedFailure = failure
        log.error(
            "the disk refuses records; storing them in memory: \(failure)",
            event: device.isOnlyInMemory ? .ringUnavailable : .ringRefuses)
    }

    func isAttemptDue(at now: BootInstant) -> Bool {
        device.failure != nil && nextAttempt.map { now >= $0.at } ?? true
    }

    /// Schedules the next attempt. Filling a new file continues at once.
    func postponeAttempt(from now: BootInstant) {
        guard !device.isCopying else { return }
        let delay = min((nextAttempt?.delay ?? .milliseconds(500)) * 2, Self.longestDelay)
        nextAttempt = (now.advanced(by: delay), delay)
    }

    /// Notes that the disk has everything again, possibly in another file.
    func hasHealed() {
        (nextAttempt, reportedFailure) = (nil, nil)
        log.notice("the disk accepts records again", [("path", device.path)])
        highWater?.remove()
        highWater = SequenceHighWater(ofRing: device.path)
        isHighWaterBehind = true
    }

    /// Resumes `waiter` once no attempt to heal is running.
    func whenHealed(_ waiter: CheckedContinuation<Void, Never>) {
        if isHealing { healingWaiters.append(waiter) } else { waiter.resume() }
    }

    func healingIsOver() {
        for waiter in healingWaiters { waiter.resume() }
        healingWaiters = []
    }

    /// Continues in another ring, which has the content of this one.
    func replace(with found: RingStorage) { (storage, isClosed) = (found, false) }
}
