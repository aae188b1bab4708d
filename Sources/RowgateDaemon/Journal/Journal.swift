import HostRuntime
import MQTTPublishing
import PM5Codec
import RingLog
import Rowing

/// What a station hands to the journal: what happened, in order, and how to go on from there.
struct StationNews: Sendable {
    var station: StationID
    /// Nine digits; nil before a monitor was seen.
    var monitorSerial: String?
    /// Whether the monitor is held; published with its state.
    var presence = StationReport.Presence.linked
    var at: BootInstant
    var events: [SessionEvent]
    /// What the monitor said, as it said it; empty unless the configuration wants it kept.
    var raw = RawRecording()
    /// `SessionCheckpoint` after these events; empty when no session is open.
    var checkpoint: [UInt8]
}

/// A session that a process did not live to end.
struct InterruptedSession: Sendable {
    var checkpoint: SessionCheckpoint
    /// Since the checkpoint was taken; nil where no clock can tell.
    var away: Duration?
}

/// What the journal tells the rest of the daemon. Called on the log queue.
struct JournalOutlet: Sendable {
    /// Records were appended that the publisher may read.
    var recordsAvailable: @Sendable () -> Void
    /// A retained message is to be replaced.
    var retain: @Sendable (RetainedTopic, [UInt8]) -> Void
    /// The birth of the present connection is out of date: numbers belong to another epoch now.
    var epochChanged: @Sendable () -> Void = {}
}

/// The log queue: gives every durable record its number and its bytes, and keeps it in the ring.
///
/// A record is handed to the kernel at once, so that it survives the end of this process, and made
/// durable by the next commit, so that it survives a power cut.
actor Journal {
    typealias RecordKind = JournalRecordKind

    nonisolated let executor: SerialQueueExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let gateway: GatewayID
    /// Named in the birth even before they have a record.
    let configuredStations: [StationID]
    /// Places that the ring remembers and the configuration does not name any more.
    let formerStations: [StationID]
    let log: JournalLog
    private let settings: Configuration.Ring
    private var encoder = RecordEncoder()
    let wall: @Sendable () -> WallClock
    private var wallClock = SteadyWallClock()
    private var heldTimes = HeldTimes()
    private var outlet = JournalOutlet(recordsAvailable: {}, retain: { _, _ in })
    private var commitTimer: QueueTimer?
    private var housekeeping: QueueTimer?
    private var stationsToMark: Set<StationID> = []
    /// What each erg last said that it is doing.
    private var reports: [StationID: StationReport] = [:]
    /// Names that may be published, by athlete.
    private var athleteNames: [String: String] = [:]
    let storage: RingStorage
    /// The disk's last refusal that was written to the log; nil while it takes records.
    private var reportedFailure: RingLogError?
    /// When the disk is tried again, and how long after that; only while it refuses records.
    private var nextHealing: (at: BootInstant, delay: Duration)?
    var state: JournalState
    /// Behind the last number of each stream that no power cut can bring back.
    private var durable: [StreamID: UInt64] = [:]
    private var marks: NumberMarks?
    /// What a death of the last process cost; nil after a stop in order.
    private var recovered: GatewayEvent?
    var delivery = DeliveryCursor()

    /// Bytes of new space made ready at a time, so that no commit takes noticeably longer for it.
    private static let preparedPerCommit = 256 << 10

    /// The delay of `nextHealing` grows to this.
    private static let longestHealingDelay = Duration.seconds(30)

    /// Opens the ring, or takes memory in its place and says so.
    ///
    /// Throws for a ring that a later version wrote.
    ///
    /// - Parameter wall: how boot time maps to wall time, read at each record.
    init(
        gateway: GatewayID, stations: [StationID], settings: Configuration.Ring, log: JournalLog,
        wall: @escaping @Sendable () -> WallClock = HostClock.wall
    ) throws(RingLogError) {
        let storage = try RingStorage.open(settings, log: log)
        self.init(
            gateway: gateway, stations: stations, settings: settings, storage: storage,
            marks: NumberMarks(ofRing: settings.path), log: log, wall: wall)
    }

    /// - Parameter marks: nil where a death of the process is to be taken for a power cut.
    init(
        gateway: GatewayID, stations: [StationID], settings: Configuration.Ring,
        storage: RingStorage, marks: NumberMarks?, log: JournalLog,
        wall: @escaping @Sendable () -> WallClock = HostClock.wall
    ) {
        executor = SerialQueueExecutor(label: "rowgate.log")
        self.gateway = gateway
        configuredStations = stations
        self.settings = settings
        self.log = log
        self.wall = wall
        self.storage = storage
        self.marks = marks
        recovered = storage.loss
        storage.describe(log, wanted: LogGeometry(capacity: settings.sizeBytes))
        state = storage.recoverState(log: log).recoveringNumbers(
            marks: marks?.read(bootID: wall().bootID), wasClosed: recovered == nil)
        formerStations = state.streams.keys.compactMap(\.self).filter { !stations.contains($0) }
    }

    /// The ULID that the numbers belong to.
    var epoch: String { state.epoch }

    /// The sessions that the last process left, with how long ago it last wrote of them.
    func interruptedSessions() -> [StationID: InterruptedSession] {
        var sessions: [StationID: InterruptedSession] = [:]
        for (station, streams) in state.streams where !streams.checkpoint.isEmpty {
            guard let station, let checkpoint = SessionCheckpoint(decoding: streams.checkpoint)
            else { continue }
            sessions[station] = InterruptedSession(
                checkpoint: checkpoint,
                away: timeSince(checkpoint.at, unixMilliseconds: streams.lastUnixMilliseconds))
        }
        return sessions
    }

    /// By the boot clock on the same boot, by a trusted wall clock on another; else unknown.
    private func timeSince(_ instant: BootInstant, unixMilliseconds: Int64) -> Duration? {
        let clock = wall()
        if state.bootID == clock.bootID { return instant.duration(to: HostClock.now()) }
        guard clock.isSynchronized else { return nil }
        return .milliseconds(max(0, clock.unixMilliseconds(at: HostClock.now()) - unixMilliseconds))
    }

    /// Begins to commit.
    func start(outlet: JournalOutlet) {
        self.outlet = outlet
        storage.writer.snapshot = { [weak self] in
            // Called within append, so on this queue.
            self?.assumeIsolated { $0.state.encode() } ?? []
        }
        storage.writer.willOverwrite = { [weak self] range in
            self?.assumeIsolated { $0.noteOverwritten(range) }
        }
        let bootID = wall().bootID
        let newcomers = configuredStations.filter { state.streams[$0] == nil }
        for station in newcomers { state.streams[station] = .init() }
        if state.bootID != bootID || recovered != nil || !newcomers.isEmpty {
            state.bootID = bootID
            // Durable before any number out of it is: a second cut must not find the old numbers.
            append(RecordKind.state, state.encode())
            commit()
        }
        if let recovered { record(recovered) }
        commitTimer = QueueTimer(on: executor) { [weak self] in
            self?.assumeIsolated { $0.tick() }
        }
        commitTimer?.fire(every: settings.commitInterval)
        housekeeping = QueueTimer(on: executor) { [weak self] in
            self?.assumeIsolated { $0.keepHouse() }
        }
        housekeeping?.fire(every: .seconds(10), leeway: .seconds(1))
        // A broker may have lost its memory with ours.
        stationsToMark = Set(state.streams.keys.compactMap { $0 })
        publishMarks()
    }

    /// Makes everything durable and closes the ring in order.
    func stop() {
        commitTimer?.cancel()
        housekeeping?.cancel()
        storage.device.heal()
        do throws(RingLogError) {
            try storage.writer.close()
            if storage.device.failure == nil { marks?.remove() }
        } catch {
            log.error("the ring log cannot be closed in order: \(error)")
        }
    }

    // MARK: - Recording

    /// Writes what stations had to say, in order; the edges of sessions become durable at once.
    func record(_ batch: [StationNews]) {
        let clock = readClock()
        var isEdge = false
        for news in batch {
            for entry in news.raw.entries { append(RecordKind.entry, Array(entry)) }
            guard !news.events.isEmpty else { continue }
            for event in news.events {
                record(event, of: news, clock: clock)
                isEdge = isEdge || event.isEdge
            }
            append(.checkpoint(station: news.station, bytes: news.checkpoint))
            state.streams[news.station, default: .init()].checkpoint = news.checkpoint
            stationsToMark.insert(news.station)
        }
        flush()
        if isEdge {
            commit()
            publishMarks()
        }
        outlet.recordsAvailable()
    }

    /// Writes an event of the gateway itself.
    func record(_ event: GatewayEvent) {
        let clock = readClock()
        write(event, station: nil, at: HostClock.now(), context: RecordContext(clock: clock))
        flush()
        outlet.recordsAvailable()
    }

    private func record(_ event: SessionEvent, of news: StationNews, clock: WallClock) {
        let station = news.station
        let seating = state.streams[station]?.seating
        let context = RecordContext(
            athlete: event.session.flatMap { seating?.athlete(in: $0) },
            monitorSerial: news.monitorSerial, clock: clock)
        switch event {
        case .session(let edge):
            if edge.kind == .started {
                state.open(edge.session, of: station, at: storage.writer.end.rawValue)
            }
            write(edge, station: station, at: edge.at, context: context)
            if edge.kind == .ended {
                writeManifest(closing: edge, station: station, context: context)
                state.streams[station]?.seating.ended(edge.session)
                publishState(of: station)
            }
            // The state names the open session, which no record does in a form we could read back.
            append(RecordKind.state, state.encode())
        case .stroke(let stroke):
            write(stroke, station: station, at: stroke.at, context: context)
        case .force(let curve):
            write(curve, station: station, at: curve.at, context: context)
        case .split(let split):
            write(split, station: station, at: split.at, context: context)
        case .gap(let gap):
            write(gap, station: station, at: gap.at, context: context)
        case .summary(let summary):
            let stored = write(summary, station: station, at: summary.at, context: context)
            outlet.retain(.lastSummary(station), stored)
        case .state(let report):
            reports[station] = StationReport(station: report, presence: news.presence)
            publishState(of: station)
        }
    }

    private func publishState(of station: StationID) {
        guard var report = reports[station] else { return }
        report.athlete = state.streams[station]?.seating.athlete
        report.athleteName = report.athlete.flatMap { athleteNames[$0] }
        outlet.retain(
            .state(station),
            report.payload(
                gateway: gateway, station: station, at: HostClock.now(), clock: readClock()))
    }

    // MARK: - Athletes

    /// From now on the erg's records are `athlete`'s; nobody's when it is nil. Durable on return.
    func assign(_ athlete: String?, until: Seating.End, to station: StationID) {
        state.streams[station, default: .init()].seating.assign(athlete, until: until)
        append(RecordKind.state, state.encode())
        commit()
        publishState(of: station)
    }

    /// Seats the athletes of a roster where it has a place for them.
    ///
    /// - Parameter isReplacing: whether also where somebody sits already, whom a command may have
    ///   put there.
    func seat(_ configuration: Configuration, replacing isReplacing: Bool) {
        athleteNames =
            configuration.athletes.publishesNames ? configuration.roster?.names ?? [:] : [:]
        for athlete in configuration.roster?.athletes ?? [] {
            guard let station = athlete.erg.flatMap({ StationID($0) }),
                isReplacing || self.athlete(at: station) == nil
            else { continue }
            assign(athlete.id, until: .changed, to: station)
        }
        for station in reports.keys { publishState(of: station) }
    }

    /// Ends the assignments of an athlete; a state without them is durable on return.
    func forgetSeats(of athlete: String) {
        state = state.forgetting(athlete) ?? state
        append(RecordKind.state, state.encode())
        commit()
        for station in reports.keys { publishState(of: station) }
    }

    /// Has the broker forget summaries that were erased, where it keeps them for late joiners.
    func takeBack(_ summaries: [DurableMessage]) {
        for summary in summaries {
            guard let station = summary.station,
                summary.sequence + 1 == state.streams[station]?.next[.summary]
            else { continue }
            outlet.retain(.lastSummary(station), [])
        }
    }

    func athlete(at station: StationID) -> String? { state.streams[station]?.seating.athlete }

    private func writeManifest(
        closing edge: SessionEdge, station: StationID, context: RecordContext
    ) {
        flush()
        guard let open = state.streams[station]?.open, open.session == edge.session else { return }
        var manifest = sessionManifest(open, station: station)
        manifest.monitorStrokes = edge.monitorStrokes
        state.close(station)
        write(manifest, station: station, at: edge.at, context: context)
    }

    @discardableResult
    private func write(
        _ body: some RecordBody, station: StationID?, at instant: BootInstant,
        context: RecordContext
    ) -> [UInt8] {
        let stream = StreamID(station: station, kind: type(of: body).recordKind)
        reserveNumber(of: stream)
        let wanted = context.clock.unixMilliseconds(at: instant)
        let (sequence, milliseconds) = state.assign(
            stream.kind, of: station,
            unixMilliseconds: heldTimes.time(wanted, of: station, at: instant))
        heldTimes.note(milliseconds, of: station, at: instant)
        let isTrue =
            context.clock.isSynchronized && milliseconds - wanted <= HeldTimes.tolerance
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
                event, station: nil, at: HostClock.now(),
                context: RecordContext(clock: readClock()))
        }
        let isNew = !state.isAnnounced(stream)
        let limit = (durable[stream] ?? 0) + JournalState.maximumAhead
        guard isNew || state.upcoming(stream) >= limit else { return }
        if isNew {
            state.announce(stream)
            append(RecordKind.state, state.encode())
        }
        if storage.device.failure == nil { commit() }
        guard storage.device.failure != nil else { return }
        if storage.device.isInMemoryAlone {
            // No disk knows these numbers, so no later process can give them out again.
            durable[stream] = state.upcoming(stream)
        } else {
            beginEpoch()
        }
    }

    /// Numbers that the disk cannot be told of belong to an epoch that it does not know.
    private func beginEpoch() {
        var randomness = SystemRandomNumberGenerator()
        state.epoch =
            ULID(unixMilliseconds: SystemClock.unixMilliseconds(), using: &randomness).description
        log.notice("a new epoch begins, \(state.epoch): the disk does not take the numbers")
        let taken = state.positions.sorted { $0.stream.path < $1.stream.path }
        for (stream, next) in taken { durable[stream] = next }
        append(RecordKind.state, state.encode())
        for (stream, next) in taken {
            record(.ringDropped(stream: stream, sequences: 1...next - 1, reason: .earlierEpoch))
        }
        outlet.epochChanged()
    }

    /// The mapping to use now; that the wall clock was set is an event.
    private func readClock() -> WallClock {
        let before = wallClock.mapping
        let clock = wallClock.read(wall())
        let step = clock.unixMillisecondsAtBoot - (before ?? clock).unixMillisecondsAtBoot
        if abs(step) >= HeldTimes.tolerance {
            write(
                GatewayEvent.clockStepped(milliseconds: step), station: nil, at: HostClock.now(),
                context: RecordContext(clock: clock))
        }
        return clock
    }

    // MARK: - The ring

    private func append(_ entry: JournalEntry) { append(RecordKind.entry, entry.encode()) }

    private func append(_ kind: UInt8, _ bytes: [UInt8]) {
        do throws(RingLogError) {
            try storage.writer.append(kind: kind, bytes: bytes)
        } catch {
            log.error("a record of \(bytes.count) bytes cannot be kept: \(error)")
            delivery.losses.add(kind: kind, bytes, reason: .unreadable)
        }
    }

    private func flush() {
        marks?.write(state)
        do throws(RingLogError) { try storage.writer.flush() } catch { log.error("\(error)") }
    }

    /// Once per commit interval.
    private func tick() {
        commit()
        do throws(RingLogError) {
            try storage.writer.prepareAhead(limit: Self.preparedPerCommit)
        } catch {
            log.error("\(error)")
        }
        guard storage.device.failure != nil else { return }
        let now = HostClock.now()
        if let nextHealing, now < nextHealing.at { return }
        if !heal(), !storage.device.isCopying {
            let last = nextHealing?.delay ?? .milliseconds(500)
            let delay = min(last * 2, Self.longestHealingDelay)
            nextHealing = (now.advanced(by: delay), delay)
        }
    }

    func commit(cursor always: Bool = false) {
        declareDropped()
        marks?.write(state)
        do throws(RingLogError) { try storage.writer.commit(cursor: always) } catch {
            log.error("\(error)")
        }
        if let failure = storage.device.failure {
            report(failure)
            storage.boundMemory(noteOverwritten)
        } else {
            for stream in state.announcedStreams { durable[stream] = state.upcoming(stream) }
        }
    }

    /// One line for each reason of a burst, and one for its end in `heal`.
    private func report(_ failure: RingLogError) {
        guard failure != reportedFailure else { return }
        reportedFailure = failure
        log.error(
            "the disk refuses records, they are kept in memory: \(failure)",
            event: storage.device.isInMemoryAlone ? .ringUnavailable : .ringRefuses)
    }

    /// Tries the disk again. Returns whether it has everything.
    @discardableResult
    func heal() -> Bool {
        guard storage.device.heal() else {
            if let failure = storage.device.failure { report(failure) }
            return false
        }
        (nextHealing, reportedFailure) = (nil, nil)
        log.notice("the disk takes records again", [("path", storage.device.path)])
        marks?.remove()
        marks = NumberMarks(ofRing: settings.path)
        commit()
        return true
    }

    // MARK: - Now and then

    /// Marks for who rows, and the cursor for a room in which nobody does: there it has no record to
    /// ride along with, and costs a page of its own, if it moved.
    private func keepHouse() {
        publishMarks()
        commit(cursor: true)
    }

    private func publishMarks() {
        let clock = readClock()
        for station in stationsToMark {
            guard let streams = state.streams[station] else { continue }
            let last = StreamKind.allCases.filter { streams.next[$0] > 1 }
                .map { ($0, streams.next[$0] - 1) }
            let marks = Marks(epoch: epoch, last: Dictionary(uniqueKeysWithValues: last))
            outlet.retain(
                .marks(station),
                marks.payload(
                    gateway: gateway, station: station, at: HostClock.now(), clock: clock))
        }
        stationsToMark = []
    }
}

extension SessionEvent {
    /// The session that its record belongs to.
    fileprivate var session: SessionID? {
        switch self {
        case .session(let edge): edge.session
        case .stroke(let stroke): stroke.session
        case .force(let curve): curve.session
        case .split(let split): split.session
        case .gap(let gap): gap.session
        case .summary(let summary): summary.session
        case .state: nil
        }
    }

    /// Whether it is worth a commit of its own: losing it would change what a session was.
    fileprivate var isEdge: Bool {
        switch self {
        case .session, .summary: true
        case .stroke, .force, .split, .gap, .state: false
        }
    }
}
