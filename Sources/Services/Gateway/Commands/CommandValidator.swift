import Bytes
import Contract
import HostRuntime
import Timeline

/// A command as it arrived; only its topic is checked.
struct CommandRequest: Equatable, Sendable {
    /// The sender, which determines the allowed commands.
    enum Origin: Equatable, Sendable {
        /// A publisher that the broker admitted.
        case mqtt
        /// A member of the group that owns the control socket.
        case controlSocket
    }

    var origin: Origin
    var target: CommandTarget
    var verb: String
    var payload: [UInt8]
    /// Whether the message is retained. A command is valid only now, not for later subscribers.
    var isRetained = false
    var receivedAt: BootInstant
    /// Remaining message expiry at arrival; nil for none.
    var lifetime: Duration?
}

/// Commands that the broker's clients may send in addition to harmless ones. The control socket may
/// send all.
package struct AllowedCommands: Equatable, Sendable {
    /// Commands that change the monitor's display or recording.
    package var changes = false
    /// Commands that permanently erase an athlete's records.
    package var erasure = false

    package init(changes: Bool = false, erasure: Bool = false) {
        (self.changes, self.erasure) = (changes, erasure)
    }
}

/// One command for one erg or for the gateway; a request to the whole room becomes several.
struct CommandTask: Equatable, Sendable {
    var order: ParsedCommand
    var verb: CommandVerb
    var station: StationID?
    /// nil from the control socket, where it is optional.
    var requestID: String?

    /// The key under which it is stored; nil for an order that may be repeated.
    var key: CommandMemory.Key? {
        guard verb.hasEffect, let requestID else { return nil }
        return CommandMemory.Key(station: station, verb: verb.rawValue, requestID: requestID)
    }
}

/// Decides whether a command is refused, answered again, or executed.
///
/// Pure: receives requests and the time, returns decisions. Any bytes lead to one decision per
/// addressed erg, and to at least one.
struct CommandValidator: Sendable {
    /// 50 intervals with a name for everything are 6 KB.
    static let maximumPayload = 16 * 1024

    enum Decision: Equatable, Sendable {
        case reply(CommandReply)
        /// The exact bytes of the first answer to the request.
        case repeated([UInt8], StationID?)
        case perform(CommandTask)
    }

    var allowed: AllowedCommands
    /// The athletes of the roster; nil without a roster: any slug is accepted.
    var athletes: Set<String>?
    /// The named workouts.
    var workouts: [NamedWorkout]
    var memory: CommandMemory
    /// Number of requests refused here.
    private(set) var refusals: UInt64 = 0

    init(
        allowed: AllowedCommands, athletes: Set<String>?, workouts: [NamedWorkout] = [],
        memory: CommandMemory = CommandMemory()
    ) {
        self.allowed = allowed
        self.athletes = athletes
        self.workouts = workouts
        self.memory = memory
    }

    /// - Parameter stations: the existing ergs.
    mutating func decide(
        _ request: CommandRequest, stations: [StationID], at now: BootInstant
    ) -> [Decision] {
        var requestID: String?
        do throws(CommandFault) {
            let (verb, order) = try read(request, &requestID, at: now)
            return try targets(of: request, verb: verb, among: stations).map { station in
                decide(
                    CommandTask(order: order, verb: verb, station: station, requestID: requestID),
                    payload: request.payload, at: now)
            }
        } catch {
            refusals += 1
            return addressees(of: request, among: stations).map { station in
                .reply(
                    CommandReply(
                        to: requestID, verb: Self.presentable(request.verb), from: station,
                        error.code, error.message))
            }
        }
    }

    /// Stores the answer of a finished task, for repeated requests.
    mutating func finish(_ task: CommandTask, with reply: [UInt8]) {
        if let key = task.key { memory.answer(key, with: reply) }
    }

    /// Replaces the stored answers of requests that assigned `athlete`, or that name them as the
    /// person who acknowledged an alert.
    mutating func forget(_ athlete: String, _ payload: (CommandReply) -> [UInt8]) {
        let marks = ["\"athlete_id\":\"\(athlete)\"", " is acknowledged by \(athlete)\""]
        for key in marks.flatMap({ memory.keys(ofAnswersWith: $0) }) {
            let reply = CommandReply(
                to: key.requestID, verb: key.verb, from: key.station, .done,
                "the athlete has been forgotten since")
            memory.answer(key, with: payload(reply))
        }
    }

    // MARK: - One task

    private mutating func decide(
        _ task: CommandTask, payload: [UInt8], at now: BootInstant
    ) -> Decision {
        guard let key = task.key else { return .perform(task) }
        let digest = Self.digest(payload)
        do throws(CommandFault) {
            switch try memory.recall(key, digest: digest, at: now) {
            case .given(let bytes): return .repeated(bytes, task.station)
            case .pending:
                throw CommandFault(.inProgress, "the first request of this id is still running")
            case .interrupted:
                throw CommandFault(
                    .interrupted,
                    "the gateway was restarted during this command; check the erg, "
                        + "then try again with a new request_id")
            case nil:
                memory.insert(key, digest: digest, at: now)
                return .perform(task)
            }
        } catch {
            if error.code != .inProgress { refusals += 1 }
            return .reply(task.reply(error.code, error.message))
        }
    }

    private static func digest(_ payload: [UInt8]) -> [UInt8] {
        Array(SHA256Digest.hexadecimal(of: [payload]).utf8)
    }

    // MARK: - Parsing

    private func read(
        _ request: CommandRequest, _ requestID: inout String?, at now: BootInstant
    ) throws(CommandFault) -> (CommandVerb, ParsedCommand) {
        guard request.payload.count <= Self.maximumPayload else {
            throw CommandFault(
                .tooLarge,
                "\(request.payload.count) bytes; a command has \(Self.maximumPayload) at most")
        }
        var fields = CommandFields(try Self.object(request.payload))
        requestID = try fields.requestID()
        if requestID == nil, request.origin == .mqtt { throw fields.missing("request_id") }
        if request.isRetained {
            throw CommandFault(
                .retained, "a command must not be retained; clear the topic with an empty message")
        }
        if let lifetime = request.lifetime, request.receivedAt.duration(to: now) >= lifetime {
            throw CommandFault(.expired, "the command's message expiry has passed")
        }
        guard let verb = CommandVerb(rawValue: request.verb),
            verb.isForGateway == (request.target == .gateway)
        else { throw unknownVerb(request) }
        let order = try ParsedCommand(verb, &fields, workouts: workouts)
        try check(order, of: verb, from: request.origin)
        return (verb, order)
    }

    private static func object(_ payload: [UInt8]) throws(CommandFault) -> JSONObject {
        let object: JSONObject?
        do throws(JSONSyntaxError) { object = try JSONObject(parsing: payload) } catch {
            throw CommandFault(.notJSON, "the payload is not JSON: \(error)")
        }
        if let object { return object }
        throw CommandFault(.notJSON, "the payload is not a JSON object")
    }

    private func unknownVerb(_ request: CommandRequest) -> CommandFault {
        let isForGateway = request.target == .gateway
        let verbs = CommandVerb.allCases.filter { $0.isForGateway == isForGateway }
        let names = verbs.map(\.rawValue).joined(separator: ", ")
        return CommandFault(
            .unknownVerb, "\(isForGateway ? "a gateway" : "an erg") understands \(names)")
    }

    private func check(
        _ order: ParsedCommand, of verb: CommandVerb, from origin: CommandRequest.Origin
    ) throws(CommandFault) {
        if verb.changesMonitor, origin == .mqtt, !allowed.changes {
            throw CommandFault(
                .disabled, "the gateway's configuration has [commands] enabled = false")
        }
        if verb.erases, origin == .mqtt, !allowed.erasure {
            throw CommandFault(
                .disabled,
                "the gateway's configuration has [commands] forget = false; erase there with "
                    + "rowgatectl athlete forget, or allow it")
        }
        if case .assign(let athlete?, _) = order, let athletes, !athletes.contains(athlete) {
            throw CommandFault(
                .unknownAthlete,
                "\(athlete) is not in the gateway's roster; add the athlete there first")
        }
    }

    // MARK: - Addressed ergs

    private func targets(
        of request: CommandRequest, verb: CommandVerb, among stations: [StationID]
    ) throws(CommandFault) -> [StationID?] {
        switch request.target {
        case .gateway: return [nil]
        case .station(let station):
            guard stations.contains(station) else {
                let names = stations.map(\.slug).joined(separator: ", ")
                throw CommandFault(.unknownErg, "no erg is called \(station); there are: \(names)")
            }
            return [station]
        case .everyStation:
            guard !stations.isEmpty else {
                throw CommandFault(.unknownErg, "the gateway has no erg yet")
            }
            return stations
        }
    }

    /// Returns the senders of the replies if the request is refused: the addressed ergs, and at least
    /// one.
    private func addressees(
        of request: CommandRequest, among stations: [StationID]
    ) -> [StationID?] {
        switch request.target {
        case .gateway: [nil]
        case .station(let station): [station]
        case .everyStation: stations.isEmpty ? [nil] : stations
        }
    }

    /// Returns the peer's verb in a form valid for a topic and a reply.
    static func presentable(_ verb: String) -> String {
        Slug.isValid(verb) ? verb : "unknown"
    }
}

extension CommandTask {
    func reply(
        _ code: CommandCode, _ message: String, _ details: CommandReply.Details = .none
    ) -> CommandReply {
        CommandReply(
            to: requestID, verb: verb.rawValue, from: station, code, message, details)
    }
}
