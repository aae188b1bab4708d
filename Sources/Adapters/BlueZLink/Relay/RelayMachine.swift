import Relay

/// Decides what a relay has to change at bluetoothd, one step at a time.
///
/// A pure value: it compares what should be with what is, and never with what happened before. A lost signal,
/// a restarted bluetoothd or a returning adapter therefore need no rules of their own.
struct RelayMachine: Sendable {
    /// A change that bluetoothd has to make.
    enum Step: Equatable, Sendable {
        case powerOn
        /// Sets the name that phones read, and refuses to be paired.
        case setIdentity(alias: String)
        case register(RelayTable)
        case unregister
        case advertise
        case stopAdvertising
        /// Ends the link of a phone, by path.
        case disconnect(String)
    }

    /// The monitor to present.
    struct Monitor: Equatable, Sendable {
        let serial: String
        /// As it advertises itself: `PM5 430000001 Row`.
        let advertisedName: String
        let table: RelayTable

        /// The name without the machine, which a PM5 gives to connected centrals.
        var alias: String { "PM5 \(serial)" }
    }

    /// The adapter, by path; nil while it is missing or bluetoothd is.
    private(set) var adapter: String?
    private var isPowered = false
    /// Connected phones by path, the longest connected one first.
    private(set) var phones: [String] = []
    /// nil while the monitor has no open link.
    var monitor: Monitor? {
        didSet { if let monitor { expected = monitor } }
    }
    /// The monitor of the last link, which will come back. Its services are registered meanwhile, which takes
    /// seconds on a slow machine, so that only the advertisement has to wait for the link.
    private var expected: Monitor?
    /// Whether the relay is switched on.
    var isEnabled = true

    // What bluetoothd has.
    private var alias: String?
    private(set) var registered: RelayTable?
    private(set) var isAdvertising = false
    /// A phone has connected since: the controller stopped the advertisement, and may not resume it.
    private var isAdvertisementUsed = false

    /// The phone that is served.
    var phone: String? { registered != nil && monitor != nil ? phones.first : nil }

    /// Applies the current state of bluetoothd's objects.
    ///
    /// - Parameters:
    ///   - adapter: nil if it is missing, which ends registrations.
    ///   - phones: paths of its connected devices.
    mutating func update(adapter: String?, isPowered: Bool, phones connected: Set<String>) {
        if self.adapter != adapter { forgetService() }
        // bluetoothd stops advertising when the power goes.
        if !isPowered { isAdvertising = false }
        self.adapter = adapter
        self.isPowered = isPowered
        phones.removeAll { !connected.contains($0) }
        if phones.count < connected.count { isAdvertisementUsed = true }
        phones += connected.filter { !phones.contains($0) }.sorted()
    }

    /// bluetoothd has no memory of us: it was restarted, or the adapter was pulled.
    mutating func forgetService() {
        adapter = nil
        isPowered = false
        phones = []
        alias = nil
        registered = nil
        isAdvertising = false
    }

    /// The relay presents another monitor from now on.
    mutating func forgetMonitor() {
        monitor = nil
        expected = nil
    }

    /// bluetoothd ended the advertisement.
    mutating func noteRelease() { isAdvertising = false }

    /// The next step; nil if everything is as it should be, or cannot be changed now.
    var next: Step? {
        guard adapter != nil else { return nil }
        guard isEnabled, let expected else { return retreat }
        return monitor == nil ? preparation(of: expected) : presentation(of: expected)
    }

    /// The next step while the link of the monitor is not open: hides it, and registers its services.
    private func preparation(of expected: Monitor) -> Step? {
        retreat ?? (isPowered ? registration(of: expected) : nil)
    }

    /// The next step while the link of the monitor is open: shows it until a phone is connected.
    private func presentation(of monitor: Monitor) -> Step? {
        guard isPowered else { return .powerOn }
        if let step = registration(of: monitor) { return step }
        // A PM5 serves one phone, and cannot be seen meanwhile.
        if phones.count > 1 { return .disconnect(phones[1]) }
        if isAdvertising { return phones.isEmpty && !isAdvertisementUsed ? nil : .stopAdvertising }
        return phones.isEmpty ? .advertise : nil
    }

    /// The next step until name and services are those of the monitor.
    private func registration(of monitor: Monitor) -> Step? {
        if alias != monitor.alias { return retreat ?? .setIdentity(alias: monitor.alias) }
        guard registered != monitor.table else { return nil }
        // A phone that is connected while the table changes would use handles of the old one.
        return retreat ?? (registered == nil ? .register(monitor.table) : .unregister)
    }

    /// Without a monitor a phone would show a dead erg.
    private var retreat: Step? {
        if isAdvertising { return .stopAdvertising }
        return phones.first.map { .disconnect($0) }
    }

    /// Records a step that is sent to bluetoothd. A phone may connect before the answer is here.
    mutating func noteBegun(_ step: Step) {
        if step == .advertise { isAdvertisementUsed = false }
    }

    /// Records a step that bluetoothd has carried out.
    mutating func noteDone(_ step: Step) {
        switch step {
        case .powerOn, .disconnect: break
        case .setIdentity(let alias): self.alias = alias
        case .register(let table): registered = table
        case .unregister: registered = nil
        case .advertise: isAdvertising = true
        case .stopAdvertising: isAdvertising = false
        }
    }
}
