import Timeline

/// What one adapter's radio is doing for us, and how many links it can bear.
struct AdapterMachine: Equatable, Sendable {
    /// Our own scan. Whether somebody else scans is BlueZ's `Discovering` beside this.
    enum Scan: Equatable, Sendable {
        /// Not before `restUntil` again.
        case off(restUntil: BootInstant)
        case starting(since: BootInstant)
        case on(since: BootInstant)
        case stopping(since: BootInstant)
    }

    enum Limit {
        /// All eight monitors of a room were heard within 0.5 s of a scan's start; one more try
        /// each costs less than a scan for each.
        static let gathering = Duration.seconds(1)
        /// BlueZ reports a monitor's RSSI anew only in a new scan, so a long one goes blind.
        static let scan = Duration.seconds(10)
        /// Between scans while links of this radio carry data.
        static let restWithLinks = Duration.seconds(5)
        static let restWithoutLinks = Duration.milliseconds(500)
        static let afterRefusal = Duration.seconds(2)
        static let betweenPowerUps = Duration.seconds(5)
        /// bluetoothd powers adapters up by itself, a moment after showing them.
        static let offUntilReported = Duration.seconds(3)
        /// bluetoothd ends the scan of a client that it saw leave within a moment.
        static let strangersScan = Duration.seconds(2)
        /// Starts refused in a row: a program that means its scan leaves room for others' ones.
        static let refusedStarts = 3
        /// What lasts longer is a program that means it.
        static let strangersScanUntilReported = Duration.seconds(30)
        /// A request to scan or to stop that nobody answered is forgotten.
        static let answer = Duration.seconds(10)
    }

    /// BD_ADDR: the name that lasts.
    let address: String
    /// The object at this moment; nil while the adapter is unplugged.
    var object: AdapterObject?
    var scan: Scan
    var slots: AdapterSlots
    var recovery: RecoverySteps
    /// Since when it discovers, and not for us.
    var strangersScanSince: BootInstant?
    /// A request to scan or to stop was never answered: bluetoothd may scan for us all the same.
    private(set) var mayScanUnasked = false
    /// Whether it ever scanned for us, or was cleared of a scan that nobody owns.
    var isKnownToScan = false
    /// Starts in a row that bluetoothd refused beside a scan that is not ours.
    private var refusedStarts = 0
    private(set) var powerCycles = 0
    /// Links that the kernel counts, those of other programs included; nil where it does not say.
    var kernelLinks: Int?
    /// When Powered may be asked for again.
    var nextPowerUp: BootInstant
    /// As last seen: there and powered.
    private var isUp = false
    /// Since when it is there and not powered.
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

    /// How little is to be hoped for from a connect through it: 1 beside another program's scan,
    /// which makes it slow, 2 while it owes an answer.
    var reluctance: Int { recovery.isInDoubt ? 2 : strangersScanSince != nil ? 1 : 0 }

    /// Quiet enough for a connect: scanning meanwhile costs 8 s at best and resets radios at worst.
    var isQuiet: Bool { if case .off = scan { true } else { false } }

    /// Whether the scan, if there is one, has had time to hear everyone.
    func hasGathered(at now: BootInstant) -> Bool {
        switch scan {
        case .off, .stopping: true
        case .starting: false
        case .on(let since): since.duration(to: now) >= Limit.gathering
        }
    }

    mutating func noteRiseOrFall() {
        if isUsable, !isUp { recovery.noteRise() }
        isUp = isUsable
    }

    /// - Parameter asked: since when the scan was starting or stopping. An answer to an earlier
    ///   request, before the adapter was pulled out say, tells nothing of this one.
    mutating func noteScanAnswer(
        isStart: Bool, asked: BootInstant, _ verdict: CallVerdict, hasLinks: Bool,
        at now: BootInstant
    ) {
        guard scan == (isStart ? .starting(since: asked) : .stopping(since: asked)) else { return }
        switch verdict {
        case .done where !isStart: recovery.noteAnswer()
        case .stalled: recovery.noteSilence()
        // A scan that the kernel could not stop goes on for bluetoothd, which then has no need of
        // the radio to start it.
        case .done, .declined: break
        }
        if isStart {
            let isRefused = verdict == .declined && strangersScanSince != nil
            refusedStarts = isRefused ? refusedStarts + 1 : 0
        }
        if verdict == .stalled {
            mayScanUnasked = true
        } else if !isStart || verdict == .done {
            mayScanUnasked = false
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

    /// The adapter was unplugged, switched off, or bluetoothd is gone.
    mutating func forgetScan(at now: BootInstant) {
        scan = .off(restUntil: now)
        mayScanUnasked = false
    }

    /// Nobody answers the request to scan or to stop.
    mutating func giveUpScan(at now: BootInstant) {
        scan = .off(restUntil: now)
        mayScanUnasked = true
        recovery.noteSilence()
    }

    mutating func notePowerCycle() {
        isKnownToScan = true
        refusedStarts = 0
        powerCycles += 1
    }

    /// Looks whether somebody else discovers with it, which does not show while we do.
    mutating func watchStrangers(at now: BootInstant) {
        // What a hung radio could not stop is nobody's scan.
        guard isUsable, !recovery.isInDoubt else {
            strangersScanSince = nil
            return
        }
        guard isQuiet else { return }
        strangersScanSince = object?.isDiscovering == true ? strangersScanSince ?? now : nil
    }

    /// Whether a scan was on before we came, or lets us begin none, as a killed client leaves one in a
    /// wedged bluetoothd (bluez#2547): nobody can end it, and a connect takes 8 s meanwhile.
    var hasLeftoverScan: Bool {
        strangersScanSince != nil && (!isKnownToScan || refusedStarts >= Limit.refusedStarts)
    }

    /// Whether another program scans with it, and goes on doing so.
    func isScannedByStranger(at now: BootInstant) -> Bool {
        strangersScanSince.map { $0.duration(to: now) >= Limit.strangersScanUntilReported } ?? false
    }

    /// When time alone changes something here.
    var deadline: BootInstant? {
        guard let object else { return nil }
        guard object.isPowered else { return nextPowerUp }
        if let since = strangersScanSince, !isKnownToScan {
            return since.advanced(by: Limit.strangersScan)
        }
        return switch scan {
        case .off(let restUntil): restUntil
        case .on(let since): since.advanced(by: Limit.scan)
        case .starting(let since), .stopping(let since): since.advanced(by: Limit.answer)
        }
    }
}
