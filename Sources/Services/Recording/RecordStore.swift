import HostRuntime
import RingLog
import Timeline

/// Where records go: the ring, the numbers' high water beside it, and what the disk says of both.
///
/// Nothing here throws, and nothing waits for the disk: a ring that refuses keeps what it was given in
/// memory (`FallbackBlockDevice`), and so does one that does not answer for too long; the log gets a
/// line. Confined to the log queue.
final class RecordStore {
    /// What has become of the commits that were asked for.
    enum Outcome { case none, pending, durable, refused }

    /// A disk that does not answer for so long is taken for one that refuses.
    static let patience = Duration.seconds(30)
    /// A disk that does not answer for so long gets a line in the log.
    private static let noticed = Duration.seconds(2)
    /// Bytes of new space made ready at a time, so that no commit takes noticeably longer for it.
    private static let preparedPerCommit = 256 << 10
    /// The time between two attempts to write to a disk that refuses grows to this.
    private static let longestDelay = Duration.seconds(30)

    private(set) var storage: RingStorage
    private var highWater: SequenceHighWater?
    /// Whether numbers were given out since the high water was written.
    private var isHighWaterBehind = true
    /// Whoever is late finds nothing to write to.
    private var isClosed = false
    /// The disk's last refusal that was written to the log; nil while it takes records.
    private var reportedFailure: RingLogError?
    /// When the disk is tried again, and how long after that; only while it refuses records.
    private var nextAttempt: (at: BootInstant, delay: Duration)?
    /// The commit that is under way: the sync that ends it, and when it was begun.
    private var commit: (sync: UInt64, begun: BootInstant)?
    /// One that was asked for meanwhile, and whether for the cursor's sake alone.
    private var nextCommit: (isWanted: Bool, cursor: Bool) = (false, false)
    /// Commits asked for, those among them that the one under way covers, and those that are durable.
    private var (asked, begun, done): (UInt64, UInt64, UInt64) = (0, 0, 0)
    private var waiters: [(ask: UInt64, resume: CheckedContinuation<Void, Never>)] = []
    private var isSlow = false
    /// An attempt to heal is under way, and who waits for its end.
    var isHealing = false
    /// As a part of that, the records in memory are on their way to a ring that came back.
    var isJoining = false
    private var healingWaiters: [CheckedContinuation<Void, Never>] = []
    /// How long commits took.
    private(set) var commitTimes = CommitTimes()
    private let log: SystemLog

    init(_ storage: RingStorage, highWater: SequenceHighWater?, log: SystemLog) {
        (self.storage, self.highWater, self.log) = (storage, highWater, log)
    }

    var writer: LogWriter { storage.writer }
    var device: FallbackBlockDevice { storage.device }

    // MARK: - Writing

    /// Returns whether the record was taken; one that is too long is not.
    func append(kind: UInt8, bytes: [UInt8]) -> Bool {
        // Called late, by a part that hung in its stop: the process is about to end.
        guard !isClosed else { return true }
        isHighWaterBehind = true
        do throws(RingLogError) {
            try writer.append(kind: kind, bytes: bytes)
            return true
        } catch {
            log.error("a record of \(bytes.count) bytes cannot be kept: \(error)")
            return false
        }
    }

    /// Hands everything to the kernel, so that it survives this process.
    ///
    /// - Parameter state: as of the last record.
    func flush(_ state: RecorderState) {
        raiseHighWater(to: state)
        attempt { () throws(RingLogError) in try writer.flush() }
    }

    /// Hands everything to the kernel; what comes from now on gets to the medium behind it, and neither
    /// without it. Nothing waits for that.
    func flushInOrder(_ state: RecorderState) {
        raiseHighWater(to: state)
        attempt { () throws(RingLogError) in try writer.commit() }
    }

    /// Before what was appended can be read.
    private func raiseHighWater(to state: RecorderState) {
        if isHighWaterBehind, !isClosed { highWater?.write(state) }
        isHighWaterBehind = false
    }

    /// Begins to make everything durable; `settle` says when it is. While a commit is under way, this
    /// one waits for its end, together with all others that are asked for until then.
    ///
    /// - Parameter always: whether a page is written even where nothing but the cursor moved.
    /// - Returns: whether a commit of `state` has begun.
    func commit(_ state: RecorderState, cursor always: Bool) -> Bool {
        guard !isClosed else { return false }
        asked += 1
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
        (commit, begun) = ((device.progress.ended, storage.runtime.now()), asked)
        return true
    }

    /// What has become of the commit under way.
    func settle() -> Outcome {
        let progress = device.progress
        guard progress.failure == nil else {
            (commit, nextCommit) = (nil, (false, false))
            reportFailure()
            resume(through: asked)
            return .refused
        }
        guard let commit else { return .none }
        guard progress.durable >= commit.sync else { return .pending }
        let now = storage.runtime.now()
        commitTimes.add(commit.begun.duration(to: now), at: now)
        if isSlow {
            let seconds = commit.begun.duration(to: now).components.seconds
            log.notice("the disk has answered, after \(seconds) s")
        }
        (self.commit, isSlow, done) = (nil, false, begun)
        resume(through: done)
        return .durable
    }

    /// Whether another commit was asked for while one was under way.
    var wantsCommit: Bool { commit == nil && nextCommit.isWanted }

    /// Resumes `waiter` once the commits that were asked for so far are durable, or the disk refuses
    /// them.
    func whenSettled(_ waiter: CheckedContinuation<Void, Never>) {
        guard done < asked, device.failure == nil else { return waiter.resume() }
        waiters.append((asked, waiter))
    }

    private func resume(through ask: UInt64) {
        let due = waiters.filter { $0.ask <= ask }
        waiters.removeAll { $0.ask <= ask }
        for waiter in due { waiter.resume.resume() }
    }

    func prepareAhead() {
        attempt { () throws(RingLogError) in
            try writer.prepareAhead(limit: Self.preparedPerCommit)
        }
    }

    /// Closes the ring in order. Whoever opens it next needs no high water, once `settle` has said
    /// that this is durable.
    func close() {
        defer { isClosed = true }
        asked += 1
        do throws(RingLogError) {
            try writer.close()
            (commit, begun) = ((device.progress.ended, storage.runtime.now()), asked)
        } catch {
            log.error("the ring log cannot be closed in order: \(error)")
        }
    }

    /// The ring that was closed is durable, or filled into a new file.
    func closedInOrder() {
        highWater?.remove()
        device.closedInOrder()
    }

    private func attempt(_ body: () throws(RingLogError) -> Void) {
        guard !isClosed else { return }
        do throws(RingLogError) { try body() } catch { log.error("\(error)") }
    }

    // MARK: - A disk that does not answer

    /// How long the oldest record waits that is not durable; nil while nothing is being waited for.
    func behind(at now: BootInstant) -> Duration? { commit.map { $0.begun.duration(to: now) } }

    /// Bytes that would be lost by a power cut.
    var pendingBytes: Int { device.progress.pendingBytes }

    /// Takes a disk for one that refuses, which has not answered for too long, or has too much to do.
    func watch(at now: BootInstant) {
        guard let behind = behind(at: now), device.failure == nil else { return }
        if behind >= Self.noticed, !isSlow {
            isSlow = true
            log.warning(
                "the disk has not answered for \(behind.components.seconds) s; what is recorded "
                    + "meanwhile is in memory")
        }
        if behind >= Self.patience || pendingBytes > device.memoryLimit { device.giveUp() }
    }

    // MARK: - A disk that refuses

    /// One line for each reason of a burst, and one for its end in `healed`.
    func reportFailure() {
        guard let failure = device.failure, failure != reportedFailure else { return }
        reportedFailure = failure
        log.error(
            "the disk refuses records, they are kept in memory: \(failure)",
            event: device.isInMemoryAlone ? .ringUnavailable : .ringRefuses)
    }

    func isAttemptDue(at now: BootInstant) -> Bool {
        device.failure != nil && nextAttempt.map { now >= $0.at } ?? true
    }

    /// The disk still refuses. A new file that is being filled goes on at once.
    func postponeAttempt(from now: BootInstant) {
        guard !device.isCopying else { return }
        let delay = min((nextAttempt?.delay ?? .milliseconds(500)) * 2, Self.longestDelay)
        nextAttempt = (now.advanced(by: delay), delay)
    }

    /// The disk has everything again, in a file that may be another.
    func hasHealed() {
        (nextAttempt, reportedFailure) = (nil, nil)
        log.notice("the disk takes records again", [("path", device.path)])
        highWater?.remove()
        highWater = SequenceHighWater(ofRing: device.path)
        isHighWaterBehind = true
    }

    /// Resumes `waiter` once no attempt to heal is under way.
    func whenHealed(_ waiter: CheckedContinuation<Void, Never>) {
        if isHealing { healingWaiters.append(waiter) } else { waiter.resume() }
    }

    func healingIsOver() {
        for waiter in healingWaiters { waiter.resume() }
        healingWaiters = []
    }

    /// Goes on in another ring, which has what this one had.
    func replace(with found: RingStorage) { (storage, isClosed) = (found, false) }
}
