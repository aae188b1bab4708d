import Rowing
import Timeline

/// The state machine of one monitor's link: receives events and the time, returns actions.
///
/// LinkStates.md describes its states and transitions. The room decides when a link leaves idle,
/// because slots and radios are shared. No other file changes its fields.
struct LinkMachine: Sendable {
    /// After this many links in a row whose services differ from BlueZ's cache, the cache is stale.
    private static let staleLimit = 2

    let serial: String
    private(set) var state: State
    /// The current attempt, or the last one.
    private(set) var attempt: LinkAttempt
    /// Since when the monitor waits: the longest wait goes first.
    private(set) var idleSince: BootInstant
    /// When the current link opened, or the monitor was last used, whichever is later.
    private(set) var lastUse: BootInstant
    private(set) var connects = 0
    /// Of these, links that still existed when their sockets ended, and were subscribed again.
    private(set) var resubscriptions = 0
    private(set) var failures = 0
    private(set) var lastFailure: LinkFailure?
    /// Failures of the last kind in a row; each kind has its own limits.
    private var streak = 0
    /// The device object of the last failed attempt; nil after a success. The next attempt uses
    /// another adapter if another one hears the monitor.
    private(set) var failedPath: String?
    /// Whether to subscribe with StartNotify, because the monitor notifies before it confirms,
    /// which AcquireNotify drops. If a link delivers nothing at all, its subscription was lost for
    /// another reason; the next link uses the other method and stays with it.
    private(set) var prefersSignals = false
    /// Whether it is known which method this monitor needs.
    private(set) var isProbed = false
    /// How often BlueZ was made to remove the monitor.
    private(set) var removals = 0
    /// Links in a row whose services differed from BlueZ's cache.
    private var staleSigns = 0
    private var hasReceivedStatus = false
    /// Whether the current link existed before this attempt.
    private var isAdopted = false
    private var backoff: LinkBackoff
    private var actions: [Action] = []

    init(serial: String, seed: UInt64, at now: BootInstant) {
        self.serial = serial
        attempt = LinkAttempt(serial: serial, number: 0, path: "")
        state = .idle(readyAt: now)
        idleSince = now
        lastUse = now
        backoff = LinkBackoff(seed: seed)
    }

    /// Whether this monitor uses a slot of its adapter, or is about to.
    var isEngaged: Bool { if case .idle = state { false } else { true } }

    /// Whether an answer of BlueZ or the adapter is overdue.
    func isUnanswered(at now: BootInstant) -> Bool {
        switch state {
        case .connecting, .disconnecting: deadline.map { now >= $0 } ?? false
        default: false
        }
    }

    var isConnecting: Bool { if case .connecting = state { true } else { false } }

    /// The next time at which the state changes without an event; nil if there is none.
    var deadline: BootInstant? {
        switch state {
        case .idle(let readyAt): readyAt
        case .connecting(let since, nil): since.advanced(by: Limit.connect)
        case .connecting(_, let cancelledAt?): cancelledAt.advanced(by: Limit.cancel)
        case .resolving(let since, let wasLinked):
            since.advanced(by: wasLinked ? Limit.resolve : Limit.showLink)
        case .settingUp(let deadline): deadline
        case .checking(let deadline, let nextRead): nextRead.map { min($0, deadline) } ?? deadline
        case .streaming(let lastStatus): silenceLimit(after: lastStatus)
        case .disconnecting(let deadline, _): deadline
        }
    }

    /// A link that delivers strokes is alive: a busy monitor may send no status for minutes.
    private func silenceLimit(after lastStatus: BootInstant) -> BootInstant {
        guard hasReceivedStatus else { return lastStatus.advanced(by: Limit.firstStatus) }
        return min(
            max(lastStatus, lastUse).advanced(by: LinkTimeouts.silenceLimit),
            lastStatus.advanced(by: LinkTimeouts.statusLimit))
    }

    /// Handles an event and returns the resulting actions, in order.
    mutating func handle(_ event: Event, at now: BootInstant) -> [Action] {
        actions = []
        switch event {
        case .granted(let device): begin(device, at: now, connecting: true)
        case .adopted(let device): begin(device, at: now, connecting: false)
        case .observed(let device): observe(device, at: now)
        case .connectAnswered(let failure): connectAnswered(failure, at: now)
        case .servicesRead(let complete): servicesRead(complete, at: now)
        case .subscriptionProbed(let isEarly):
            isProbed = true
            if isEarly { prefersSignals = true }
        case .setUpEnded(let failure): setUpEnded(failure, at: now)
        case .streamEnded: streamEnded(at: now)
        case .statusReceived(let instant): statusReceived(instant)
        case .useDetected(let instant): lastUse = max(lastUse, instant)
        case .cancelConnect: cancelConnect(at: now)
        case .serviceLost: abandon(.serviceLost, at: now)
        case .adapterLost: abandon(.adapterLost, at: now)
        case .released: release(at: now)
        case .tick: checkDeadlines(at: now)
        }
        return actions
    }

    // MARK: - Connecting

    private mutating func begin(_ device: DeviceObject, at now: BootInstant, connecting: Bool) {
        guard case .idle = state else { return }
        attempt = LinkAttempt(serial: serial, number: attempt.number + 1, path: device.path)
        isAdopted = !connecting
        if connecting {
            state = .connecting(since: now, cancelledAt: nil)
            actions.append(.connect(attempt))
        } else {
            state = .resolving(since: now, wasLinked: false)
            observe(device, at: now)
        }
    }

    private mutating func connectAnswered(_ failure: LinkFailure?, at now: BootInstant) {
        guard case .connecting(_, let cancelledAt) = state else { return }
        if let failure {
            let verdict =
                cancelledAt == nil
                ? failure : LinkFailure(.unreachable, "cancelled because other monitors were waiting")
            fail(verdict, linked: false, at: now)
        } else {
            state = .resolving(since: now, wasLinked: false)
        }
    }

    private mutating func cancelConnect(at now: BootInstant) {
        guard case .connecting(let since, nil) = state,
            since.duration(to: now) >= Limit.earliestCancel
        else { return }
        state = .connecting(since: since, cancelledAt: now)
        actions.append(.disconnect(attempt))
    }

    private mutating func servicesRead(_ complete: Bool, at now: BootInstant) {
        guard case .checking(let deadline, nil) = state else { return }
        if complete {
            state = .settingUp(deadline: now.advanced(by: Limit.setUp))
            actions.append(.setUp(attempt))
        } else {
            state = .checking(
                deadline: deadline, nextRead: now.advanced(by: Limit.betweenChecks))
        }
    }

    private mutating func setUpEnded(_ failure: LinkFailure?, at now: BootInstant) {
        guard case .settingUp = state else { return }
        if let failure { return fail(failure, linked: true, at: now) }
        state = .streaming(lastStatus: now)
        // A link that existed before our first one belonged to another program and is not counted.
        if isAdopted, connects > 0 { resubscriptions += 1 }
        connects += 1
        failures = 0
        failedPath = nil
        staleSigns = 0
        lastUse = now
        hasReceivedStatus = false
        actions.append(.open(attempt))
    }

    // MARK: - Ending

    private mutating func observe(_ device: DeviceObject?, at now: BootInstant) {
        let isLinked = device?.isConnected ?? false
        switch state {
        case .idle: break
        case .connecting(let since, let cancelledAt):
            guard device == nil else { break }
            // If a radio is full, bluetoothd 5.82 removes the device at once and never answers.
            let isRefusal = cancelledAt == nil && since.duration(to: now) < LinkFailure.quick
            fail(
                LinkFailure(
                    isRefusal ? .connectRefused : .objectGone,
                    isRefusal
                        ? "the adapter refused the connection"
                        : "bluetoothd no longer knows the monitor"),
                linked: false, at: now)
        case .resolving(let since, let wasLinked):
            if isLinked, device?.areServicesResolved == true {
                state = .checking(deadline: now.advanced(by: Limit.check), nextRead: nil)
                actions.append(.readServices(attempt))
            } else if isLinked {
                state = .resolving(since: since, wasLinked: true)
            } else if wasLinked || device == nil {
                fail(LinkFailure(.dropped, "the link ended at once"), linked: false, at: now)
            }
        case .checking, .settingUp:
            guard !isLinked else { break }
            fail(LinkFailure(.dropped, "the link ended during set-up"), linked: false, at: now)
        case .streaming:
            guard !isLinked else { break }
            actions.append(.close(attempt, .lost))
            rest(until: now.advanced(by: backoff.jittered(LinkBackoff.afterLoss)), at: now)
        case .disconnecting(_, let ready):
            if !isLinked { rest(until: max(ready, now), at: now) }
        }
    }

    /// Handles the end of the sockets.
    private mutating func streamEnded(at now: BootInstant) {
        guard case .streaming = state else { return }
        actions.append(.close(attempt, .lost))
        rest(until: now.advanced(by: backoff.jittered(LinkBackoff.afterStreamsEnded)), at: now)
    }

    private mutating func statusReceived(_ instant: BootInstant) {
        guard case .streaming(let lastStatus) = state, instant > lastStatus else { return }
        state = .streaming(lastStatus: instant)
        hasReceivedStatus = true
    }

    private mutating func abandon(_ closure: LinkClosure, at now: BootInstant) {
        guard isEngaged else { return }
        if case .streaming = state { actions.append(.close(attempt, closure)) }
        rest(until: now.advanced(by: backoff.jittered(LinkBackoff.afterAbandoning)), at: now)
    }

    private mutating func release(at now: BootInstant) {
        switch state {
        case .idle, .disconnecting: return
        // If it is too early, the link is released later: when it is made, or when this time is
        // over.
        case .connecting: return cancelConnect(at: now)
        case .streaming: actions.append(.close(attempt, .ours))
        case .resolving, .checking, .settingUp: break
        }
        disconnect(ready: now, at: now)
    }

    private mutating func fail(_ failure: LinkFailure, linked: Bool, at now: BootInstant) {
        streak = failures > 0 && lastFailure?.kind == failure.kind ? streak + 1 : 1
        failures += 1
        lastFailure = failure
        failedPath = attempt.path
        let ready = now.advanced(by: backoff.delay(after: failure.kind, count: streak))
        if failure.kind == .servicesMissing || failure.kind == .setUpRefused { staleSigns += 1 }
        // Later refusals have another cause: the device is removed once.
        if staleSigns == Self.staleLimit {
            staleSigns += 1
            forget()
            rest(until: ready, at: now)
        } else if linked {
            disconnect(ready: ready, at: now)
        } else {
            // A stale connect of ours, or of a killed client, is cancelled once.
            if failure.kind == .busy, streak == 5 { actions.append(.disconnect(attempt)) }
            rest(until: ready, at: now)
        }
    }

    private mutating func forget() {
        removals += 1
        actions.append(.remove(attempt))
    }

    private mutating func disconnect(ready: BootInstant, at now: BootInstant) {
        actions.append(.disconnect(attempt))
        state = .disconnecting(deadline: now.advanced(by: Limit.disconnect), ready: ready)
    }

    private mutating func rest(until ready: BootInstant, at now: BootInstant) {
        // Late replies to this attempt are ignored.
        attempt = LinkAttempt(
            serial: serial, number: attempt.number + 1, path: attempt.path)
        state = .idle(readyAt: ready)
        idleSince = now
    }

    // MARK: - Time

    private mutating func checkDeadlines(at now: BootInstant) {
        guard let deadline, now >= deadline else { return }
        switch state {
        case .idle: break
        case .connecting:
            actions.append(.disconnect(attempt))
            fail(LinkFailure(.stalled, "bluetoothd did not answer"), linked: false, at: now)
        case .resolving(_, false):
            fail(LinkFailure(.dropped, "bluetoothd never reported the link"), linked: true, at: now)
        case .resolving(_, true):
            fail(
                LinkFailure(.servicesMissing, "the monitor's services were not discovered in time"),
                linked: true, at: now)
        case .checking(let limit, _):
            if now >= limit {
                fail(
                    LinkFailure(.servicesMissing, "no rowing service (CE060030)"), linked: true,
                    at: now)
            } else {
                state = .checking(deadline: limit, nextRead: nil)
                actions.append(.readServices(attempt))
            }
        case .settingUp:
            fail(LinkFailure(.stalled, "set-up timed out"), linked: true, at: now)
        case .streaming:
            if !hasReceivedStatus { prefersSignals.toggle() }
            actions.append(.close(attempt, .silent))
            fail(LinkFailure(.silent, "connected, but no values arrived"), linked: true, at: now)
        case .disconnecting(_, let ready):
            forget()
            rest(until: max(ready, now), at: now)
        }
    }
}
