import Contract
import HostRuntime
import RingLog

/// What the publisher asks for, and what status shows of it. Touches `delivery`; writes
/// acknowledgements to `numbering`.
extension Recorder: RecordSource {
    /// Records behind `cursor`, at most `limit`; nil stands for the first that is not acknowledged.
    ///
    /// What was recorded a moment ago is read here, and what lies further back by the reader.
    package func records(after cursor: UInt64?, limit: Int) async -> RecordBatch {
        let (ring, start) = (store.writer.view, place(behind: cursor))
        do throws(RingLogError) {
            guard isFar(start) else {
                return try delivery.read(ring, from: start, limit: limit, numbering.state)
            }
            var stretch = try await reader.messages(from: start, in: ring, limit: limit)
            // Of a ring that was left meanwhile nothing is delivered; the other one is read anew.
            guard ring.device === store.device else { return .empty }
            stretch.isAtEnd = stretch.isAtEnd && ring.end == store.writer.end
            return delivery.deliver(stretch, numbering.state)
        } catch {
            log.error("the ring log cannot be read: \(error)")
            return .empty
        }
    }

    /// Stored records of a range, at most `limit`, from what the ring still holds.
    package func records(of request: ReplayRequest, after cursor: UInt64?, limit: Int) async
        -> ReplayBatch
    {
        let next = numbering.state.streams[request.stream.station]?.next[request.stream.kind] ?? 1
        guard request.sequences.lowerBound < next else {
            return ReplayBatch(records: [], through: nil, lastSequence: next - 1)
        }
        return await reader.records(
            of: request, after: cursor, limit: limit, last: next - 1, in: store.writer.view)
    }

    private func place(behind cursor: UInt64?) -> LogPosition {
        guard let cursor, let position = delivery.position(behind: cursor) else {
            return store.writer.consumed
        }
        return position
    }

    /// The broker has everything up to `cursor`; the next commit keeps that.
    ///
    /// A late answer for a record of a ring that was left is of no use: the record is sent again.
    package func acknowledged(through cursor: UInt64) {
        guard let position = delivery.position(behind: cursor) else { return }
        store.writer.consumed = position
        for record in delivery.acknowledged(before: position) {
            numbering.acknowledge(record.sequence, of: record.stream)
        }
    }

    /// Publishes an event that names the record; of an event that is itself too long there is none.
    package func tooLong(_ record: OutgoingRecord) {
        guard record.stream.kind != .gatewayEvent else { return }
        self.record(
            .ringDropped(
                stream: record.stream, sequences: record.sequence...record.sequence,
                reason: .tooLong))
    }

    /// Publishes an event for each stream that lost records since the last call.
    func declareDropped() {
        // Not before the ring knows for certain which numbers are free.
        guard
            store.device.failure != nil
                || numbering.isReserved(StreamID(station: nil, kind: .gatewayEvent))
        else { return }
        let dropped = delivery.takeLosses()
        for (loss, sequences) in dropped {
            record(
                .ringDropped(stream: loss.stream, sequences: sequences, reason: loss.reason))
        }
        guard !dropped.isEmpty else { return }
        let count = dropped.reduce(0) { $0 + $1.sequences.count }
        log.warning(
            "\(count) records are gone that the broker never had, from "
                + "\(dropped[0].loss.stream.path) \(dropped[0].sequences.lowerBound) on: "
                + "\(dropped[0].loss.reason.rawValue); receivers are told which",
            event: .ringDropped)
        appendState()
    }

    /// Has the reader find out what a full ring overwrites next, if the broker does not have all of it.
    func lookAhead() {
        guard let range = store.writer.nextOverwritten, store.writer.consumed < range.upperBound,
            delivery.doomed?.range != range, !delivery.isLookingAhead
        else { return }
        delivery.isLookingAhead = true
        let ring = store.writer.view
        Task {
            delivery.doomed = await reader.messages(in: range, ring)
            delivery.isLookingAhead = false
        }
    }

    // MARK: - Positions

    /// Where every stream stands, for the birth of a connection.
    package func birth() async -> BirthNotice {
        let oldest = await reader.oldestState(of: store.writer.view)
        var streams: [StreamID: Birth.Position] = [:]
        for (stream, next) in numbering.state.positions {
            let first = oldest?.streams[stream.station]?.next[stream.kind] ?? 1
            streams[stream] = Birth.Position(next: next, oldest: min(first, next))
        }
        let met = streams.keys.compactMap(\.station).filter(ergs.contains)
        let birth = Birth(
            version: Release.version, epoch: epoch,
            stations: Set(met).union(configuredStations).sorted(), discovery: ergs.discovery,
            streams: streams)
        return BirthNotice(
            birth, gateway: gateway, at: runtime.now(), clock: runtime.wall())
    }

    package func snapshot() -> RecorderSnapshot {
        lookBack()
        return RecorderSnapshot(
            epoch: epoch, path: store.device.path,
            sizeBytes: Int(store.writer.geometry.capacity),
            usedFraction: store.writer.usedFraction,
            backlog: numbering.state.backlog,
            oldestUnpublishedAge: oldestUnpublishedAge(),
            reach: oldestAge(),
            droppedTotal: delivery.losses.total,
            lastSequences: numbering.state.lastNumbersOfGateway,
            diskBehind: store.behind(at: runtime.now()),
            worstCommit: store.commitTimes.worst(at: runtime.now()),
            lastCommit: store.commitTimes.latest(at: runtime.now()),
            failure: store.device.failure?.description)
    }
}

extension RecordBatch {
    fileprivate static let empty = RecordBatch(records: [], through: nil)
}
