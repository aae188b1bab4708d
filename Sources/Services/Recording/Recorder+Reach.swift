import RingLog
import Timeline

/// Cached ages of the oldest records in the ring. The lookup can be slow, so no caller waits for it.
struct RingReach {
    /// A position in the ring, and when the first record behind it was written, in Unix
    /// milliseconds.
    struct Entry: Equatable {
        var position: LogPosition?
        var milliseconds: UInt64?
    }

    /// The oldest record of the ring.
    var oldest = Entry()
    /// The oldest record that the broker does not have.
    var waiting = Entry()
    var isLooking = false
}

/// Ages of records. Writes `reach`.
extension Recorder {
    /// Makes the reader look up the oldest and the oldest unacknowledged record.
    func updateReach() {
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

    /// Returns the age of the oldest record in the ring; nil if there is none or it is unknown.
    func oldestAge() -> Duration? {
        let oldest = store.writer.view.oldest
        let time = time(of: oldest, reach.oldest)
        if time != nil { reach.oldest = .init(position: oldest, milliseconds: time) }
        return time.map(age)
    }

    /// Returns the age of the oldest unacknowledged record; nil if there is none.
    func oldestUnpublishedAge() -> Duration? {
        guard numbering.state.backlog > 0 else { return nil }
        let first =
            delivery.oldestUnixMilliseconds ?? time(of: store.writer.consumed, reach.waiting)
        return first.map(age)
    }

    /// Returns the time of the first record at or behind `position`; nil if only the reader can find it.
    private func time(of position: LogPosition, _ known: RingReach.Entry) -> UInt64? {
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

    /// Returns the age by the wall clock, the only clock of records from earlier boots.
    private func age(_ unixMilliseconds: UInt64) -> Duration {
        let now = UInt64(clamping: runtime.unixMilliseconds())
        return .milliseconds(Int64(clamping: now - min(now, unixMilliseconds)))
    }
}
