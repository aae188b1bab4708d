import Contract
import HostRuntime
import Publishing
import Synchronization
import Timeline

/// Executes commands for an erg or for the gateway.
protocol CommandPerformer: Sendable {
    func perform(_ order: ParsedCommand, at station: StationID?) async -> CommandOutcome
}

/// Numbers of commands that were refused or dropped, for the health report.
final class CommandCounters: Sendable {
    let rejected = Atomic<UInt64>(0)
}

/// Accepts commands from the broker and from the control socket, and makes sure that each is
/// answered.
///
/// It has its own queue, so that a flood of commands costs the stations, the log and the publisher
/// only the forwarding of a message. A request is stored before it is executed
/// (`CommandMemory`), on another queue: a stalled disk blocks nothing else.
actor CommandCenter: QueueActor {
    /// Maximum number of commands that wait for this queue.
    private static let mailboxCapacity = 64
    /// Maximum number of commands that run, or wait for the disk, at a time: a few per erg.
    static let taskLimit = 64
    /// Maximum number of the broker's commands without a reply; more are dropped.
    static let answerLimit = 256

    nonisolated let executor: SerialQueueExecutor

    /// Publishes a payload as the reply to a command; the verb is valid in a topic.
    typealias Responder =
        @Sendable (IncomingCommand, StationID?, _ verb: String, [UInt8]) async
        -> Void

    private let gateway: GatewayID
    private let performer: any CommandPerformer
    private let stations: @Sendable () -> [StationID]
    private let respond: Responder
    private let counters: CommandCounters
    private let file: StateFile
    private let runtime: any Runtime
    private let log: SystemLog
    private var validator: CommandValidator
    private var tasks = 0
    /// Replies to the broker in preparation, or not accepted yet.
    private var answers = 0
    private let fileExecutor: SerialQueueExecutor
    private var isFileFailing = false
    /// Whether the file is being written.
    private var isSaving = false
    /// Callers that wait for the next write of the file.
    private var waiters: [CheckedContinuation<Void, Never>] = []
    /// Limits the log to a line per command, unless there are too many.
    private var lines = BurstLimiter(pause: .seconds(60), burst: 60)
    private nonisolated let mailbox: BoundedMailbox<IncomingCommand>

    /// - Parameters:
    ///   - stations: returns the current ergs.
    ///   - file: where requests are stored; a damaged file is logged and ignored.
    init(
        gateway: GatewayID, allowed: AllowedCommands, athletes: Set<String>?,
        workouts: [NamedWorkout] = [],
        performer: any CommandPerformer, stations: @escaping @Sendable () -> [StationID],
        respond: @escaping Responder, counters: CommandCounters, file: StateFile,
        runtime: any Runtime, log: SystemLog
    ) {
        executor = runtime.makeQueue(label: "rowgate.commands")
        fileExecutor = runtime.makeQueue(label: "rowgate.requests")
        self.gateway = gateway
        self.performer = performer
        self.stations = stations
        self.respond = respond
        self.counters = counters
        self.file = file
        self.runtime = runtime
        self.log = log
        validator = CommandValidator(
            allowed: allowed, athletes: athletes, workouts: workouts,
            memory: Self.readMemory(in: file, at: runtime.now(), log))
        let owner = WeakCenter()
        mailbox = BoundedMailbox(capacity: Self.mailboxCapacity, to: executor) { batch in
            owner.center?.assumeIsolated { $0.receive(batch) }
        }
        owner.center = self
    }

    private static func readMemory(
        in file: StateFile, at now: BootInstant, _ log: SystemLog
    ) -> CommandMemory {
        do throws(StateFile.Failure) {
            guard let bytes = try file.read() else { return CommandMemory() }
            if let memory = CommandMemory(decoding: bytes, at: now) { return memory }
            log.warning("the stored requests of the last hour are lost: \(file.path) is unreadable")
        } catch {
            log.warning("the stored requests of the last hour are lost: \(error)")
        }
        return CommandMemory()
    }

    // MARK: - Entry points

    /// Handles a command from the broker. Never waits; commands that arrive too fast are dropped
    /// and counted.
    nonisolated func enqueue(_ command: IncomingCommand) {
        if !mailbox.send(command) { counters.rejected.add(1, ordering: .relaxed) }
    }

    /// Carries out a request of the control socket. Returns a reply per addressed erg, in the order
    /// of their slugs.
    func carryOut(_ request: CommandRequest) async -> [[UInt8]] {
        var replies: [(slug: String, bytes: [UInt8])] = []
        var accepted: [CommandTask] = []
        for decision in decide(request) {
            switch decision {
            case .reply(let reply): replies.append((reply.station?.slug ?? "", payload(of: reply)))
            case .perform(let task): accepted.append(task)
            case .repeated(let bytes, let station): replies.append((station?.slug ?? "", bytes))
            }
        }
        await withTaskGroup(of: (String, [UInt8]).self) { group in
            for task in accepted {
                group.addTask { (task.station?.slug ?? "", await self.perform(task)) }
            }
            for await reply in group { replies.append(reply) }
        }
        return replies.sorted { $0.slug < $1.slug }.map(\.bytes)
    }

    /// Returns the reply to a request for an invalid erg name.
    func noSuchErg(verb: String) -> [UInt8] {
        counters.rejected.add(1, ordering: .relaxed)
        let names = stations().map(\.slug).joined(separator: ", ")
        return payload(
            of: CommandReply(
                to: nil, verb: CommandValidator.presentable(verb), from: nil, .unknownErg,
                "invalid slug of an erg; there are: \(names)"))
    }

    /// Applies a new configuration: allowed commands and workouts.
    func apply(allowed: AllowedCommands, workouts: [NamedWorkout]) {
        validator.allowed = allowed
        validator.workouts = workouts
    }

    /// Applies another roster: the athletes who may be assigned; nil for all.
    func apply(athletes: Set<String>?) { validator.athletes = athletes }

    /// The named workouts.
    var workouts: [NamedWorkout] { validator.workouts }

    /// Removes `athlete` from all stored replies.
    func forget(_ athlete: String) async {
        validator.forget(athlete, payload(of:))
        await save()
    }

    // MARK: - Commands from the broker

    private func receive(_ batch: [IncomingCommand]) {
        for command in batch {
            guard answers < Self.answerLimit else {
                counters.rejected.add(1, ordering: .relaxed)
                continue
            }
            for decision in decide(CommandRequest(command)) {
                switch decision {
                case .perform(let task):
                    answer(command, from: task.station, task.verb.rawValue) {
                        await self.perform(task)
                    }
                case .reply(let reply):
                    let bytes = payload(of: reply)
                    answer(command, from: reply.station, reply.verb) { bytes }
                case .repeated(let bytes, let station):
                    answer(command, from: station, command.verb) { bytes }
                }
            }
        }
    }

    private func answer(
        _ command: IncomingCommand, from station: StationID?, _ verb: String,
        _ reply: @escaping @Sendable () async -> [UInt8]
    ) {
        answers += 1
        Task {
            await respond(command, station, verb, await reply())
            answers -= 1
        }
    }

    // MARK: - Commands from both

    private func decide(_ request: CommandRequest) -> [CommandValidator.Decision] {
        let before = validator.refusals
        let decisions = validator.decide(request, stations: stations(), at: runtime.now())
        counters.rejected.add(validator.refusals - before, ordering: .relaxed)
        return decisions
    }

    /// Performs a task and returns its reply.
    private func perform(_ task: CommandTask) async -> [UInt8] {
        tasks += 1
        defer { tasks -= 1 }
        guard tasks <= Self.taskLimit else {
            return finish(
                task, CommandOutcome(.busy, "too many commands are running; try again"))
        }
        if task.key != nil { await save() }
        let bytes = finish(task, await performer.perform(task.order, at: task.station))
        if task.key != nil { await save() }
        return bytes
    }

    private func finish(_ task: CommandTask, _ outcome: CommandOutcome) -> [UInt8] {
        let reply = task.reply(outcome.code, outcome.message, outcome.details)
        let bytes = payload(of: reply)
        validator.finish(task, with: bytes)
        if let count = lines.trigger(at: runtime.now()) {
            let more = count > 1 ? " (and \(count - 1) earlier commands that were not logged)" : ""
            let verb = "command \(task.verb.rawValue)"
            let isDone = outcome.code == .done
            log.scoped(to: task.station?.slug ?? "gateway").info(
                (isDone ? verb : "\(verb) failed") + ": \(outcome.message)\(more)",
                [
                    ("CODE", outcome.code.rawValue), ("ERG", task.station?.slug ?? ""),
                    ("REQUEST_ID", task.requestID ?? ""),
                ])
        }
        return bytes
    }

    private func payload(of reply: CommandReply) -> [UInt8] {
        reply.payload(gateway: gateway, at: runtime.now(), clock: runtime.wall())
    }

    /// Returns when the current memory is written. One write serves all callers that arrive while
    /// another is running.
    private func save() async {
        await withCheckedContinuation { waiter in
            waiters.append(waiter)
            guard !isSaving else { return }
            isSaving = true
            Task { await write() }
        }
    }

    /// If the file cannot be written, repeated requests are still recognized until this process
    /// ends.
    private func write() async {
        while !waiters.isEmpty {
            let currentWaiters = waiters
            waiters = []
            do throws(StateFile.Failure) {
                try await replaceFile(with: validator.memory.encode(at: runtime.now()))
                isFileFailing = false
            } catch {
                if !isFileFailing {
                    log.error("requests cannot be stored for a restart: \(error)")
                }
                isFileFailing = true
            }
            for waiter in currentWaiters { waiter.resume() }
        }
        isSaving = false
    }

    private func replaceFile(with bytes: [UInt8]) async throws(StateFile.Failure) {
        typealias Outcome = Result<Void, StateFile.Failure>
        let outcome = await withCheckedContinuation { (done: CheckedContinuation<Outcome, Never>) in
            fileExecutor.async { [file] in
                done.resume(
                    returning: Outcome { () throws(StateFile.Failure) in
                        try file.replace(with: bytes)
                    })
            }
        }
        try outcome.get()
    }
}

extension CommandRequest {
    /// Creates a request of the control socket; nil for an invalid erg name.
    init?(verb: String, erg: String?, payload: [UInt8], at now: BootInstant) {
        let target: CommandTarget
        switch erg {
        case nil: target = .gateway
        case "all"?: target = .everyStation
        case let slug?:
            guard let station = StationID(slug) else { return nil }
            target = .station(station)
        }
        self.init(
            origin: .controlSocket, target: target, verb: verb, payload: payload, receivedAt: now)
    }

    init(_ command: IncomingCommand) {
        self.init(
            origin: .mqtt, target: command.target, verb: command.verb,
            payload: command.message.payload, isRetained: command.message.isRetained,
            receivedAt: command.receivedAt,
            lifetime: command.message.expirySeconds.map { .seconds(Int64($0)) })
    }
}

/// Lets the mailbox of a center refer to it; written once, before anything can be sent.
private final class WeakCenter: @unchecked Sendable {
    weak var center: CommandCenter?
}
