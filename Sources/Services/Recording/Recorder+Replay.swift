import Contract
import RingLog

/// Records of the past, for who wants them again. Touches `delivery.replayReader` alone.
extension Recorder {
    /// Entries of the ring looked at per call, raw values among them; between two calls the log
    /// queue records on.
    static let replayStretch = 2000

    /// Stored records of a range, at most `limit`, from what the ring still holds.
    package func records(of request: ReplayRequest, after cursor: UInt64?, limit: Int)
        -> ReplayBatch
    {
        let next = numbering.state.streams[request.stream.station]?.next[request.stream.kind] ?? 1
        var batch = ReplayBatch(records: [], through: nil, lastSequence: next - 1)
        guard request.sequences.lowerBound < next else { return batch }
        do throws(RingLogError) {
            try delivery.replayReader.move(
                to: start(of: request, after: cursor), of: store.device)
            try look(for: request, limit: limit, into: &batch)
        } catch {
            log.error("the ring log cannot be read for a replay: \(error)")
            batch.through = nil
            batch.isUnreadable = true
        }
        if batch.through == nil { delivery.replayReader.forget() }
        return batch
    }

    /// Behind `cursor`, or where the ring may hold the first record of a range: each segment opens
    /// with the numbers that come next.
    private func start(
        of request: ReplayRequest, after cursor: UInt64?
    ) throws(RingLogError) -> LogPosition {
        if let cursor { return LogPosition(rawValue: cursor + 1) }
        let (station, kind) = (request.stream.station, request.stream.kind)
        let first = request.sequences.lowerBound
        let reader = try LogReader(device: store.device)
        return try reader.segmentStart { snapshot in
            guard let state = RecorderState(decoding: snapshot) else { return false }
            return state.streams[station]?.next[kind] ?? 1 <= first
        }
    }

    private func look(
        for request: ReplayRequest, limit: Int, into batch: inout ReplayBatch
    ) throws(RingLogError) {
        for _ in 0..<Self.replayStretch where batch.records.count < limit {
            guard let item = try delivery.replayReader.next() else {
                batch.through = nil
                return
            }
            switch item {
            case .gap(let gap): batch.through = gap.range.upperBound.rawValue - 1
            case .record(let record):
                batch.through = record.position.rawValue
                guard let message = DurableMessage(record), request.wants(message) else { continue }
                batch.records.append(OutgoingRecord(message, cursor: record.position.rawValue))
                if message.sequence == request.sequences.upperBound {
                    batch.through = nil
                    return
                }
            }
        }
        delivery.replayReader.readThrough(batch.through.map { LogPosition(rawValue: $0) })
    }
}

extension ReplayRequest {
    fileprivate func wants(_ message: DurableMessage) -> Bool {
        message.kind == stream.kind && message.station == stream.station
            && sequences.contains(message.sequence)
    }
}
