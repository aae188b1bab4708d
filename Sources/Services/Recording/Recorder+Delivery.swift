import Contract
import HostRuntime
import RingLog
import Timeline

/// Record delivery to the publisher, and the state for status.
extension Recorder: RecordSource {
    /// Returns at most `limit` records after `cursor`; nil starts at the first unacknowledged record.
    ///
    /// Reads recent records on this queue, and older ones with `reader`.
    package func records(after cursor: UInt64?, limit: Int) async -> RecordBatch {
        let (ring, start) = (store.writer.view, place(behind: cursor))
        do throws(RingLogError) {
            guard isFar(start) else {
                return try cursorReader.read(ring, from: start, limit: limit, numbering.state)
            }
            var stretch = try await reader.messages(from: start, in: ring, limit: limit)
            // Drops records of a ring that was replaced meanwhile; the next call reads the new one.
            guard ring.device === store.device else { return .empty }
            stretch.isAtEnd = stretch.isAtEnd && ring.end == store.writer.end
            return cursorReader.makeBatch(stretch, numbering.state)
        } catch {
            log.error("the ring log cannot be read: \(error)")
            return .empty
        }
    }

    /// Returns at most `limit` records of a range that are still in the ring.
    package func records(of request: ReplayRequest, after cursor: UInt64?, limit: Int) async
        -> ReplayBatch
    {
        let next = numbering.state.stationStates[request.stream.station]?.next[request.stream.kind] ?? 1
        guard request.sequences.lowerBound < next else {
            return ReplayBatch(records: [], through: nil, lastSequence: next - 1)
        }
        return await reader.records(
            of: request, after: cursor, limit: limit, last: next - 1, in: store.writer.view)
    }

    private func place(behind cursor: UInt64?) -> LogPosition {
        guard let cursor, let position = cursorReader.position(behind: cursor) else {
            return store.writer.consumed
        }
        return position
    }

    /// Notes that the broker has acknowledged every record up to `cursor`; the next commit stores that.
    ///
    /// Ignores acknowledgements of a replaced ring, whose unacknowledged records are sent again.
    package func acknowledged(through cursor: UInt64) {
        guard let position = cursorReader.position(behind: cursor) else { return }
        store.writer.consumed = position
        for record in cursorReader.acknowledged(before: position) {
            numbering.acknowledge(record.sequence, of: record.stream)
        }
    }

    /// Publishes an event about a record that is too long, unless that record is such an event.
    package func tooLong(_ record: OutgoingRecord) {
        guard record.stream.kind != .gatewayEvent else { return }
        self.record(
            .ringDropped(
                stream: record.stream, sequences: record.sequence...record.sequence,
                reason: .tooLong))
    }

    /// Publishes an event for each stream that lost records since the last call.
    func declareDropped() {
        // The event needs a number that stays unique after a power cut.
        guard
            store.device.failure != nil
                || numbering.isReserved(StreamID(station: nil, kind: .gatewayEvent))
        else { return }
        let dropped = cursorReader.drainLosses()
        for (loss, sequences) in dropped {
            record(
                .ringDropped(stream: loss.stream, sequences: sequences, reason: loss.reason))
        }
        guard !dropped.isEmpty else { return }
        let count = dropped.reduce(0) { $0 + $1.sequences.count }
        log.warning(
            "lost \(count) records before delivery to the broker, from "
                + "\(dropped[0].loss.stream.path) \(dropped[0].sequences.lowerBound) on: "
                + "\(dropped[0].loss.reason.rawValue); published as an event",
            event: .ringDropped)
        appendState()
    }

    /// Makes the reader look up the unacknowledged records that a full ring overwrites next.
    func lookAhead() {
        guard let range = store.writer.nextOverwritten, store.writer.consumed < range.upperBound,
            cursorReader.beginLookAhead(of: range)
        else { return }
        let ring = store.writer.view
        Task { cursorReader.endLookAhead(await reader.messages(in: range, ring)) }
    }

    // MARK: - Positions

    /// Returns the positions of all streams for the birth message.
    package func birth() async -> BirthNotice {
        let oldest = await reader.oldestState(of: store.writer.view)
        var streams: [StreamID: Birth.Position] = [:]
        for (stream, next) in numbering.state.positions {
            let first = oldest?.stationStates[stream.station]?.next[stream.kind] ?? 1
            streams[stream] = Birth.Position(next: next, oldest: min(first, next))
        }
        let existing = streams.keys.compactMap(\.station).filter(ergs.contains)
        let birth = Birth(
            version: Release.version, epoch: epoch,
            stations: Set(existing).union(configuredStations).sorted(), discovery: ergs.discovery,
            streams: streams)
        return BirthNotice(
            birth, gateway: gateway, at: runtime.now(), clock: runtime.wall())
    }

    package func snapshot() -> RecorderSnapshot {
        updateReach()
        return RecorderSnapshot(
            epoch: epoch, path: store.device.path,
            sizeBytes: Int(store.writer.geometry.capacity),
            usedFraction: store.writer.usedFraction,
            backlog: numbering.state.backlog,
            oldestUnpublishedAge: oldestUnpublishedAge(),
            reach: oldestAge(),
            droppedTotal: cursorReader.losses.total,
            lastSequencesOfGateway: numbering.state.lastNumbersOfGateway,
            diskDelay: store.behind(at: runtime.now()),
            worstCommit: store.commitTimes.worst(at: runtime.now()),
            lastCommit: store.commitTimes.latest(at: runtime.now()),
            failure: store.device.failure?.description, athletes: assignments)
    }

    // MARK: - Ages of records

    /// Makes the reader look up the oldest and the oldest unacknowledged record.
    func updateReach() {
        let (ring, consumed) = (store.writer.view, store.writer.consumed)
        let isKnown =
            (reach.isLookedUp(.oldest, at: ring.oldest) || !isFar(ring.oldest))
            && (reach.isLookedUp(.waiting, at: consumed) || !isFar(consumed))
        guard !isKnown, reach.beginLookUp() else { return }
        Task {
            let oldest = await reader.time(of: ring.oldest, in: ring)
            let waiting = await reader.time(of: consumed, in: ring)
            reach.store(oldest, of: .oldest, at: ring.oldest)
            reach.store(waiting, of: .waiting, at: consumed)
            reach.endLookUp()
        }
    }

    /// Returns the age of the oldest record in the ring; nil if there is none or it is unknown.
    func oldestAge() -> Duration? {
        let oldest = store.writer.view.oldest
        let time = time(of: .oldest, at: oldest)
        if time != nil { reach.store(time, of: .oldest, at: oldest) }
        return time.map(age)
    }

    /// Returns the age of the oldest unacknowledged record; nil if there is none.
    func oldestUnpublishedAge() -> Duration? {
        guard numbering.state.backlog > 0 else { return nil }
        let first = cursorReader.oldestUnixMilliseconds ?? time(of: .waiting, at: store.writer.consumed)
        return first.map(age)
    }

    /// Returns the time of the first record at or behind `position`; nil if only the reader can find it.
    private func time(of record: RingReach.Record, at position: LogPosition) -> UInt64? {
        if let time = reach.time(of: record, at: position) { return time }
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

extension RecordBatch {
    fileprivate static let empty = RecordBatch(records: [], through: nil)
}
