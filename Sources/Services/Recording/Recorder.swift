import Contract
import HostRuntime
import RingLog
import Rowing
import Timeline

/// What a station hands to the journal: what happened, in order, and how to go on from there.
package struct StationNews: Sendable {
    package var station: StationID
    /// Nine digits; nil before a monitor was seen.
    package var monitorSerial: String?
    /// Whether the monitor is held; published with its state.
    package var presence: StationReport.Presence
    package var at: BootInstant
    package var events: [SessionEvent]
    /// What the monitor said, as it said it; empty unless the configuration wants it kept.
    package var raw: RawRecording
    /// `SessionCheckpoint` after these events; empty when no session is open.
    package var checkpoint: [UInt8]

    package init(
        station: StationID, monitorSerial: String? = nil,
        presence: StationReport.Presence = .linked,
        at: BootInstant, events: [SessionEvent], raw: RawRecording = RawRecording(),
        checkpoint: [UInt8]
    ) {
        self.station = station
        self.monitorSerial = monitorSerial
        self.presence = presence
        self.at = at
        self.events = events
        self.raw = raw
        self.checkpoint = checkpoint
    }
}

/// A session that a process did not live to end.
package struct InterruptedSession: Sendable {
    package var checkpoint: SessionCheckpoint
    /// Since the checkpoint was taken; nil where no clock can tell.
    package var away: Duration?
}

/// What the journal tells the rest of the daemon. Called on the log queue.
package struct RecorderOutlet: Sendable {
    /// Records were appended that the publisher may read.
    package var recordsAvailable: @Sendable () -> Void
    /// A retained message is to be replaced.
    package var retain: @Sendable (RetainedTopic, [UInt8]) -> Void
    /// The birth of the present connection is out of date: numbers belong to another epoch now.
    package var epochChanged: @Sendable () -> Void

    package init(
        recordsAvailable: @escaping @Sendable () -> Void,
        retain: @escaping @Sendable (RetainedTopic, [UInt8]) -> Void,
        epochChanged: @escaping @Sendable () -> Void = {}
    ) {
        self.recordsAvailable = recordsAvailable
        self.retain = retain
        self.epochChanged = epochChanged
    }
}

/// The log queue: gives every durable record its number and its bytes, and keeps it in the ring.
///
/// A record is handed to the kernel at once, so that it survives the end of this process, and made
/// durable by the next commit, so that it survives a power cut.
package actor Recorder {
    typealias RecordKind = RingRecordKind

    package nonisolated let executor: SerialQueueExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    package let gateway: GatewayID
    /// Named in the birth even before they have a record.
    let configuredStations: [StationID]
    /// Places that the ring remembers and the configuration does not name any more.
    package nonisolated let formerStations: [StationID]
    package let log: SystemLog
    private let settings: RingSettings
    var encoder = RecordEncoder()
    let runtime: any Runtime
    var wallClock = SteadyWallClock()
    var timestamps = MonotonicTimestamps()
    private(set) var outlet = RecorderOutlet(recordsAvailable: {}, retain: { _, _ in })
    private var commitTimer: QueueTimer?
    private var housekeeping: QueueTimer?
    var stationsToPublish: Set<StationID> = []
    /// What each erg last said that it is doing.
    var reports: [StationID: StationReport] = [:]
    /// Names that may be published, by athlete.
    var athleteNames: [String: String] = [:]
    var storage: RingStorage
    /// The disk's last refusal that was written to the log; nil while it takes records.
    var reportedFailure: RingLogError?
    /// When the disk is tried again, and how long after that; only while it refuses records.
    var nextHealing: (at: BootInstant, delay: Duration)?
    var state: RecorderState
    /// Behind the last number of each stream that no power cut can bring back.
    var durable: [StreamID: UInt64] = [:]
    var marks: SequenceHighWater?
    /// What a death of the last process cost; nil after a stop in order.
    private var recovered: GatewayEvent?
    var delivery = DeliveryCursor()

    /// How often `marks` follow, and a cursor that moved alone is kept.
    static let housekeepingPeriod = Duration.seconds(10)

    /// Bytes of new space made ready at a time, so that no commit takes noticeably longer for it.
    private static let preparedPerCommit = 256 << 10

    /// Opens the ring, or takes memory in its place and says so.
    ///
    /// Throws for a ring that a later version wrote.
    ///
    /// - Parameter runtime: its wall clock is read at each record.
    package init(
        gateway: GatewayID, stations: [StationID], settings: RingSettings, log: SystemLog,
        runtime: any Runtime, fileSystem: FallbackBlockDevice.FileSystem = .real
    ) throws(RingLogError) {
        var ring = OpenedRing(
            try RingStorage.open(
                settings, fileSystem: fileSystem, runtime: runtime, log: log),
            marks: SequenceHighWater(ofRing: settings.path),
            bootID: runtime.wall().bootID, log: log)
        try ring.resize(to: LogGeometry(capacity: settings.sizeBytes), log: log)
        self.init(
            gateway: gateway, stations: stations, settings: settings, ring: ring, log: log,
            runtime: runtime)
    }

    /// Goes on with `ring`, whatever size it has.
    init(
        gateway: GatewayID, stations: [StationID], settings: RingSettings, ring: OpenedRing,
        log: SystemLog, runtime: any Runtime
    ) {
        executor = runtime.makeQueue(label: "rowgate.log")
        self.gateway = gateway
        configuredStations = stations
        self.settings = settings
        self.log = log
        self.runtime = runtime
        storage = ring.storage
        marks = ring.marks
        recovered = ring.loss
        state = ring.state
        delivery.losses = UndeclaredLosses(undeclared: ring.state.undeclared)
        state.undeclared = [:]
        formerStations = state.streams.keys.compactMap(\.self).filter { !stations.contains($0) }
    }

    /// The ULID that the numbers belong to.
    package var epoch: String { state.epoch }

    /// The sessions that the last process left, with how long ago it last wrote of them.
    package func interruptedSessions() -> [StationID: InterruptedSession] {
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
        let clock = runtime.wall()
        if state.bootID == clock.bootID { return instant.duration(to: runtime.now()) }
        guard clock.isSynchronized else { return nil }
        return .milliseconds(max(0, clock.unixMilliseconds(at: runtime.now()) - unixMilliseconds))
    }

    /// Begins to commit.
    package func start(outlet: RecorderOutlet) {
        self.outlet = outlet
        answerWriter()
        let bootID = runtime.wall().bootID
        let newcomers = configuredStations.filter { state.streams[$0] == nil }
        for station in newcomers { state.streams[station] = .init() }
        if state.bootID != bootID || recovered != nil || !newcomers.isEmpty {
            state.bootID = bootID
            // Durable before any number out of it is: a second cut must not find the old numbers.
            appendState()
            commit()
        }
        dropFormerStations()
        if let recovered { record(recovered) }
        commitTimer = QueueTimer(on: executor) { [weak self] in
            self?.assumeIsolated { $0.tick() }
        }
        commitTimer?.fire(every: settings.commitInterval)
        housekeeping = QueueTimer(on: executor) { [weak self] in
            self?.assumeIsolated { $0.keepHouse() }
        }
        housekeeping?.fire(every: Self.housekeepingPeriod, leeway: .seconds(1))
        // A broker may have lost its memory with ours.
        stationsToPublish = Set(state.streams.keys.compactMap { $0 })
        publishPositions()
    }

    /// What the writer asks for, within its `append` and so on this queue.
    func answerWriter() {
        storage.writer.snapshot = { [weak self] in
            self?.assumeIsolated { $0.state.declaring($0.delivery.losses).encode() } ?? []
        }
        storage.writer.willOverwrite = { [weak self] range in
            self?.assumeIsolated { $0.noteOverwritten(range) }
        }
    }

    /// Makes everything durable and closes the ring in order.
    package func stop() {
        commitTimer?.cancel()
        housekeeping?.cancel()
        heal()
        do throws(RingLogError) {
            try storage.writer.close()
            if storage.device.failure == nil { marks?.remove() }
        } catch {
            log.error("the ring log cannot be closed in order: \(error)")
        }
    }

    // MARK: - Recording

    /// Writes what stations had to say, in order; the edges of sessions become durable at once.
    package func record(_ batch: [StationNews]) {
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
            stationsToPublish.insert(news.station)
        }
        flush()
        if isEdge {
            commit()
            publishPositions()
        }
        outlet.recordsAvailable()
    }

    /// Writes an event of the gateway itself.
    package func record(_ event: GatewayEvent) {
        let clock = readClock()
        write(event, station: nil, at: runtime.now(), context: RecordContext(clock: clock))
        flush()
        outlet.recordsAvailable()
    }

    private func record(_ event: SessionEvent, of news: StationNews, clock: WallClock) {
        let station = news.station
        let assignment = state.streams[station]?.assignment
        let context = RecordContext(
            athlete: event.session.flatMap { assignment?.athlete(in: $0) },
            monitorSerial: news.monitorSerial, clock: clock)
        switch event {
        case .session(let edge):
            if edge.kind == .started {
                state.open(edge.session, of: station, at: storage.writer.end.rawValue)
            }
            write(edge, station: station, at: edge.at, context: context)
            if edge.kind == .ended {
                writeManifest(closing: edge, station: station, context: context)
                state.streams[station]?.assignment.ended(edge.session)
                publishState(of: station)
            }
            // The state names the open session, which no record does in a form we could read back.
            appendState()
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

    // MARK: - The ring

    package func append(_ entry: RingEntry) { append(RecordKind.entry, entry.encode()) }

    func appendState() {
        append(RecordKind.state, state.declaring(delivery.losses).encode())
    }

    private func append(_ kind: UInt8, _ bytes: [UInt8]) {
        do throws(RingLogError) {
            try storage.writer.append(kind: kind, bytes: bytes)
        } catch {
            log.error("a record of \(bytes.count) bytes cannot be kept: \(error)")
            delivery.losses.add(kind: kind, bytes, reason: .unreadable)
        }
    }

    func flush() {
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
        if storage.device.failure != nil { healWhenDue() }
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
