import Contract
import HostRuntime
import Insights
import RingLog
import Rowing
import Timeline

/// A session that a process did not live to end.
package struct InterruptedSession: Sendable {
    package let checkpoint: SessionCheckpoint
    /// Since the checkpoint was taken; nil where no clock can tell.
    package let away: Duration?

    /// nil where `state` has no checkpoint of that place.
    init?(at station: StationID, in state: RecorderState, runtime: any Runtime) {
        guard let streams = state.streams[station],
            let checkpoint = SessionCheckpoint(decoding: streams.checkpoint)
        else { return nil }
        self.checkpoint = checkpoint
        // By the boot clock on the same boot, by a trusted wall clock on another, unless it was set
        // back since; else unknown.
        let (clock, now) = (runtime.wall(), runtime.now())
        if state.bootID == clock.bootID {
            away = checkpoint.at.duration(to: now)
        } else if clock.isSynchronized {
            let passed = clock.unixMilliseconds(at: now) - streams.lastUnixMilliseconds
            away = passed >= 0 ? .milliseconds(passed) : nil
        } else {
            away = nil
        }
    }
}

/// The log queue: gives every durable record its number and its bytes, and keeps it in the ring.
///
/// A record is handed to the disk's queue at once, which hands it to the kernel, so that it survives
/// the end of this process, and makes it durable with the next commit, so that it survives a power
/// cut (RecordLife.md). Nothing here waits for either. What is kept has five owners: `numbering`,
/// `store`, `delivery`, `accounts` and `retained`; this actor is who brings them together, on the one
/// queue that all five are confined to. What lies far back in the ring is read on another queue, by
/// `reader`.
package actor Recorder: QueueActor {
    package nonisolated let executor: SerialQueueExecutor

    let gateway: GatewayID
    /// Named in the birth even before they have a record.
    let configuredStations: [StationID]
    /// Those that may exist.
    let ergs: GatewayErgs
    /// Places that the ring remembers and the configuration does not name any more.
    package nonisolated let formerStations: [StationID]
    /// The sessions that the last process left.
    package nonisolated let interruptedSessions: [StationID: InterruptedSession]
    /// What fired when the last process was here; the gateway's own alerts stand under nil.
    package nonisolated let firingAlerts: [StationID?: [Alert]]
    /// Who sat where then.
    package nonisolated let seatedAthletes: [StationID: String]
    /// What commands said of crews until then.
    package nonisolated let commandedCrews: [Crew]
    let log: SystemLog
    let runtime: any Runtime
    let store: RecordStore
    let delivery: RecordDelivery
    /// For what lies far back.
    let reader: RingReader
    var numbering: RecordNumbering
    var accounts = SessionAccounts()
    /// The reader has accounts that are to catch up.
    var isCatchingUp = false
    var reach = RingReach()
    var retained = RetainedReports()
    /// What was reported and waits for the ring to know of its streams, in order.
    var held: [StationNews] = []
    /// Where the ring's file is written and read.
    let diskExecutor: SerialQueueExecutor
    private(set) var outlet = RecorderOutlet(recordsAvailable: {}, retain: { _, _ in })
    private var encoder = RecordEncoder()
    private let commitInterval: Duration
    private var commitTimer: QueueTimer?
    private var housekeeping: QueueTimer?
    private let previousStop: PreviousStop
    /// Whether the disk has its queue; without one each call waits for it.
    private let writesBehind: Bool

    /// How often `marks` follow, a moved cursor is kept, and the ring's file is looked for.
    static let housekeepingPeriod = Duration.seconds(10)

    /// Opens the ring, or takes memory in its place and says so.
    ///
    /// Throws for a ring that a later version wrote.
    ///
    /// - Parameters:
    ///   - ergs: those that may exist, where these are not `stations` alone.
    ///   - runtime: its wall clock is read at each record.
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

    /// Goes on with `ring`, whatever size it has.
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
        delivery = RecordDelivery(
            losses: UndeclaredLosses(undeclared: ring.state.undeclared), log: log)
        reader = RingReader(runtime: runtime, log: log)
        numbering = RecordNumbering(ring.state)
        previousStop = ring.previousStop
        let known = ring.state.streams.keys.compactMap(\.self)
        let (now, clock) = (runtime.now(), runtime.wall())
        firingAlerts = ring.state.streams.mapValues { $0.firing.restored(at: now, clock: clock) }
        seatedAthletes = Dictionary(
            uniqueKeysWithValues: known.compactMap { station in
                ring.state.streams[station]?.assignment.athlete.map { (station, $0) }
            })
        commandedCrews = ring.state.crews
        formerStations = known.filter { !stations.contains($0) }
        interruptedSessions = Dictionary(
            uniqueKeysWithValues: known.compactMap { station in
                InterruptedSession(at: station, in: ring.state, runtime: runtime)
                    .map { (station, $0) }
            })
    }

    /// The ULID that the numbers belong to.
    var epoch: String { numbering.epoch }

    // MARK: - Start and stop

    /// Begins to commit. Returns once the ring knows for certain that it is being written to: a cut
    /// must not find the numbers and the end of the process before. A disk that refuses, or does not
    /// answer for too long, is not waited for.
    package func start(outlet: RecorderOutlet) async {
        self.outlet = outlet
        writeBehind(store.device)
        answerWriter()
        // A ring that was closed in order, and cannot be told that somebody goes on, would have the
        // next process believe that nobody did.
        if store.device.failure != nil, previousStop != .inOrder { numbering.countReadAsDurable() }
        _ = numbering.add(configuredStations)
        numbering.begin(boot: runtime.wall().bootID)
        startTimers()
        appendState()
        renumberNewKinds()
        await durable()
        dropFormerStations()
        if let declaration = previousStop.declaration { record(declaration) }
        // A broker may have lost its memory with ours.
        retained.numbersMoved(of: numbering.state.streams.keys.compactMap { $0 })
        publishPositions()
        accountForSessions()
        writeOwedManifests()
        lookBack()
    }

    private func startTimers() {
        commitTimer = makeTimer { $0.tick() }
        commitTimer?.fire(every: commitInterval)
        housekeeping = makeTimer { $0.keepHouse() }
        housekeeping?.fire(every: Self.housekeepingPeriod, leeway: .seconds(1))
    }

    /// From now on the ring's file is written and read on the disk's queue.
    func writeBehind(_ device: FallbackBlockDevice) {
        guard writesBehind else { return }
        device.writeBehind(
            on: { [diskExecutor] in diskExecutor.async($0) },
            onProgress: { [weak self] in FollowUp.run { self?.later { $0.settle() } } })
    }

    /// What the writer asks for, within its `append` and so on this queue.
    func answerWriter() {
        store.writer.snapshot = { [weak self] in
            self?.assumeIsolated { $0.segmentHead } ?? []
        }
        store.writer.willOverwrite = { [weak self] range in
            self?.assumeIsolated { $0.delivery.lost(range, of: $0.store.writer.view) }
        }
    }

    /// Makes everything durable and closes the ring in order.
    package func stop() async {
        let patience = makeTimer { $0.sayWhatIsNotDurable() }
        patience.fire(after: .milliseconds(400))
        // The last occasion to notice that the file is gone: it would be found by nobody.
        store.device.checkPlace()
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
        if store.device.failure == nil { store.closedInOrder() }
    }

    private func sayWhatIsNotDurable() {
        log.warning(
            "stopping while the disk does not answer: \(store.pendingBytes / 1024) KiB of records are "
                + "not durable; what the kernel has of them stays unless the power fails")
    }

    /// After `stop`: ends the copying of a ring that was moved away or deleted, without which what
    /// memory holds would end with this process. At once where nothing is being copied.
    package func finishCopy() async {
        while store.device.isCopying {
            ServiceNotifier.extendTimeout(by: .seconds(60))
            // The ring may be another one by then, which is open.
            if await healed() { await close() }
        }
    }

    /// Once per commit interval.
    private func tick() {
        store.watch(at: runtime.now())
        followSessions()
        commit()
        store.prepareAhead()
        lookAhead()
        healWhenDue()
    }

    /// Positions for who rows, and the cursor for a room in which nobody does: there it has no
    /// record to ride along with, and costs a page of its own, if it moved.
    func keepHouse() {
        store.device.checkPlace()
        publishPositions()
        commit(cursor: true)
        lookBack()
    }

    // MARK: - Writing

    /// Writes an event of the gateway itself.
    package func record(_ event: GatewayEvent) { record(event, at: runtime.now()) }

    func record(_ event: GatewayEvent, at instant: BootInstant) {
        let clock = readClock()
        write(event, station: nil, at: instant, context: RecordContext(clock: clock))
        flush()
        outlet.recordsAvailable()
    }

    /// Gives a record its number and its time, and puts it into the ring. Returns its stored form.
    @discardableResult
    func write(
        _ body: some RecordBody, station: StationID?, at instant: BootInstant,
        context: RecordContext
    ) -> [UInt8] {
        let message = number(body, station: station, at: instant, context: context)
        append(.message(message))
        return message.payload
    }

    /// Gives a record its number and its time; it is to be put into the ring before any other of its
    /// stream.
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
        if !store.append(kind: kind, bytes: bytes) { delivery.lost(kind: kind, bytes) }
    }

    func appendState() { append(RingRecordKind.state, storedState) }

    var storedState: [UInt8] { numbering.state.declaring(delivery.losses).encode() }

    private var segmentHead: [UInt8] {
        numbering.state.declaring(delivery.losses)
            .encode(atMost: store.writer.geometry.maximumSnapshotSize)
    }

    func flush() { store.flush(numbering.state) }

    /// Begins to make everything durable, or joins the next commit. `settle` follows when it is.
    func commit(cursor always: Bool = false) {
        declareDropped()
        if store.commit(numbering.state, cursor: always) { numbering.commitBegan() }
        settle()
    }

    /// Looks what the disk has done, and what can be gone on with.
    func settle() {
        finishHealing()
        switch store.settle() {
        case .none, .pending: return
        case .durable: numbering.commitIsDurable()
        case .refused: store.storage.boundMemory { delivery.lost($0, of: store.writer.view) }
        }
        releaseHeld()
        if store.wantsCommit { commit() }
    }

    /// Returns once everything recorded so far is durable, or the disk refuses it.
    func durable() async {
        commit()
        await withCheckedContinuation { store.whenSettled($0) }
    }
}
