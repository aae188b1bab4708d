import Bytes
import Contract
import HostRuntime
import LogbookStores
import People
import Timeline

/// Sends the athletes of the logbook to the gateways with `[athletes] roster = "logbook"`, and again after each change.
///
/// A gateway publishes which revision it has (`RosterReport`), so a gateway that was away gets the athletes when it
/// returns. A logbook without athletes sends nothing: a new or a trial logbook must not empty a gateway's roster.
final class RosterService: Sendable {
    /// The interval at which the athletes are read, while a gateway uses them.
    static let pollInterval = Duration.seconds(5)

    private let reader: StoreQueue
    private let room: LiveRoom
    private let runtime: any Runtime
    private let log: SystemLog
    /// Whether this logbook sends, of several with one store.
    private let isResponsible: @Sendable () -> Bool
    private let executor: SerialQueueExecutor
    private nonisolated(unsafe) var scheduler: RosterScheduler  // of the executor alone
    private nonisolated(unsafe) var timer: QueueTimer?  // of the executor alone

    init(
        of logbook: LogbookID, reader: StoreQueue, room: LiveRoom, runtime: any Runtime, log: SystemLog,
        isResponsible: @escaping @Sendable () -> Bool = { true }
    ) {
        (self.reader, self.room, self.runtime, self.log) = (reader, room, runtime, log)
        self.isResponsible = isResponsible
        scheduler = RosterScheduler(of: logbook, below: room.topicPrefix)
        executor = runtime.makeQueue(label: "logbook.roster")
    }

    /// - Parameter publish: Publishes a command. Drops it if it cannot be sent now.
    func start(_ publish: @escaping @Sendable (OutgoingCommand) -> Void) {
        executor.async { [self] in
            timer = QueueTimer(on: executor) { @Sendable [weak self] in self?.poll(publish) }
            timer?.fire(every: Self.pollInterval)
        }
    }

    func stop() { executor.enter { [self] in timer?.cancel() } }

    private func poll(_ publish: @escaping @Sendable (OutgoingCommand) -> Void) {
        let gateways = room.gatewaysWithRosterOfLogbook
        guard !gateways.isEmpty, isResponsible() else { return }
        // After an error, the next poll reads again. Requests for data report the error.
        _ = reader.perform(
            { [weak self] store in
                let profiles = try PeopleRepository.profiles(in: store)
                self?.send(profiles, to: gateways, publish)
            }, failed: { _ in })
    }

    private func send(
        _ profiles: [AthleteProfile], to gateways: [GatewayID: RosterReport],
        _ publish: @escaping @Sendable (OutgoingCommand) -> Void
    ) {
        executor.async { [self] in
            let commands = scheduler.step(
                profiles, gateways, at: runtime.now(), makeID: { "roster-\(runtime.makeULID())" })
            for command in commands { publish(command) }
        }
    }

    /// Handles a gateway's reply to the command `roster`.
    func handle(reply: JSONObject, from gateway: GatewayID) {
        executor.async { [self] in
            guard let refusal = scheduler.handle(reply: reply, from: gateway) else { return }
            log.warning("\(gateway) refused the athletes of the logbook; retrying later: \(refusal)")
        }
    }
}

/// The details of athletes that a gateway's roster may contain.
struct RosterContent: Hashable {
    var names: Bool
    var power6k: Bool

    init(_ report: RosterReport) { (names, power6k) = (report.publishesNames, report.acceptsPower6k) }
}

/// Decides when which gateway gets the athletes. It has no clock and does no I/O.
struct RosterScheduler {
    /// The first and the longest time until a roster is sent again that the gateway did not take.
    static let retry = Duration.seconds(30)...Duration.seconds(3600)
    /// Of the athletes in one command, in bytes: below the gateway's limit of 16 KiB.
    static let maximumPartBytes = 12 * 1024

    private struct Sent {
        var revision: String
        var due: BootInstant
        var backoff = ExponentialBackoff(RosterScheduler.retry)
        var requests: Set<String> = []
    }

    private let logbook: LogbookID
    private let topicPrefix: TopicPrefix
    private var sent: [GatewayID: Sent] = [:]

    init(of logbook: LogbookID, below topicPrefix: TopicPrefix = .standard) {
        (self.logbook, self.topicPrefix) = (logbook, topicPrefix)
    }

    /// Returns the commands to publish now.
    ///
    /// - Parameters:
    ///   - gateways: The gateways that are online and use the roster of a logbook.
    ///   - makeID: Creates a unique id.
    mutating func step(
        _ profiles: [AthleteProfile], _ gateways: [GatewayID: RosterReport], at now: BootInstant,
        makeID: () -> String
    ) -> [OutgoingCommand] {
        sent = sent.filter { gateways[$0.key] != nil }
        var rosters: [RosterContent: [RosterPart]] = [:]
        var commands: [OutgoingCommand] = []
        for (gateway, report) in gateways.sorted(by: { $0.key < $1.key }) {
            let content = RosterContent(report)
            let parts = rosters[content] ?? Self.parts(profiles, content, of: logbook)
            rosters[content] = parts
            guard let revision = parts.first?.revision else { continue }
            if report.revision == revision, report.logbook == logbook {
                sent[gateway] = nil
                continue
            }
            var state =
                sent[gateway].flatMap { $0.revision == revision ? $0 : nil }
                ?? Sent(revision: revision, due: now)
            guard now >= state.due else { continue }
            state.due = now.advanced(by: state.backoff.next())
            state.requests = []
            for part in parts {
                let id = makeID()
                state.requests.insert(id)
                commands.append(command(part, as: id, to: gateway))
            }
            sent[gateway] = state
        }
        return commands
    }

    /// Handles a reply. Returns the reason of a refusal; nil for other clients' requests and for success, which the
    /// gateway's next report shows.
    mutating func handle(reply: JSONObject, from gateway: GatewayID) -> String? {
        guard let id = reply.text("request_id"), sent[gateway]?.requests.contains(id) == true,
            reply.text("status") == "error"
        else { return nil }
        sent[gateway]?.requests = []
        return reply.text("message").map { String($0.prefix(300)) } ?? "no reason given"
    }

    private func command(_ part: RosterPart, as id: String, to gateway: GatewayID) -> OutgoingCommand {
        OutgoingCommand(
            topic: TopicMap(gateway: gateway, below: topicPrefix)
                .topic(of: .command(.gateway, verb: CommandVerb.roster.rawValue)),
            payload: JSONWriter.object { json in
                json.field("request_id", id)
                part.write(into: &json)
            })
    }

    /// Returns the athletes who are not archived, in parts; none without athletes.
    static func parts(
        _ profiles: [AthleteProfile], _ permitted: RosterContent, of logbook: LogbookID
    ) -> [RosterPart] {
        let athletes = profiles.filter { !$0.isArchived }.sorted { $0.id < $1.id }.map {
            RosterAthlete(
                id: $0.id, name: permitted.names ? $0.name : nil, power2k: $0.power2k,
                power6k: permitted.power6k ? $0.power6k : nil)
        }
        var groups: [[RosterAthlete]] = []
        var bytes = Int.max
        var content: [[UInt8]] = []
        for athlete in athletes {
            let object = JSONWriter.object(athlete.write)
            let size = object.count + 1
            if bytes > maximumPartBytes - size {
                groups.append([])
                bytes = 0
            }
            groups[groups.count - 1].append(athlete)
            bytes += size
            content.append(object)
        }
        // The same athletes have the same revision after a restart, and at each logbook of a store.
        let revision = String(SHA256Digest.hexadecimal(of: content).prefix(16))
        return groups.enumerated().map { index, athletes in
            RosterPart(
                revision: revision, logbook: logbook, part: index + 1, of: groups.count, athletes: athletes)
        }
    }
}
