import Contract
import HostRuntime
import RingLog

/// Where the publisher reads in the ring. Confined to the log queue.
struct DeliveryCursor: ~Copyable {
    /// A record that the publisher was given and that is not acknowledged yet.
    struct Lent {
        var position: UInt64
        var stream: StreamID
        var sequence: UInt64
        var unixMilliseconds: UInt64
    }

    var reader = ResumableReader()
    /// For records that are wanted again.
    var replayReader = ResumableReader()
    /// In log order; at most a batch and a window.
    var lent: [Lent] = []
    var losses = UndeclaredLosses()
    /// What cursors are ahead of positions since another ring took the place of the first: in one
    /// ring they are the same, and cursors only grow.
    private var offset: UInt64 = 0
    /// Cursors up to this one are of a ring that is not in use any more.
    private var expired: UInt64?

    func cursor(at position: LogPosition) -> UInt64 { position.rawValue &+ offset }

    /// Behind the entry at `cursor`; nil if that was in another ring.
    func position(behind cursor: UInt64) -> LogPosition? {
        if let expired, cursor <= expired { return nil }
        return LogPosition(rawValue: cursor &- offset + 1)
    }

    /// From now on another ring is read, from `consumed` on; the old one ended at `end`.
    mutating func changeRing(end: LogPosition, consumed: LogPosition) {
        reader.forget()
        replayReader.forget()
        lent = []
        let last = cursor(at: end)
        expired = last
        offset = last &+ 1 &- consumed.rawValue
    }
}

extension Recorder: RecordSource {
    /// Records behind `cursor`, at most `limit`; nil stands for the first that is not acknowledged.
    package func records(after cursor: UInt64?, limit: Int) -> RecordBatch {
        do throws(RingLogError) {
            return try read(from: place(behind: cursor), limit: limit)
        } catch {
            delivery.reader.forget()
            log.error("the ring log cannot be read: \(error)")
            return RecordBatch(records: [], through: nil)
        }
    }

    private func place(behind cursor: UInt64?) -> LogPosition {
        guard let cursor, let position = delivery.position(behind: cursor) else {
            return storage.writer.consumed
        }
        return position
    }

    private func read(from: LogPosition, limit: Int) throws(RingLogError) -> RecordBatch {
        try delivery.reader.move(to: from, of: storage.device)
        var batch = RecordBatch(records: [], through: nil)
        var last: LogPosition?
        while batch.records.count < limit, let item = try delivery.reader.next() {
            switch item {
            case .gap(let gap):
                meet(gap)
            case .record(let record):
                last = record.position
                guard let message = Self.stored(kind: record.kind, record.bytes) else { continue }
                delivery.losses.read(message.stream, message.sequence)
                let isNew = lend(message, at: record.position)
                if !message.isErased {
                    batch.records.append(
                        OutgoingRecord(message, cursor: delivery.cursor(at: record.position)))
                } else if isNew {
                    delivery.losses.add(
                        message.sequence...message.sequence,
                        .init(stream: message.stream, reason: .erased))
                }
            }
        }
        if batch.records.count < limit { delivery.losses.reachedEnd { state.upcoming($0) } }
        delivery.reader.readThrough(last)
        if let last { batch.through = delivery.cursor(at: last) }
        return batch
    }

    /// Damage before the publisher had what was there: which numbers that were will show.
    private func meet(_ gap: LogGap) {
        log.warning(
            "unreadable bytes in the ring: \(gap.range.lowerBound) to \(gap.range.upperBound)",
            event: .ringDamaged)
        guard gap.reason == .damaged else { return }
        var last: [StreamID: UInt64] = [:]
        for stream in state.announcedStreams {
            last[stream] = state.streams[stream.station]?.acknowledged[stream.kind]
        }
        for record in delivery.lent where record.position < gap.range.lowerBound.rawValue {
            last[record.stream] = max(last[record.stream] ?? 0, record.sequence)
        }
        delivery.losses.metDamage(gap.range, last: last)
    }

    /// Remembers what the publisher has, or has passed over; false for what it had before, since it
    /// may read a record several times.
    private func lend(_ message: DurableMessage, at position: LogPosition) -> Bool {
        guard position.rawValue > delivery.lent.last?.position ?? 0 else { return false }
        delivery.lent.append(
            .init(
                position: position.rawValue, stream: message.stream, sequence: message.sequence,
                unixMilliseconds: message.unixMilliseconds))
        return true
    }

    /// The message that a record is, if it is one that has something to say.
    package static func message(_ record: LogRecord) -> DurableMessage? {
        stored(kind: record.kind, record.bytes).flatMap { $0.isErased ? nil : $0 }
    }

    /// The message that a record is or was, if it is one.
    static func stored(kind: UInt8, _ bytes: [UInt8]) -> DurableMessage? {
        guard kind == RecordKind.entry,
            case .message(let message)? = try? RingEntry.decode(bytes)
        else { return nil }
        return message
    }

    /// The broker has everything up to `cursor`; the next commit keeps that.
    ///
    /// A late answer for a record of a ring that was left is of no use: the record is sent again.
    package func acknowledged(through cursor: UInt64) {
        guard let position = delivery.position(behind: cursor) else { return }
        storage.writer.consumed = position
        let done = delivery.lent.prefix { $0.position < position.rawValue }
        for record in done {
            state.acknowledge(record.sequence, record.stream.kind, of: record.stream.station)
        }
        delivery.lent.removeFirst(done.count)
    }

    // MARK: - What the ring lost

    /// Reads what is about to be overwritten, so that it can be declared by number.
    ///
    /// Called by the ring within an append, which is no time to append: `declareDropped` does.
    func noteOverwritten(_ range: Range<LogPosition>) {
        do throws(RingLogError) {
            try delivery.losses.addMessages(in: range, of: storage.device)
        } catch {
            log.error("what the full ring dropped could not be read: \(error)")
        }
    }

    /// Publishes an event for each stream that lost records since the last call.
    func declareDropped() {
        let dropped = delivery.losses.take()
        for (loss, sequences) in dropped {
            log.warning(
                "\(loss.stream.path) lost \(sequences) unpublished: \(loss.reason.rawValue)",
                event: .ringDropped)
            record(
                .ringDropped(stream: loss.stream, sequences: sequences, reason: loss.reason))
        }
        if !dropped.isEmpty { appendState() }
    }

    // MARK: - Standing

    /// Where every stream stands, for the birth of a connection.
    package func birth() -> BirthNotice {
        var streams: [StreamID: Birth.Position] = [:]
        let oldest = storage.oldestState()
        for (stream, next) in state.positions {
            let first = oldest?.streams[stream.station]?.next[stream.kind] ?? 1
            streams[stream] = Birth.Position(next: next, oldest: min(first, next))
        }
        let stations = Set(streams.keys.compactMap(\.station)).union(configuredStations)
        let birth = Birth(
            version: Release.version, epoch: epoch, stations: stations.sorted(), streams: streams)
        return BirthNotice(
            birth, gateway: gateway, at: runtime.now(), clock: runtime.wall())
    }

    package func backlog() -> Int { state.backlog }

    /// How long the oldest record waits that the broker does not have; nil when it has all.
    private func oldestUnpublishedAge() -> Duration? {
        guard state.backlog > 0,
            let oldest = delivery.lent.first?.unixMilliseconds ?? oldestInRing()
        else { return nil }
        // By the wall clock: a record of an earlier boot has no other.
        let now = UInt64(clamping: runtime.unixMilliseconds())
        return .milliseconds(Int64(clamping: now - min(now, oldest)))
    }

    /// Looked for while nobody reads, because there is no broker to read for.
    private func oldestInRing() -> UInt64? {
        do throws(RingLogError) {
            var reader = try LogReader(device: storage.device, from: storage.writer.consumed)
            while let item = try reader.next() {
                if case .record(let record) = item, let message = Self.message(record) {
                    return message.unixMilliseconds
                }
            }
        } catch {
            log.debug("the oldest record that waits could not be read: \(error)")
        }
        return nil
    }

    package func snapshot() -> RecorderSnapshot {
        let events = (state.streams[nil]?.next[.event] ?? 1) - 1
        return RecorderSnapshot(
            epoch: epoch, path: storage.device.path,
            sizeBytes: Int(storage.writer.geometry.capacity),
            usedFraction: storage.writer.usedFraction, backlog: state.backlog,
            oldestUnpublishedAge: oldestUnpublishedAge(),
            droppedTotal: delivery.losses.total, eventLastSequence: events > 0 ? events : nil,
            failure: storage.device.failure?.description)
    }
}

extension DurableMessage {
    package var stream: StreamID { StreamID(station: station, kind: kind) }
}

extension OutgoingRecord {
    package init(_ message: DurableMessage, cursor: UInt64) {
        self.init(
            cursor: cursor, station: message.station, kind: message.kind,
            sequence: message.sequence, payload: message.payload)
    }
}
