import Bytes
import Contract
import HostRuntime
import Insights
import Recording
import Rowing
import Synchronization

/// The roster that a logbook sent, as it is stored.
package struct ReceivedRoster: Equatable, Sendable {
    /// All athletes, as one part.
    let content: RosterPart
    /// Unix milliseconds.
    let receivedAt: Int64
    /// The athletes; they have neither ergs nor alert limits.
    let roster: AthleteRoster

    init(_ content: RosterPart, receivedAt: Int64) {
        (self.content, self.receivedAt) = (content, receivedAt)
        roster = AthleteRoster(
            athletes: content.athletes.map {
                AthleteRoster.Athlete(
                    id: $0.id, name: $0.name, power2k: $0.power2k, power6k: $0.power6k)
            })
    }

    /// Reads a stored roster; nil if it is damaged.
    init?(decoding bytes: [UInt8]) {
        guard let object = try? JSONObject(parsing: bytes) else { return nil }
        var fields = CommandFields(object)
        do throws(CommandFault) {
            let time = Int64(try fields.integer("received_ms", in: 0...Int.max) ?? 0)
            let content = try RosterPart(&fields)
            try fields.finish()
            self.init(content, receivedAt: time)
        } catch { return nil }
    }

    func encode() -> [UInt8] {
        JSONWriter.object { json in
            json.field("received_ms", receivedAt)
            content.write(into: &json)
        }
    }
}

/// The parts of a roster that have arrived so far. A part of another revision replaces the earlier parts.
struct RosterAssembly: Equatable, Sendable {
    private var parts: [Int: RosterPart] = [:]

    /// Adds a part. Returns the whole roster when all parts have arrived; nil before.
    mutating func add(_ part: RosterPart) throws(CommandFault) -> RosterPart? {
        if let other = parts.values.first,
            other.revision != part.revision || other.logbook != part.logbook || other.parts != part.parts
        {
            parts = [:]
        }
        parts[part.part] = part
        guard parts.count == part.parts else { return nil }
        var whole = part
        (whole.part, whole.parts) = (1, 1)
        whole.athletes = parts.sorted { $0.key < $1.key }.flatMap(\.value.athletes)
        parts = [:]
        guard whole.athletes.count <= RosterPart.maximumAthletes else {
            throw CommandFault(
                .badValue,
                "the parts have \(whole.athletes.count) athletes; a roster has at most "
                    + "\(RosterPart.maximumAthletes)")
        }
        guard Set(whole.athletes.map(\.id)).count == whole.athletes.count else {
            throw CommandFault(.badValue, "an athlete is in two parts")
        }
        return whole
    }
}

/// The athletes of the gateway: from a file of the configuration, or from a logbook. Keeps what a logbook sent in a
/// file, and informs the parts that use athletes.
actor GatewayAthletes: QueueActor {
    /// The parts that use the athletes.
    struct Users: Sendable {
        var commands: CommandCenter
        var limits: AthleteAlertLimits
        var recorder: Recorder
        /// Publishes the report as a retained message.
        var retain: @Sendable (RosterReport) -> Void
    }

    /// A state for other queues.
    struct Reading: Sendable {
        var settings = Configuration.Athletes()
        /// The roster of the configuration.
        var configured: AthleteRoster?
        /// The roster that a logbook sent last; used only if the configuration says so.
        var received: ReceivedRoster?
    }

    nonisolated let executor: SerialQueueExecutor
    private nonisolated let state: Mutex<Reading>
    private let file: StateFile
    /// nil until `start`.
    private var users: Users?
    private let runtime: any Runtime
    private let log: SystemLog
    private var assembly = RosterAssembly()

    /// - Parameters:
    ///   - configuration: with the roster of its file.
    ///   - received: the roster of the last process, as `stored` returns it.
    init(
        _ configuration: Configuration, received: ReceivedRoster?, file: StateFile,
        runtime: any Runtime, log: SystemLog
    ) {
        executor = runtime.makeQueue(label: "rowgate.athletes")
        state = Mutex(
            Reading(
                settings: configuration.athletes, configured: configuration.roster, received: received))
        (self.file, self.runtime, self.log) = (file, runtime, log)
    }

    /// Reads the roster that the last process received. A damaged file is logged and ignored: the logbook sends the
    /// roster again.
    static func stored(in file: StateFile, _ log: SystemLog) -> ReceivedRoster? {
        do throws(StateFile.Failure) {
            guard let bytes = try file.read() else { return nil }
            if let roster = ReceivedRoster(decoding: bytes) { return roster }
            log.warning("the roster of the logbook is lost until it sends it again: \(file.path) is damaged")
        } catch {
            log.warning("the roster of the logbook is lost until it sends it again: \(error)")
        }
        return nil
    }

    nonisolated var reading: Reading { state.withLock(\.self) }

    /// Returns the powers of an athlete over the test distances.
    nonisolated func powers(of athlete: String) -> TestPowers {
        reading.roster?.powers(of: athlete) ?? TestPowers()
    }

    /// Passes the athletes to the parts that use them, now and after each change.
    func start(_ users: Users) async {
        self.users = users
        await apply(reading, replacesAssignments: false)
    }

    /// Applies a new configuration with the roster of its file.
    func configure(_ configuration: Configuration, replacesAssignments: Bool) async {
        let now = state.withLock { state in
            state.settings = configuration.athletes
            state.configured = configuration.roster
            return state
        }
        await apply(now, replacesAssignments: replacesAssignments)
    }

    /// Handles a part of a roster from a logbook.
    func receive(_ part: RosterPart) async -> CommandOutcome {
        guard reading.settings.roster == .logbook else {
            return CommandOutcome(
                .disabled, "the gateway's configuration does not have [athletes] roster = \"logbook\"")
        }
        do throws(CommandFault) {
            guard let whole = try assembly.add(part) else {
                return CommandOutcome(.done, "part \(part.part) of \(part.parts) has arrived")
            }
            return await replace(by: whole)
        } catch { return CommandOutcome(error.code, error.message) }
    }

    private func replace(by roster: RosterPart) async -> CommandOutcome {
        let before = reading
        var roster = roster
        if !before.settings.publishesNames {
            // Names that are not published are not stored.
            for index in roster.athletes.indices { roster.athletes[index].name = nil }
        }
        do throws(StateFile.Failure) {
            try await store(ReceivedRoster(roster, receivedAt: runtime.unixMilliseconds()))
        } catch { return CommandOutcome(.failed, "the roster cannot be stored: \(error)") }
        if let former = before.received?.content.logbook, former != roster.logbook {
            log.warning("the roster is from the logbook \(roster.logbook), and was from \(former) before")
        }
        let count = roster.athletes.count
        log.info("roster of the logbook \(roster.logbook): \(count) athletes can be assigned")
        return CommandOutcome(.done, "\(count) athletes can be assigned")
    }

    /// Removes an athlete from the stored roster of a logbook. Returns false if the file cannot be written.
    func forget(_ athlete: String) async -> Bool {
        guard let received = reading.received,
            received.content.athletes.contains(where: { $0.id == athlete })
        else { return true }
        var content = received.content
        content.athletes.removeAll { $0.id == athlete }
        do throws(StateFile.Failure) {
            try await store(ReceivedRoster(content, receivedAt: received.receivedAt))
        } catch {
            log.error("an athlete cannot be erased from the stored roster: \(error)")
            return false
        }
        return true
    }

    /// Stores and applies a roster of a logbook.
    private func store(_ received: ReceivedRoster) async throws(StateFile.Failure) {
        try file.replace(with: received.encode())
        let now = state.withLock { state in
            state.received = received
            return state
        }
        await apply(now, replacesAssignments: false)
    }

    private func apply(_ now: Reading, replacesAssignments: Bool) async {
        guard let users else { return }
        await users.commands.apply(athletes: now.roster?.ids)
        users.limits.replace(by: now.roster)
        await users.recorder.applyRoster(
            names: now.publishedNames, assignments: now.roster?.assignments ?? [],
            replacing: replacesAssignments)
        users.retain(now.report)
    }
}

extension GatewayAthletes.Reading {
    /// The roster in use; nil for none.
    var roster: AthleteRoster? { settings.roster == .logbook ? received?.roster : configured }

    /// Names that `state` may contain, by athlete id.
    var publishedNames: [String: String] { settings.publishesNames ? roster?.names ?? [:] : [:] }

    var report: RosterReport {
        var report = RosterReport(
            source: settings.reportedSource, athletes: roster?.athletes.count,
            publishesNames: settings.publishesNames)
        if settings.roster == .logbook {
            (report.revision, report.logbook) = (received?.content.revision, received?.content.logbook)
        }
        return report
    }
}

extension Configuration.Athletes {
    fileprivate var reportedSource: RosterReport.Source {
        switch roster {
        case nil: .none
        case .file: .file
        case .logbook: .logbook
        }
    }
}
