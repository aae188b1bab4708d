import Timeline

/// The state of one adapter's radio: scan, links, and recovery.
struct AdapterMachine: Equatable, Sendable {
    /// Our own scan. BlueZ's `Discovering` also covers scans of other programs.
    enum Scan: Equatable, Sendable {
        /// No scan starts before `restUntil`.
        case off(restUntil: BootInstant)
        case starting(since: BootInstant)
        case on(since: BootInstant)
        case stopping(since: BootInstant)
    }

    enum Limit {
        /// A scan finds all eight monitors of a room within 0.5 s. One further attempt costs less
        /// than a scan per monitor.
        static let gathering = Duration.seconds(1)
        /// BlueZ reports a monitor's RSSI again only in a new scan, so a longer scan has no
        /// benefit.
        static let scan = Duration.seconds(10)
        /// Pause between scans while links of this radio carry data.
        static let restWithLinks = Duration.seconds(5)
        static let restWithoutLinks = Duration.milliseconds(500)
        static let afterRefusal = Duration.seconds(2)
        static let betweenPowerUps = Duration.seconds(5)
        /// bluetoothd powers adapters up itself, a moment after it shows them.
        static let offUntilReported = Duration.seconds(3)
        /// bluetoothd ends the scan of a client that has disconnected within this time.
        static let foreignScan = Duration.seconds(2)
        /// After this many refused starts in a row, the scan of another program is treated as left over.
        static let refusedStarts = 3
        /// A scan of another program that lasts longer is reported.
        static let foreignScanUntilReported = Duration.seconds(30)
        /// After this time an unanswered request to scan or to stop is forgotten.
        static let answer = Duration.seconds(10)
    }

    /// BD_ADDR, the stable name of the adapter.
    let address: String
    /// The current D-Bus object; nil while the adapter is unplugged.
    var object: AdapterObject?
    var scan: Scan
    var slots: AdapterSlots
    var recovery: RecoverySteps
    /// When it began to discover for another program.
    var foreignScanSince: BootInstant?
    /// A request to scan or to stop was never answered: bluetoothd may still scan for us.
    private(set) var mayStillScan = false
    /// Whether it ever scanned for us, or a leftover scan was cleared.
    var isKnownToScan = false
    /// Starts in a row that bluetoothd refused because of another program's scan.
    private var refusedStarts = 0
    private(set) var powerCycles = 0
    /// Number of links that the kernel reports, including those of other programs; nil if unknown.
    var kernelLinks: Int?
    /// The earliest time to request Powered again.
    var nextPowerUp: BootInstant
    /// Whether it was present and powered at the last check.
    private var isUp = false
    /// Since when it is present and not powered.
    var offSince: BootInstant?

    init(
        address: String, configuredSlots: Int?, mayRestartService: Bool, at now: BootInstant
    ) {
        self.address = address
        recovery = RecoverySteps(mayRestartService: mayRestartService)
        scan = .off(restUntil: now)
        slots = AdapterSlots(configured: configuredSlots)
        nextPowerUp = now
    }

    var isUsable: Bool { object?.isPowered ?? false }

    /// Adapters with a lower penalty are preferred for connects: 1 while another program scans, which makes
    /// connects slow; 2 while an answer is missing.
    var connectPenalty: Int { recovery.hasUnansweredCall ? 2 : foreignScanSince != nil ? 1 : 0 }

    /// Whether a connect may start: during a scan it takes at least 8 s and can reset the radio.
    var isQuiet: Bool { if case .off = scan { true } else { false } }

    /// Whether the scan, if any, has lasted long enough to find every monitor.
    func hasGathered(at now: BootInstant) -> Bool {
        switch scan {
        case .off, .stopping: true
        case .starting: false
        case .on(let since): since.duration(to: now) >= Limit.gathering
        }
    }

    mutating func updatePowerState() {
        if isUsable, !isUp { recovery.notePowerOn() }
        isUp = isUsable
    }

    /// - Parameter asked: when the scan began to start or stop. The answer to an earlier request, for
    ///   example before the adapter was unplugged, does not count for this one.
    mutating func noteScanAnswer(
        isStart: Bool, requestedAt: BootInstant, _ verdict: CallVerdict, hasLinks: Bool,
        at now: BootInstant
    ) {
        guard scan == (isStart ? .starting(since: requestedAt) : .stopping(since: requestedAt))
        else { return }
        switch verdict {
        case .done where !isStart: recovery.noteAnswer()
        case .stalled: recovery.noteTimeout()
        // If the kernel could not stop a scan, it continues in bluetoothd, which then needs no
        // answer of the radio to start it.
        case .done, .declined: break
        }
        if isStart {
            let isRefused = verdict == .declined && foreignScanSince != nil
            refusedStarts = isRefused ? refusedStarts + 1 : 0
        }
        if verdict == .stalled {
            mayStillScan = true
        } else if !isStart || verdict == .done {
            mayStillScan = false
        }
        if isStart, verdict == .done {
            scan = .on(since: now)
        } else if isStart {
            scan = .off(restUntil: now.advanced(by: Limit.afterRefusal))
        } else {
            let rest = hasLinks ? Limit.restWithLinks : Limit.restWithoutLinks
            scan = .off(restUntil: now.advanced(by: rest))
        }
    }

    /// Resets the scan: the adapter was unplugged or switched off, or bluetoothd is gone.
    mutating func forgetScan(at now: BootInstant) {
        scan = .off(restUntil: now)
        mayStillScan = false
    }

    /// Handles a request to scan or to stop that was not answered.
    mutating func giveUpScan(at now: BootInstant) {
        scan = .off(restUntil: now)
        mayStillScan = true
        recovery.noteTimeout()
    }

    mutating func notePowerCycle() {
        isKnownToScan = true
        refusedStarts = 0
        powerCycles += 1
    }

    /// Checks whether another program scans with the adapter, which is not visible while we scan.
    mutating func trackForeignScan(at now: BootInstant) {
        // A scan that a hung radio could not stop belongs to no program.
        guard isUsable, !recovery.hasUnansweredCall else {
            foreignScanSince = nil
            return
        }
        guard isQuiet else { return }
        foreignScanSince = object?.isDiscovering == true ? foreignScanSince ?? now : nil
    }

    /// Whether a scan was active before we started, or prevents ours, as a killed client leaves one
    /// in a wedged bluetoothd (bluez#2547). No call can end it, and connects take 8 s meanwhile.
    var hasLeftoverScan: Bool {
        foreignScanSince != nil && (!isKnownToScan || refusedStarts >= Limit.refusedStarts)
    }

    /// Whether another program has been scanning with it for long.
    func hasLongForeignScan(at now: BootInstant) -> Bool {
        foreignScanSince.map { $0.duration(to: now) >= Limit.foreignScanUntilReported } ?? false
    }

    /// The next time at which the state changes without an event.
    var deadline: BootInstant? {
        guard let object else { return nil }
        guard object.isPowered else { return nextPowerUp }
        if let since = foreignScanSince, !isKnownToScan {
            return since.advanced(by: Limit.foreignScan)
        }
        return switch scan {
        case .off(let restUntil): restUntil
        case .on(let since): since.advanced(by: Limit.scan)
        case .starting(let since), .stopping(let since): since.advanced(by: Limit.answer)
        }
    }
}
