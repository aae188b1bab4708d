import Contract
import HostRuntime
import RingLog

/// What the publisher asks for. Touches `delivery`; writes acknowledgements to `numbering`.
extension Recorder: RecordSource {
    /// Records behind `cursor`, at most `limit`; nil stands for the first that is not acknowledged.
    package func records(after cursor: UInt64?, limit: Int) -> RecordBatch {
        do throws(RingLogError) {
            return try delivery.read(
                store.storage, from: place(behind: cursor), limit: limit, numbering.state)
        } catch {
            delivery.forgetReaders()
            log.error("the ring log cannot be read: \(error)")
            return RecordBatch(records: [], through: nil)
        }
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

    /// Publishes an event for each stream that lost records since the last call.
    func declareDropped() {
        // Not before the ring knows for certain which numbers are free.
        guard
            store.device.failure != nil
                || numbering.isReserved(StreamID(station: nil, kind: .gatewayEvent))
        else { return }
        let dropped = delivery.takeLosses()
        for (loss, sequences) in dropped {
            log.warning(
                "\(loss.stream.path) lost \(sequences) unpublished: \(loss.reason.rawValue)",
                event: .ringDropped)
            record(
                .ringDropped(stream: loss.stream, sequences: sequences, reason: loss.reason))
        }
        if !dropped.isEmpty { appendState() }
    }

    // MARK: - Positions

    /// Where every stream stands, for the birth of a connection.
    package func birth() -> BirthNotice {
        var streams: [StreamID: Birth.Position] = [:]
        let oldest = store.storage.oldestState()
        for (stream, next) in numbering.state.positions {
            let first = oldest?.streams[stream.station]?.next[stream.kind] ?? 1
            streams[stream] = Birth.Position(next: next, oldest: min(first, next))
        }
        let stations = Set(streams.keys.compactMap(\.station)).union(configuredStations)
        let birth = Birth(
            version: Release.version, epoch: epoch, stations: stations.sorted(), streams: streams)
        return BirthNotice(
            birth, gateway: gateway, at: runtime.now(), clock: runtime.wall())
    }

    /// How long the oldest record waits that the broker does not have; nil when it has all.
    private func oldestUnpublishedAge() -> Duration? {
        guard numbering.state.backlog > 0,
            let oldest = delivery.oldestUnixMilliseconds ?? oldestInRing()
        else { return nil }
        // By the wall clock: a record of an earlier boot has no other.
        let now = UInt64(clamping: runtime.unixMilliseconds())
        return .milliseconds(Int64(clamping: now - min(now, oldest)))
    }

    /// Looked for while nobody reads, because there is no broker to read for.
    private func oldestInRing() -> UInt64? {
        do throws(RingLogError) {
            var reader = try store.writer.reader(from: store.writer.consumed)
            reader.limit = store.writer.end
            while let item = try reader.next() {
                if case .record(let record) = item, let message = DurableMessage(record) {
                    return message.unixMilliseconds
                }
            }
        } catch {
            log.debug("the oldest record that waits could not be read: \(error)")
        }
        return nil
    }

    package func snapshot() -> RecorderSnapshot {
        let events = (numbering.state.streams[nil]?.next[.gatewayEvent] ?? 1) - 1
        return RecorderSnapshot(
            epoch: epoch, path: store.device.path,
            sizeBytes: Int(store.writer.geometry.capacity),
            usedFraction: store.writer.usedFraction,
            backlog: numbering.state.backlog,
            oldestUnpublishedAge: oldestUnpublishedAge(),
            droppedTotal: delivery.losses.total, eventLastSequence: events > 0 ? events : nil,
            diskBehind: store.behind(at: runtime.now()),
            worstCommit: store.commitTimes.worst(at: runtime.now()),
            failure: store.device.failure?.description)
    }
}
