import Contract
import HostRuntime
import Insights
import RingLog
import Rowing
import Timeline

/// An open session of the previous process.
package struct InterruptedSession: Sendable {
    package let checkpoint: SessionCheckpoint
    /// Time since the checkpoint; nil if unknown.
    package let away: Duration?

    /// Returns nil if `state` has no checkpoint of the station.
    init?(at station: StationID, in state: RecorderState, runtime: any Runtime) {
        guard let stationState = state.stationStates[station],
            let checkpoint = SessionCheckpoint(decoding: stationState.checkpoint)
        else { return nil }
        self.checkpoint = checkpoint
        // On the same boot the boot clock is used. After a reboot a synchronized wall clock is used unless
        // it was set back.
        let (clock, now) = (runtime.wall(), runtime.now())
        if state.bootID == clock.bootID {
            away = checkpoint.at.duration(to: now)
        } else if clock.isSynchronized {
            let passed = clock.unixMilliseconds(at: now) - stationState.lastUnixMilliseconds
            away = passed >= 0 ? .milliseconds(passed) : nil
        } else {
            away = nil
        }
    }
}

/// Callbacks into the rest of the daemon, on the log queue.
package struct RecorderCallbacks: Sendable {
    /// Records were appended that the publisher may read.
    package var recordsAvailable: @Sendable () -> Void
    /// A retained message must be replaced.
    package var retain: @Sendable (RetainedTopic, [UInt8]) -> Void
    /// The athlete assigned to an erg, nil for none; also called without a change.
    package var assignmentChanged: @Sendable (StationID, String?) -> Void
    /// The birth of the current connection is outdated: numbers belong to another epoch now.
    package var epochChanged: @Sendable () -> Void

    package init(
        recordsAvailable: @escaping @Sendable () -> Void,
        retain: @escaping @Sendable (RetainedTopic, [UInt8]) -> Void,
        assignmentChanged: @escaping @Sendable (StationID, String?) -> Void = { _, _ in },
        epochChanged: @escaping @Sendable () -> Void = {}
    ) {
        self.recordsAvailable = recordsAvailable
        self.retain = retain
        self.assignmentChanged = assignmentChanged
        self.epochChanged = epochChanged
    }
}

/// The state of the ring at one moment.
package struct RecorderSnapshot: Equatable, Sendable {
    package var epoch: String
    package var path: String
    package var sizeBytes: Int
    /// The part of the ring, 0...1, with records that the broker does not have.
    package var usedFraction: Double
    package var backlog: Int
    /// The age of the oldest record that the broker does not have; nil without a backlog.
    package var oldestUnpublishedAge: Duration?
    /// The age of the oldest record in the ring; nil without one, and before it was looked up.
    package var reach: Duration?
    package var droppedTotal: UInt64
    /// The last numbers of the gateway's own streams that have records.
    package var lastSequencesOfGateway: [StreamKind: UInt64] = [:]
    /// Time since the oldest unfinished disk operation started; nil without one.
    package var diskDelay: Duration?
    /// The longest commit of the last hour.
    package var worstCommit: Duration?
    /// The duration of the last commit; nil without one in the last half minute.
    package var lastCommit: Duration?
    /// Why records are in memory and not on disk; nil if the disk works.
    package var failure: String?
    /// The assigned athletes.
    package var athletes: [StationID: String] = [:]
}

/// The log queue: numbers and encodes every durable record, and writes it to the ring.
///
/// Each record goes to the disk's queue immediately. That queue passes it to the kernel, so that it survives
/// the end of this process, and makes it durable with the next commit, so that it survives a power cut
/// (RecordLife.md). The log queue waits for neither. Each component below owns its state, confined to this
/// queue, and the recorder connects them: `numbering` assigns numbers, `store` writes to the ring, `cursorReader`
/// reads records for the publisher, `counters` proves what a session stored, `retained` holds the last
/// reports, `heldUpdates` the reports that wait for the disk, and `reach` the ages of records. `reader` reads
/// older records of the ring on another queue.
package actor Recorder: QueueActor {
    package nonisolated let executor: SerialQueueExecutor

    let gateway: GatewayID
    /// Configured ergs, which the birth names even without records.
    let configuredStations: [StationID]
    /// Ergs that can exist.
    let ergs: GatewayErgs
    /// Stations in the ring that the configuration no longer names.
    package nonisolated let formerStations: [StationID]
    /// Open sessions of the previous process.
    package nonisolated let interruptedSessions: [StationID: InterruptedSession]
    /// Alerts that were firing in the previous process; those of the gateway have the key nil.
    package nonisolated let firingAlerts: [StationID?: [Alert]]
    /// Athletes assigned in the previous process.
    package nonisolated let assignedAthletes: [StationID: String]
    /// Crews defined by commands in earlier processes.
    package nonisolated let commandedCrews: [Crew]
    let log: SystemLog
    let runtime: any Runtime
    let store: RecordStore
    let cursorReader: RecordCursorReader
    /// Reads older parts of the ring.
    let reader: RingReader
    let numbering: RecordNumbering
    let counters = SessionCounters()
    let reach = RingReach()
    let retained = RetainedReports()
    let heldUpdates = HeldUpdates()
    /// The queue that writes and reads the ring file.
    let diskExecutor: SerialQueueExecutor
    private(set) var callbacks = RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in })
    private var encoder = RecordEncoder()
    private let commitInterval: Duration
    private var commitTimer: QueueTimer?
    private var housekeeping: QueueTimer?
    private let previousStop: PreviousStop
    /// Whether the disk has its own queue; otherwise each call waits for the disk.
    private let writesBehind: Bool

    /// Period in which `marks` are published, a moved cursor is stored and the ring file is checked.
    static let housekeepingPeriod = Duration.seconds(10)

    /// Opens the ring, or logs a failure and uses memory instead.
    ///
    /// Throws for a ring of a later version.
    ///
    /// - Parameters:
    ///   - ergs: ergs that can exist; by default `stations`.
    ///   - runtime: provides the wall clock for each record.
    package init(
        gateway: GatewayID, stations: [StationID], ergs: GatewayErgs? = nil,
        settings: RingSettings, log: SystemLog, runtime: any Runtime,
        fileSystem: FallbackBlockDevice.FileSystem = .init()
    ) throws(RingLogError) {
        let geometry = LogGeometry(capacity: settings.sizeBytes)
        var ring = OpenedRing(
            try RingStorage.open(
                settings.path, geometry: geometry, fileSystem: fileSystem, runtime: runtime,
                log: log),
            highWater: SequenceHighWater(ofRing: settings.path),
            bootID: runtime.wall().bootID, log: log)
        try ring.resize(to: geometry, log: log)
        self.init(
            gateway: gateway, stations: stations, ergs: ergs, settings: settings, ring: ring,
            log: log, runtime: runtime, writesBehind: true)
    }

    /// Continues in `ring`, whatever its size.
    init(
        gateway: GatewayID, stations: [StationID], ergs: GatewayErgs? = nil,
        settings: RingSettings, ring: OpenedRing, log: SystemLog, runtime: any Runtime,
        writesBehind: Bool = false
    ) {
        self.writesBehind = writesBehind
        executor = runtime.makeQueue(label: "rowgate.log", isPrompt: true)
        diskExecutor = runtime.makeQueue(label: "rowgate.disk")
        self.gateway = gateway
        configuredStations = stations
        self.ergs = ergs ?? GatewayErgs(stations)
        commitInterval = settings.commitInterval
        self.log = log
        self.runtime = runtime
        store = RecordStore(ring.storage, highWater: ring.highWater, log: log)
        cursorReader = RecordCursorReader(
            losses: UndeclaredLosses(undeclared: ring.state.undeclared), log: log)
        reader = RingReader(runtime: runtime, log: log)
        numbering = RecordNumbering(ring.state)
        previousStop = ring.previousStop
        let known = ring.state.stationStates.keys.compactMap(\.self)
        let (now, clock) = (runtime.now(), runtime.wall())
        firingAlerts = ring.state.stationStates.mapValues { $0.firing.restored(at: now, clock: clock) }
        assignedAthletes = Dictionary(
            uniqueKeysWithValues: known.compactMap { station in
                ring.state.stationStates[station]?.assignment.athlete.map { (station, $0) }
            })
        commandedCrews = ring.state.crews
        formerStations = known.filter { !stations.contains($0) }
        interruptedSessions = Dictionary(
            uniqueKeysWithValues: known.compactMap { station in
                InterruptedSession(at: station, in: ring.state, runtime: runtime)
                    .map { (station, $0) }
            })
    }

    /// ULID of the epoch of the numbers.
    var epoch: String { numbering.epoch }
    /// The state that a restart needs.
    var state: RecorderState { numbering.state }

    // MARK: - Start and stop

    /// Starts commits. Returns once the ring durably stores that it is in use again: otherwise a power cut
    /// would restore the previous process's end and numbers. Does not wait for a disk that refuses writes or
    /// times out.
    package func start(callbacks: RecorderCallbacks) async {
        self.callbacks = callbacks
        writeBehind(store.device)
        setWriterCallbacks()
        // Numbers of a properly closed ring do not count as durable if the disk fails now: the next process
        // would not know that this one has used the ring.
        if store.device.failure != nil, previousStop != .inOrder { numbering.countReadAsDurable() }
        _ = numbering.add(configuredStations)
        numbering.begin(boot: runtime.wall().bootID)
        startTimers()
        appendState()
        renumberNewKinds()
        await durable()
        dropFormerStations()
        if let declaration = previousStop.declaration { record(declaration) }
        // The broker may have lost its retained messages in the same power cut.
        retained.markNumbersChanged(of: numbering.state.stationStates.keys.compactMap { $0 })
        publishPositions()
        openCounters()
        writePendingManifests()
        updateReach()
    }

    private func startTimers() {
        commitTimer = makeTimer { $0.tick() }
        commitTimer?.fire(every: commitInterval)
        housekeeping = makeTimer { $0.doHousekeeping() }
        housekeeping?.fire(every: Self.housekeepingPeriod, leeway: .seconds(1))
    }

    /// Moves writing and reading of the ring file to the disk's queue.
    func writeBehind(_ device: FallbackBlockDevice) {
        guard writesBehind else { return }
        device.writeBehind(
            on: { [diskExecutor] in diskExecutor.async($0) },
            onProgress: { [weak self] in FollowUp.run { self?.later { $0.settle() } } })
    }

    /// Sets the writer's callbacks, which it calls within `append` on this queue.
    func setWriterCallbacks() {
        store.writer.snapshot = { [weak self] in
            self?.assumeIsolated { $0.segmentHead } ?? []
        }
        store.writer.willOverwrite = { [weak self] range in
            self?.assumeIsolated { $0.cursorReader.lost(range, of: $0.store.writer.view) }
        }
    }

    /// Makes everything durable and closes the ring in order.
    package func stop() async {
        let patience = makeTimer { $0.warnAboutPendingBytes() }
        patience.fire(after: .milliseconds(400))
        // Last chance to detect a deleted ring file.
        store.device.checkFileIsInPlace()
        await withCheckedContinuation { (checked: CheckedContinuation<Void, Never>) in
            diskExecutor.async { checked.resume() }
        }
        await healed()
        await durable()
        commitTimer?.cancel()
        housekeeping?.cancel()
        await close()
        patience.cancel()
    }

    private func close() async {
        store.close()
        settle()
        await withCheckedContinuation { store.whenSettled($0) }
        if store.device.failure == nil { store.removeUnwrittenPages() }
    }

    private func warnAboutPendingBytes() {
        log.warning(
            "stopping while the disk does not answer: \(store.pendingBytes / 1024) KiB of records are "
                + "not durable; records in the kernel survive unless the power fails")
    }

    /// After `stop`, finishes copying the records in memory to a replacement for a moved or deleted ring.
    /// Returns immediately if no copy is running.
    package func finishCopy() async {
        while store.device.isCopying {
            ServiceNotifier.extendTimeout(by: .seconds(60))
            // The replacement is another ring, and open.
            if await healed() { await close() }
        }
    }

    /// Once per commit interval.
    private func tick() {
        store.watch(at: runtime.now())
        countNewRecords()
        commit()
        store.prepareAhead()
        lookAhead()
        healWhenDue()
    }

    /// Publishes positions of active ergs, and commits a moved cursor. Without new records the cursor needs
    /// its own page.
    func doHousekeeping() {
        store.device.checkFileIsInPlace()
        publishPositions()
        commit(cursor: true)
        updateReach()
    }

    // MARK: - Writing

    /// Records an event of the gateway.
    package func record(_ event: GatewayEvent) { record(event, at: runtime.now()) }

    func record(_ event: GatewayEvent, at instant: BootInstant) {
        let clock = readClock()
        write(event, station: nil, at: instant, context: RecordContext(clock: clock))
        flush()
        callbacks.recordsAvailable()
    }

    /// Numbers and timestamps a record, and appends it to the ring. Returns its stored form.
    @discardableResult
    func write(
        _ body: some RecordBody, station: StationID?, at instant: BootInstant,
        context: RecordContext
    ) -> [UInt8] {
        let message = number(body, station: station, at: instant, context: context)
        append(.message(message))
        return message.payload
    }

    /// Numbers and timestamps a record. The caller must append it before the next record of its stream.
    func number(
        _ body: some RecordBody, station: StationID?, at instant: BootInstant,
        context: RecordContext
    ) -> DurableMessage {
        let stream = StreamID(station: station, kind: type(of: body).recordKind)
        reserveNumber(of: stream)
        let (sequence, time) = numbering.assign(stream, at: instant, clock: context.clock)
        let head = RecordHead(
            gateway: gateway, stream: stream, epoch: epoch, sequence: sequence, time: time)
        return DurableMessage(
            kind: stream.kind, station: station, sequence: sequence,
            unixMilliseconds: UInt64(clamping: time.unixMilliseconds),
            bootMilliseconds: instant.milliseconds,
            payload: encoder.encode(body, head: head, context: context))
    }

    func append(_ entry: RingEntry) { append(RingRecordKind.entry, entry.encode()) }

    func append(_ kind: UInt8, _ bytes: [UInt8]) {
        if !store.append(kind: kind, bytes: bytes) { cursorReader.lost(kind: kind, bytes) }
    }

    func appendState() { append(RingRecordKind.state, storedState) }

    var storedState: [UInt8] { numbering.state.declaring(cursorReader.losses).encode() }

    private var segmentHead: [UInt8] {
        numbering.state.declaring(cursorReader.losses)
            .encode(atMost: store.writer.geometry.maximumSnapshotSize)
    }

    func flush() { store.flush(numbering.state) }

    /// Starts a commit, or schedules the next one. `settle` runs when it has ended.
    func commit(cursor always: Bool = false) {
        declareDropped()
        if store.commit(numbering.state, cursor: always) { numbering.commitBegan() }
        settle()
    }

    /// Handles finished operations of the disk, and continues what waited for them.
    func settle() {
        finishHealing()
        switch store.settle() {
        case .none, .pending: return
        case .durable: numbering.commitIsDurable()
        case .refused: store.storage.limitMemory { cursorReader.lost($0, of: store.writer.view) }
        }
        releaseHeldUpdates()
        if store.wantsCommit { commit() }
    }

    /// Returns once everything recorded so far is durable, or the disk refuses it.
    func durable() async {
        commit()
        await withCheckedContinuation { store.whenSettled($0) }
    }
}
