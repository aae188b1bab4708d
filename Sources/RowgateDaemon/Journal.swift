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
    let log: JournalLog
    private let settings: Configuration.Ring
    private var encoder = RecordEncoder()
    private var wallClock = SteadyWallClock()
    private var outlet = JournalOutlet(recordsAvailable: {}, retain: { _, _ in })
    private var commitTimer: QueueTimer?
    private var housekeeping: QueueTimer?
    private var stationsToMark: Set<StationID> = []
    /// What each erg last said that it is doing.
    private var reports: [StationID: StationReport] = [:]
    let storage: RingStorage
    /// Records that the ring did not take, oldest first; tried again at every commit.
    private var refused: [(kind: UInt8, bytes: [UInt8])] = []
    private(set) var lastFailure: RingLogError?
    var state: JournalState
    var delivery = DeliveryCursor()

    /// Records kept in memory while the ring takes none: about an hour of eight ergs.
    private static let refusedLimit = 30_000

    /// Opens the ring, or takes memory in its place and says so.
    ///
    /// Throws for a ring that a later version wrote.
    init(
        gateway: GatewayID, stations: [StationID], settings: Configuration.Ring, log: JournalLog
    ) throws(RingLogError) {
        executor = SerialQueueExecutor(label: "rowgate.log")
        self.gateway = gateway
        configuredStations = stations
        self.settings = settings
        self.log = log
        storage = try RingStorage.open(settings, log: log)
        state = storage.recoverState(log: log)
    }

    /// The ULID of the ring.
    var epoch: String { ULID(bytes: storage.writer.epoch)?.description ?? "unknown" }

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
        let clock = HostClock.wall()
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
        let bootID = HostClock.wall().bootID
        if state.bootID != bootID {
            state.bootID = bootID
            append(RecordKind.state, state.encode())
        }
        commitTimer = QueueTimer(on: executor) { [weak self] in
            self?.assumeIsolated { $0.commit() }
        }
        commitTimer?.fire(every: settings.commitInterval)
        housekeeping = QueueTimer(on: executor) { [weak self] in
            self?.assumeIsolated { $0.keepHouse() }
        }
        housekeeping?.fire(every: .seconds(10), leeway: .seconds(1))
    }

    /// Makes everything durable and closes the ring in order.
    func stop() {
        commitTimer?.cancel()
        housekeeping?.cancel()
        retryRefused()
        do { try storage.writer.close() } catch { report(error) }
    }

    // MARK: - Recording

    /// Writes what stations had to say, in order; the edges of sessions become durable at once.
    func record(_ batch: [StationNews]) {
        let clock = wallClock.read()
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
        let clock = wallClock.read()
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
                writeManifest(of: edge.session, station: station, at: edge.at, context: context)
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
        outlet.retain(
            .state(station),
            report.payload(
                gateway: gateway, station: station, at: HostClock.now(), clock: wallClock.read()))
    }

    // MARK: - Athletes

    /// From now on the erg's records are `athlete`'s; nobody's when it is nil. Durable on return.
    func assign(_ athlete: String?, until: Seating.End, to station: StationID) {
        state.streams[station, default: .init()].seating.assign(athlete, until: until)
        append(RecordKind.state, state.encode())
        commit()
        publishState(of: station)
    }

    func athlete(at station: StationID) -> String? { state.streams[station]?.seating.athlete }

    private func writeManifest(
        of session: SessionID, station: StationID, at instant: BootInstant, context: RecordContext
    ) {
        flush()
        guard let open = state.streams[station]?.open, open.session == session else { return }
        let manifest = sessionManifest(open, station: station)
        state.close(station)
        write(manifest, station: station, at: instant, context: context)
    }

    @discardableResult
    private func write(
        _ body: some RecordBody, station: StationID?, at instant: BootInstant,
        context: RecordContext
    ) -> [UInt8] {
        let stream = StreamID(station: station, kind: type(of: body).recordKind)
        let (sequence, milliseconds) = state.assign(
            stream.kind, of: station,
            unixMilliseconds: context.clock.unixMilliseconds(at: instant))
        let time = TimeStamp(
            unixMilliseconds: milliseconds,
            unsynchronized: context.clock.isSynchronized
                ? nil : context.clock.bootTime(at: instant))
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

    // MARK: - The ring

    private func append(_ entry: JournalEntry) { append(RecordKind.entry, entry.encode()) }

    private func append(_ kind: UInt8, _ bytes: [UInt8]) {
        guard refused.isEmpty else { return refuse(kind, bytes) }
        do throws(RingLogError) {
            try storage.writer.append(kind: kind, bytes: bytes)
        } catch {
            report(error)
            refuse(kind, bytes)
        }
    }

    private func refuse(_ kind: UInt8, _ bytes: [UInt8]) {
        if refused.count == Self.refusedLimit {
            refused.removeFirst(Self.refusedLimit / 100)
            delivery.droppedTotal += UInt64(Self.refusedLimit / 100)
        }
        refused.append((kind, bytes))
    }

    private func retryRefused() {
        guard !refused.isEmpty else { return }
        let waiting = refused
        refused = []
        for (kind, bytes) in waiting { append(kind, bytes) }
        if refused.isEmpty { outlet.recordsAvailable() }
    }

    private func flush() {
        do throws(RingLogError) { try storage.writer.flush() } catch { report(error) }
    }

    private func commit() {
        retryRefused()
        declareDropped()
        do throws(RingLogError) {
            try storage.writer.commit()
            if refused.isEmpty, lastFailure != nil {
                log.notice("the ring log takes records again")
                lastFailure = nil
            }
        } catch {
            report(error)
        }
    }

    /// One line per burst: the first failure, and the end of it in `commit`.
    private func report(_ error: RingLogError) {
        if lastFailure == nil {
            log.error(
                "the ring log refuses records, they are kept in memory: \(error)",
                event: .ringRefuses)
        }
        lastFailure = error
    }

    // MARK: - Now and then

    /// Marks for who rows, and the cursor for a room in which nobody does: there it has no record to
    /// ride along with, and costs a page of its own, if it moved.
    private func keepHouse() {
        publishMarks()
        do throws(RingLogError) { try storage.writer.commit(cursor: true) } catch { report(error) }
    }

    private func publishMarks() {
        let clock = wallClock.read()
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
