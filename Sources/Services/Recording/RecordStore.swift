import HostRuntime
import RingLog
import Timeline

/// Where records go: the ring, the numbers' high water beside it, and what the disk says of both.
///
/// Nothing here throws: a ring that refuses keeps what it was given in memory
/// (`FallbackBlockDevice`), and the log gets a line. Confined to the log queue.
final class RecordStore {
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
    private let log: SystemLog

    init(_ storage: RingStorage, highWater: SequenceHighWater?, log: SystemLog) {
        (self.storage, self.highWater, self.log) = (storage, highWater, log)
    }

    var writer: LogWriter { storage.writer }
    var device: FallbackBlockDevice { storage.device }

    // MARK: - Writing

    /// Returns whether the record was taken; one that is too long is not.
    func append(kind: UInt8, bytes: [UInt8]) -> Bool {
        // Of a part that hung in its stop, and came back while the process ends.
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

    /// Before what was appended can be read.
    private func raiseHighWater(to state: RecorderState) {
        if isHighWaterBehind, !isClosed { highWater?.write(state) }
        isHighWaterBehind = false
    }

    /// Makes everything durable. Returns false while the disk refuses.
    ///
    /// - Parameter always: whether a cursor that moved alone is worth a page.
    func commit(_ state: RecorderState, cursor always: Bool) -> Bool {
        raiseHighWater(to: state)
        attempt { () throws(RingLogError) in try writer.commit(cursor: always) }
        reportFailure()
        return device.failure == nil
    }

    func prepareAhead() {
        attempt { () throws(RingLogError) in
            try writer.prepareAhead(limit: Self.preparedPerCommit)
        }
    }

    /// Closes the ring in order. Whoever opens it next needs no high water.
    func close() {
        defer { isClosed = true }
        do throws(RingLogError) {
            try writer.close()
            if device.failure == nil { highWater?.remove() }
        } catch {
            log.error("the ring log cannot be closed in order: \(error)")
        }
    }

    /// Fills the new file of a closed ring to its end, however long it takes.
    func finishCopy() {
        while device.isCopying {
            ServiceNotifier.extendTimeout(by: .seconds(60))
            if device.heal() { highWater?.remove() }
        }
    }

    private func attempt(_ body: () throws(RingLogError) -> Void) {
        guard !isClosed else { return }
        do throws(RingLogError) { try body() } catch { log.error("\(error)") }
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
    func healed() {
        (nextAttempt, reportedFailure) = (nil, nil)
        log.notice("the disk takes records again", [("path", device.path)])
        highWater?.remove()
        highWater = SequenceHighWater(ofRing: device.path)
        isHighWaterBehind = true
    }

    /// Goes on in another ring, which has what this one had.
    func replace(with found: RingStorage) { storage = found }
}
