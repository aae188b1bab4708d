import Contract
import HostRuntime
import Timeline

/// The number and the time that a record gets.
extension Recorder {
    @discardableResult
    package func write(
        _ body: some RecordBody, station: StationID?, at instant: BootInstant,
        context: RecordContext
    ) -> [UInt8] {
        let stream = StreamID(station: station, kind: type(of: body).recordKind)
        reserveNumber(of: stream)
        let wanted = context.clock.unixMilliseconds(at: instant)
        let (sequence, milliseconds) = state.assign(
            stream.kind, of: station,
            unixMilliseconds: timestamps.time(wanted, of: station, at: instant))
        timestamps.note(milliseconds, of: station, at: instant)
        let isTrue =
            context.clock.isSynchronized && milliseconds - wanted <= MonotonicTimestamps.tolerance
        let time = TimeStamp(
            unixMilliseconds: milliseconds,
            unsynchronized: isTrue ? nil : context.clock.bootTime(at: instant))
        let head = RecordHead(
            gateway: gateway, stream: stream, epoch: epoch, sequence: sequence, time: time)
        let payload = encoder.encode(body, head: head, context: context)
        append(
            .message(
                DurableMessage(
                    kind: stream.kind, station: station, sequence: sequence,
                    unixMilliseconds: UInt64(clamping: milliseconds),
                    bootMilliseconds: instant.milliseconds, payload: payload)))
        return payload
    }

    /// Makes sure that the next number of a stream names one record, whenever the power fails.
    private func reserveNumber(of stream: StreamID) {
        if let skipped = state.takeSkipped(stream) {
            let event = GatewayEvent.ringDropped(
                stream: stream, sequences: skipped, reason: .notDurable)
            log.warning("\(stream.path) goes on behind \(skipped), which were not durable")
            write(
                event, station: nil, at: runtime.now(),
                context: RecordContext(clock: readClock()))
        }
        let isNew = !state.isAnnounced(stream)
        let limit = (durable[stream] ?? 0) + RecorderState.maximumAhead
        guard isNew || state.upcoming(stream) >= limit else { return }
        if isNew {
            state.announce(stream)
            appendState()
        }
        if storage.device.failure == nil { commit() }
        guard storage.device.failure != nil else { return }
        if storage.device.isInMemoryAlone {
            // No disk knows these numbers, so no later process can give them out again.
            durable[stream] = state.upcoming(stream)
        } else {
            beginEpoch(because: "the disk does not take the numbers")
        }
    }

    /// From now on numbers belong to an epoch of which no disk knows; what was given out before is
    /// declared to be in another.
    func beginEpoch(because reason: String) {
        state.epoch = runtime.makeULID().description
        log.notice("a new epoch begins, \(state.epoch): \(reason)")
        let taken = state.positions.sorted { $0.stream.path < $1.stream.path }
        for (stream, next) in taken { durable[stream] = next }
        appendState()
        for (stream, next) in taken {
            record(.ringDropped(stream: stream, sequences: 1...next - 1, reason: .earlierEpoch))
        }
        outlet.epochChanged()
    }

    /// The mapping to use now; that the wall clock was set is an event.
    func readClock() -> WallClock {
        let before = wallClock.mapping
        let clock = wallClock.read(runtime.wall())
        let step = clock.unixMillisecondsAtBoot - (before ?? clock).unixMillisecondsAtBoot
        if abs(step) >= MonotonicTimestamps.tolerance {
            write(
                GatewayEvent.clockStepped(milliseconds: step), station: nil, at: runtime.now(),
                context: RecordContext(clock: clock))
        }
        return clock
    }

    /// Places that left the configuration are remembered for their numbers, up to a point: where
    /// there have been too many, all numbers begin in a new epoch, in which nobody has any.
    func dropFormerStations() {
        guard formerStations.count > RecorderState.maximumFormerStations else { return }
        for station in formerStations where state.streams[station]?.open == nil {
            state.streams[station] = nil
        }
        beginEpoch(because: "\(formerStations.count) former ergs are forgotten")
    }
}
