import RingLog
import Timeline

/// How far back the ring reaches, as far as known. Looking it up may take long, so no caller waits
/// for it.
struct RingReach {
    /// A position in the ring, and when the first record behind it was written, in Unix
    /// milliseconds.
    struct Place: Equatable {
        var position: LogPosition?
        var milliseconds: UInt64?
    }

    /// The oldest record of the ring.
    var oldest = Place()
    /// The oldest record that the broker does not have.
    var waiting = Place()
    var isLooking = false
}

/// Ages of records. Writes `reach`.
extension Recorder {
    /// Makes the reader look up where the ring begins now, and what waits for the broker.
    func lookBack() {
        let (ring, consumed) = (store.writer.view, store.writer.consumed)
        let isKnown =
            (reach.oldest.position == ring.oldest || !isFar(ring.oldest))
            && (reach.waiting.position == consumed || !isFar(consumed))
        guard !isKnown, !reach.isLooking else { return }
        reach.isLooking = true
        Task {
            let oldest = await reader.time(of: ring.oldest, in: ring)
            let waiting = await reader.time(of: consumed, in: ring)
            reach = RingReach(
                oldest: .init(position: ring.oldest, milliseconds: oldest),
                waiting: .init(position: consumed, milliseconds: waiting))
        }
    }

    /// The age of the oldest record in the ring; nil without one, and until it is known.
    func oldestAge() -> Duration? {
        let oldest = store.writer.view.oldest
        let time = time(of: oldest, reach.oldest)
        if time != nil { reach.oldest = .init(position: oldest, milliseconds: time) }
        return time.map(age)
    }

    /// The age of the oldest record that the broker does not have; nil if it has all.
    func oldestUnpublishedAge() -> Duration? {
        guard numbering.state.backlog > 0 else { return nil }
        let first =
            delivery.oldestUnixMilliseconds ?? time(of: store.writer.consumed, reach.waiting)
        return first.map(age)
    }

    /// When the first record at or behind `position` was written, if that is known or near.
    private func time(of position: LogPosition, _ known: RingReach.Place) -> UInt64? {
        if known.position == position, let time = known.milliseconds { return time }
        guard !isFar(position) else { return nil }
        do throws(RingLogError) {
            let first = try ResumableReader().stretch(
                from: position, in: store.writer.view, messages: 1)
            for case .message(let message, _) in first.items { return message.unixMilliseconds }
        } catch {
            log.debug("the time of a record could not be read: \(error)")
        }
        return nil
    }

    /// By the wall clock: a record of an earlier boot has no other timestamp.
    private func age(_ unixMilliseconds: UInt64) -> Duration {
        let now = UInt64(clamping: runtime.unixMilliseconds())
        return .milliseconds(Int64(clamping: now - min(now, unixMilliseconds)))
    }
}
