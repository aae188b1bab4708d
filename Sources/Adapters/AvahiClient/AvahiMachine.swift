import Timeline

/// Decides which calls to make to avahi-daemon, from its signals and answers.
///
/// Each attempt uses a new entry group. If an attempt fails, the group is freed, and a later attempt begins
/// from the start, so there is one way to the announcement after every fault.
struct AvahiMachine {
    /// AvahiServerState. Others mean that the server cannot register at present.
    private static let serverIsRunning = 2

    /// AvahiEntryGroupState. Others (uncommitted, registering) need no reaction.
    enum GroupState: Int {
        case established = 2
        case collision = 3
        case failure = 4
    }

    enum Event: Equatable {
        /// avahi-daemon has appeared on the bus, also if it was there before with another process.
        case daemonAppeared
        /// avahi-daemon or the bus is gone.
        case daemonGone(cause: String)
        /// The announcement has changed; nil for none.
        case announce(Announcement?)
        /// The server's state, and the machine's name in the network, such as `boathouse.local`.
        case server(state: Int, hostName: String)
        /// The server's state has changed.
        case serverChanged(state: Int)
        /// The group of that attempt.
        case groupCreated(String, attempt: Int)
        case groupChanged(String, state: Int)
        /// Another program of this machine has the name.
        case nameCollided
        /// A name to use instead.
        case alternative(String)
        case failed(cause: String)
        case timerFired
    }

    enum Action: Equatable {
        /// Answered by `server`.
        case requestServer
        /// Answered by `groupCreated`.
        case createGroup
        /// Adds the services to the group and commits it.
        case register(group: String, Announcement)
        /// Answered by `alternative`.
        case requestAlternative(to: String)
        case free(group: String)
        /// Replaces the timer; nil stops it.
        case setTimer(Duration?)
    }

    enum Limit {
        /// Time of one step; Avahi registers a name in about 1 s.
        static let step = Duration.seconds(60)
        /// Delays between failed attempts.
        static let retries = Duration.seconds(2)...Duration.seconds(300)
        /// Names to try before a pause.
        static let renames = 20
    }

    /// The event that the announcement waits for.
    private enum Phase: Equatable {
        /// No avahi-daemon, or nothing to announce.
        case idle
        /// The state of the server was requested.
        case checking
        /// The server does not register at present.
        case waitingForServer
        case creating
        case registering(group: String)
        case renaming
        case established(group: String)
        /// The next attempt begins with the timer.
        case pausing
    }

    /// The state of the announcement, for the log.
    enum Status: Equatable {
        /// Nothing to announce.
        case off
        case starting
        case announced(as: String, at: String)
        /// No avahi-daemon or no bus.
        case absent(cause: String)
        case failed(cause: String)
        /// Browsers would get an error under the machine's name in the network.
        case rejectedHostName(String)
    }

    /// Names of this machine that the service accepts in requests, in lower case; nil for any.
    private let acceptedHostNames: Set<String>?
    private var wanted: Announcement?
    /// The name in use, after collisions another one.
    private var name = ""
    private var isPresent = false
    /// Why there is no avahi-daemon; nil until that is known.
    private var absence: String?
    private var phase = Phase.idle
    private var backoff = ExponentialBackoff(Limit.retries)
    private var renames = 0
    private var hostName = ""
    /// Increases with each attempt. Answers to earlier ones are ignored.
    private(set) var attempt = 0
    private(set) var status = Status.starting

    init(acceptedHostNames: Set<String>? = nil) { self.acceptedHostNames = acceptedHostNames }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .daemonAppeared:
            isPresent = true
            backoff.reset()
            useWantedName()
            // Groups ended with the process that had them.
            return begin()
        case .daemonGone(let cause):
            isPresent = false
            absence = cause
            return begin()
        case .announce(let announcement):
            guard announcement != wanted || attempt == 0 else { return [] }
            wanted = announcement
            useWantedName()
            backoff.reset()
            return releaseGroup() + begin()
        case .server(let state, let hostName): return serverAnswered(state, hostName)
        case .serverChanged(let state): return serverChanged(state)
        case .groupCreated(let group, let attempt):
            guard attempt == self.attempt, phase == .creating, let wanted else {
                return [.free(group: group)]
            }
            let renamed = Announcement(name: name, services: wanted.services)
            return enter(.registering(group: group), within: Limit.step) + [
                .register(group: group, renamed)
            ]
        case .groupChanged(let group, let state): return groupChanged(group, GroupState(rawValue: state))
        case .nameCollided: return rename()
        case .alternative(let alternative):
            guard phase == .renaming else { return [] }
            let next = Announcement.shortened(alternative)
            guard !next.isEmpty, next != name else { return fail("no other name for \(name)") }
            name = next
            return begin()
        case .failed(let cause): return fail(cause)
        case .timerFired:
            switch phase {
            case .idle, .established: return []
            case .pausing: return begin()
            case .waitingForServer: return fail("avahi-daemon does not register services")
            default: return fail("avahi-daemon does not answer")
            }
        }
    }

    private mutating func useWantedName() {
        name = wanted?.name ?? ""
        renames = 0
    }

    private mutating func enter(_ phase: Phase, within limit: Duration? = nil) -> [Action] {
        self.phase = phase
        return [.setTimer(limit)]
    }

    /// Begins an attempt, if there is something to announce and an avahi-daemon.
    private mutating func begin() -> [Action] {
        attempt += 1
        guard wanted != nil else {
            status = .off
            return enter(.idle)
        }
        guard isPresent else {
            status = absence.map { .absent(cause: $0) } ?? .starting
            return enter(.idle)
        }
        status = .starting
        return enter(.checking, within: Limit.step) + [.requestServer]
    }

    private mutating func serverAnswered(_ state: Int, _ hostName: String) -> [Action] {
        guard phase == .checking else { return [] }
        self.hostName = hostName
        guard state == Self.serverIsRunning else { return enter(.waitingForServer, within: Limit.step) }
        if let acceptedHostNames, !acceptedHostNames.contains(hostName.lowercased()) {
            status = .rejectedHostName(hostName)
            return enter(.waitingForServer)
        }
        return enter(.creating, within: Limit.step) + [.createGroup]
    }

    /// Avahi withdraws all entries while it looks for a new host name; they must be added again.
    private mutating func serverChanged(_ state: Int) -> [Action] {
        guard isPresent, wanted != nil else { return [] }
        let release = releaseGroup()
        if state == Self.serverIsRunning { return release + begin() }
        attempt += 1
        status = .starting
        return release + enter(.waitingForServer, within: Limit.step)
    }

    private mutating func groupChanged(_ group: String, _ state: GroupState?) -> [Action] {
        guard group == self.group else { return [] }
        switch state {
        case .established:
            backoff.reset()
            status = .announced(as: name, at: hostName)
            return enter(.established(group: group))
        case .collision: return rename()
        case .failure: return fail("avahi-daemon cannot register the services")
        case nil: return []
        }
    }

    private mutating func rename() -> [Action] {
        guard group != nil else { return [] }
        guard renames < Limit.renames else {
            return fail("\(wanted?.name ?? "") and \(renames) other names are in use")
        }
        renames += 1
        status = .starting
        return releaseGroup() + enter(.renaming, within: Limit.step) + [.requestAlternative(to: name)]
    }

    /// Frees the group, and pauses before the next attempt.
    private mutating func fail(_ cause: String) -> [Action] {
        guard isPresent, wanted != nil, phase != .pausing else { return [] }
        status = .failed(cause: cause)
        attempt += 1
        useWantedName()
        return releaseGroup() + enter(.pausing, within: backoff.next())
    }

    /// The group of this attempt, if avahi-daemon has created one.
    private var group: String? {
        switch phase {
        case .registering(let group), .established(let group): group
        default: nil
        }
    }

    private func releaseGroup() -> [Action] { group.map { [.free(group: $0)] } ?? [] }
}
