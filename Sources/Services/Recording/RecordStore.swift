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
    /// An attempt to use a disk again that refuses records.
    private enum Attempt {
        case none
        /// The disk's queue writes the records in memory.
        case healing
        /// As part of that, the records in memory are being moved to another ring, which came back.
        case merging
    }

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
    /// The attempt to use a disk again that refuses records.
    private var attempt = Attempt.none
    /// Callers that wait for the end of the attempt.
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
        perform { () throws(RingLogError) in try writer.flush() }
    }

    /// Passes everything to the kernel. Later data reaches the medium only together with it. Does
    /// not wait.
    func flushInOrder(_ state: RecorderState) {
        raiseHighWater(to: state)
        perform { () throws(RingLogError) in try writer.commit() }
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
        perform { () throws(RingLogError) in
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
        perform { () throws(RingLogError) in
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

    private func perform(_ body: () throws(RingLogError) -> Void) {
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

    /// Starts an attempt to use the disk again. Returns false while records are being moved.
    func beginHealing() -> Bool {
        guard attempt != .merging else { return false }
        attempt = .healing
        device.heal()
        return true
    }

    /// Whether the disk has finished an attempt whose result was not handled yet.
    var hasHealingResult: Bool { attempt == .healing && !device.progress.isHealing }

    /// Notes that the records in memory are being moved to another ring, until `endHealing`.
    func beginMerging() { attempt = .merging }

    /// Ends the attempt. `resumeHealingWaiters` follows.
    func endHealing() { attempt = .none }

    /// Resumes `waiter` once no attempt is running.
    func whenHealed(_ waiter: CheckedContinuation<Void, Never>) {
        if attempt == .none { waiter.resume() } else { healingWaiters.append(waiter) }
    }

    /// Resumes the callers that waited for the attempt.
    func resumeHealingWaiters() {
        for waiter in healingWaiters { waiter.resume() }
        healingWaiters = []
    }

    /// Continues in another ring, which has the content of this one.
    func replace(with found: RingStorage) { (storage, isClosed) = (found, false) }
}

/// The duration of the commits of the last hour.
struct CommitTimes {
    /// The hour is divided into this many parts, so that old values expire.
    private static let parts = 12
    private static let part = Duration.seconds(3600 / parts)

    /// The longest commit of each part, newest last.
    private var longest: [(begin: BootInstant, time: Duration)] = []
    /// The last commit, and when it ended.
    private var last: (end: BootInstant, time: Duration)?

    mutating func add(_ time: Duration, at now: BootInstant) {
        last = (now, time)
        if let last = longest.last, last.begin.duration(to: now) < Self.part {
            longest[longest.count - 1].time = max(last.time, time)
        } else {
            longest.append((now, time))
        }
        if longest.count > Self.parts { longest.removeFirst() }
    }

    /// The duration of the last commit if it ended within the last 30 s; nil otherwise.
    func latest(at now: BootInstant) -> Duration? {
        last.flatMap { $0.end.duration(to: now) < .seconds(30) ? $0.time : nil }
    }

    /// The longest commit of the last hour; nil if there was none.
    func worst(at now: BootInstant) -> Duration? {
        longest.filter { $0.begin.duration(to: now) < .seconds(3600) }.map(\.time).max()
    }
}
