import HostRuntime
import PM5Codec
import Relay
import SDBus
import Timeline

/// The open link of the monitor that a relay presents.
struct RelayedLink: Sendable {
    let attempt: LinkAttempt
    let station: StationEndpoint
    let stream: NotificationStream
    /// Characteristics that rowgate has subscribed.
    let held: Set<CharacteristicID>
    /// As the monitor advertises itself.
    let advertisedName: String
}

/// A second peripheral with the services of one monitor, on an adapter of its own, for a phone.
///
/// It invents nothing: notifications are copied byte for byte (`RelayTap`), reads and writes go to the monitor,
/// and its answers come back. rowgate and the phone share the monitor's CSAFE channel (`RelayedRequests`) and
/// its sample rate (`SharedSampleRate`). Everything runs on the bus queue; `RelayMachine` decides what changes
/// at bluetoothd.
actor PhoneRelay: QueueActor {
    /// Time limits, in addition to that of a request of the phone (`ControlExchange.replyLimit`).
    private enum Limit {
        /// Pauses after a step that bluetoothd refused.
        static let retryPauses = Duration.milliseconds(500)...Duration.seconds(4)
        /// When a step is repeated whose effect bluetoothd has not reported.
        static let report = Duration.seconds(1)
        /// Of a call that ends the link of a phone.
        static let disconnect = Duration.seconds(10)
    }

    nonisolated let executor: SerialQueueExecutor
    nonisolated let adapter: RelayAdapter
    let log: SystemLog
    let clock: any Clock
    weak var room: RoomLink?
    /// The monitor to relay; nil for none.
    private(set) var serial: String?
    /// Whether a monitor without a fitness machine service gets one.
    private let makesFitnessMachine: Bool
    private(set) var machine = RelayMachine()
    var client: BlueZClient?
    private(set) var objects: RelayObjects
    /// The open link of the monitor.
    private(set) var link: RelayedLink?
    private(set) var tap: RelayTap?
    /// Objects of the monitor's characteristics, by UUID.
    private(set) var monitorPaths: [String: String] = [:]
    private var served: String?
    /// Changes when bluetoothd forgets what it was told, so that late answers do not count.
    private var epoch = 0
    /// The epoch whose steps are being carried out. bluetoothd never answers a call to an adapter that is pulled
    /// out, so nothing waits for the steps of an earlier one.
    private var reconciledEpoch: Int?
    private var retry = ExponentialBackoff(Limit.retryPauses)
    private var problem: String?
    private lazy var timer = makeTimer { $0.retryFired() }
    private var isStopped = false

    // What the phone uses.
    var sampleRate = SharedSampleRate()
    /// Values of constant characteristics, by UUID.
    var constants: [String: [UInt8]] = [:]
    /// Characteristics that the monitor sends only because the phone has subscribed them.
    var onDemand: Set<CharacteristicID> = []
    /// By UUID, for characteristics outside Concept2's range.
    var pumps: [String: RelayPump] = [:]
    /// By UUID, subscriptions of what the relay makes, without the rower data.
    var made: [String: PhoneSocket] = [:]
    /// Writes to 0x0021 that wait for the monitor, by number.
    var writes: [Int: BusInvocation] = [:]
    var writeCount = 0
    var pieces: [(number: Int, value: [UInt8], isLast: Bool)] = []
    var isWriting = false

    init(
        number: Int, _ configuration: RelayConfiguration, executor: SerialQueueExecutor,
        clock: any Clock, log: SystemLog
    ) {
        self.executor = executor
        adapter = configuration.adapter
        serial = configuration.serial
        makesFitnessMachine = configuration.makesFitnessMachine
        self.clock = clock
        self.log = log
        objects = RelayObjects(root: "/org/rowgate/relay\(number)", nil)
    }

    /// Called on the queue, which this relay shares with the room. Swift 6.0 crashes where a closure for an actor
    /// captures another actor's `self`.
    nonisolated func attach(to room: RoomLink) { assumeIsolated { relay in relay.room = room } }

    // MARK: - State of bluetoothd

    /// Applies bluetoothd's objects; `client` is nil without it.
    func update(_ tree: ObjectTree, _ client: BlueZClient?) {
        guard !isStopped else { return }
        if client?.bus !== self.client?.bus || client == nil, self.client != nil { forgetService() }
        self.client = client
        let object = client == nil ? nil : tree.adapters.values.first(where: adapter.matches)
        let phones = object.map { object in
            Set(tree.devices.values.filter { $0.adapter == object.path && $0.isConnected }.map(\.path))
        }
        if machine.adapter != object?.path { epoch += 1 }
        machine.update(
            adapter: object?.path, isPowered: object?.isPowered ?? false, phones: phones ?? [])
        noteServedPhone()
        reconcile()
    }

    private func forgetService() {
        epoch += 1
        machine.forgetService()
        noteServedPhone()
    }

    private func noteServedPhone() {
        guard machine.phone != served else { return }
        if served != nil {
            log.info("the phone at the relay of PM5 \(serial ?? "") disconnected", fields)
            endPhone()
        }
        served = machine.phone
        if served != nil {
            log.info("a phone connected to the relay of PM5 \(serial ?? "")", fields)
        }
    }

    var fields: [(String, String)] { [("monitor", serial ?? ""), ("ADAPTER", adapter.description)] }

    var status: RelayStatus {
        let state: RelayStatus.State
        if serial == nil {
            state = .waitingForMonitor
        } else if machine.adapter == nil {
            state = .adapterMissing
        } else if machine.next == .powerOn {
            state = .adapterOff
        } else if machine.monitor == nil {
            state = .waitingForMonitor
        } else if machine.phone != nil {
            state = .connected
        } else {
            state = machine.isAdvertising ? .advertising : .refused
        }
        return RelayStatus(
            adapter: adapter.description, serial: serial, state: state,
            problem: state == .refused ? problem : nil)
    }

    // MARK: - The monitor

    /// The relay presents another monitor from now on; nil for none. A connected phone is disconnected.
    func present(_ serial: String?) {
        guard serial != self.serial else { return }
        monitorClosed()
        machine.forgetMonitor()
        self.serial = serial
    }

    /// The monitor's link is open.
    func monitorOpened(_ link: RelayedLink) {
        guard !isStopped else { return }
        self.link = link
        sampleRate.reset()
        constants = [:]
        let tap = RelayTap(station: link.station, clock: clock) { [weak self] event in
            self?.later { $0.handle(event, of: link.attempt) }
        }
        self.tap = tap
        link.stream.attach(tap)
        readTable(of: link)
    }

    func monitorClosed() {
        guard let link else { return }
        link.stream.detachTap()
        self.link = nil
        tap = nil
        monitorPaths = [:]
        machine.monitor = nil
        served = nil
        endPhone()
        reconcile()
    }

    private func readTable(of link: RelayedLink) {
        guard let client else { return }
        Task {
            do throws(BusError) {
                try await client.managedObjects { @Sendable [weak self] objects in
                    self?.assumeIsolated { $0.tableRead(objects, of: link) }
                }
            } catch {
                log.debug("relay: \(error)", fields)
                timer.fire(after: retry.next())
            }
        }
    }

    private func tableRead(_ tree: BusObjectTree, of link: RelayedLink) {
        guard self.link?.attempt == link.attempt else { return }
        let (sources, paths) = Self.services(of: link.attempt.path, in: tree)
        let table = RelayTable(sources, makesFitnessMachine: makesFitnessMachine)
        guard table.isUsable else {
            return log.warning("PM5 \(link.attempt.serial) has no rowing service to relay", fields)
        }
        monitorPaths = paths
        constants[FitnessMachineValues.featureUUID] =
            table.makesFitnessMachine ? FitnessMachineValues.feature : nil
        machine.monitor = RelayMachine.Monitor(
            serial: link.attempt.serial, advertisedName: link.advertisedName, table: table)
        reconcile()
    }

    /// The services of a device in the order of their handles, and the paths of its characteristics by UUID.
    static func services(
        of device: String, in tree: BusObjectTree
    ) -> ([RelayTable.Source], paths: [String: String]) {
        var paths: [String: String] = [:]
        let below = tree.filter { $0.key.hasPrefix(device + "/") }.sorted { $0.key < $1.key }
        let sources = below.compactMap { path, interfaces -> RelayTable.Source? in
            guard let uuid = interfaces[BlueZName.service1]?["UUID"]?.string else { return nil }
            let characteristics = below.compactMap { child, interfaces -> (uuid: String, flags: [String])? in
                guard child.hasPrefix(path + "/"),
                    let properties = interfaces[BlueZName.characteristic],
                    let id = properties["UUID"]?.string
                else { return nil }
                paths[id.lowercased()] = child
                return (id.lowercased(), properties["Flags"]?.strings ?? [])
            }
            return RelayTable.Source(uuid: uuid.lowercased(), characteristics: characteristics)
        }
        return (sources, paths)
    }

    // MARK: - Steps

    private func retryFired() {
        if let link, machine.monitor == nil { readTable(of: link) }
        reconcile()
    }

    /// Carries out the machine's steps, one after the other.
    private func reconcile() {
        guard reconciledEpoch != epoch, !isStopped, machine.next != nil, client != nil else { return }
        let begun = epoch
        reconciledEpoch = begun
        Task {
            await runSteps(of: begun)
            if reconciledEpoch == begun { reconciledEpoch = nil }
        }
    }

    private func runSteps(of begun: Int) async {
        while let step = machine.next, let client, let path = machine.adapter, !isStopped {
            machine.noteBegun(step)
            do throws(BusError) {
                try await perform(step, on: path, client)
            } catch {
                guard begun == epoch else { return }
                note(error, in: step)
                return timer.fire(after: retry.next())
            }
            guard begun == epoch else { return }
            machine.noteDone(step)
            noteServedPhone()
            switch step {
            case .disconnect, .powerOn: return timer.fire(after: Limit.report)
            default: break
            }
        }
        retry.reset()
        problem = nil
    }

    private func note(_ error: BusError, in step: RelayMachine.Step) {
        let text = "\(error.name.map { "\($0): " } ?? "")\(error.message)"
        if problem != text {
            log.warning("the relay of PM5 \(serial ?? "") on \(adapter): \(step.text): \(text)", fields)
        }
        problem = text
    }

    private func perform(
        _ step: RelayMachine.Step, on adapter: String, _ client: BlueZClient
    ) async throws(BusError) {
        switch step {
        case .powerOn: try await client.setPower(true, of: adapter)
        case .setIdentity(let alias):
            try await client.set("Alias", to: .string(alias), of: adapter)
            try await client.set("Pairable", to: .boolean(false), of: adapter)
        case .register(let table):
            objects = RelayObjects(root: objects.root, table)
            try await client.registerApplication(objects.root, on: adapter)
        case .unregister: try await client.unregisterApplication(objects.root, on: adapter)
        case .advertise: try await client.registerAdvertisement(objects.advertisementPath, on: adapter)
        case .stopAdvertising:
            try await client.unregisterAdvertisement(objects.advertisementPath, on: adapter)
        case .disconnect(let phone):
            do throws(BusError) {
                try await client.disconnect(phone, timeout: Limit.disconnect)
            } catch  where error.isNotConnected || error.isObjectGone {
                // As it should be.
            }
        }
    }

    // MARK: - Calls of bluetoothd

    /// Handles a call to an object of this relay; false for other paths.
    func handle(_ call: BusInvocation) -> Bool {
        guard call.path == objects.root || call.path.hasPrefix(objects.root + "/") else { return false }
        do throws(BusError) {
            try answer(call)
        } catch {
            log.debug("relay: \(error)", fields)
            refuse(call, .failed(error.message))
        }
        return true
    }

    private func answer(_ call: BusInvocation) throws(BusError) {
        switch (call.interface, call.member) {
        case (BlueZName.objectManager, "GetManagedObjects") where call.path == objects.root:
            let tree = objects.tree
            try call.reply { message throws(BusError) in try message.append(objectTree: tree) }
        case (BlueZName.properties, "GetAll"):
            let properties = properties(at: call.path, of: try call.message.readString())
            try call.reply { message throws(BusError) in try message.append(properties: properties) }
        case (BlueZName.properties, "Get"):
            let interface = try call.message.readString()
            let name = try call.message.readString()
            guard let value = properties(at: call.path, of: interface)[name] else {
                return refuse(call, .failed("no property \(name)"))
            }
            try call.reply { message throws(BusError) in try message.append(variant: value) }
        case (BlueZName.advertisement, "Release"):
            machine.noteRelease()
            try call.reply()
            reconcile()
        case (BlueZName.characteristic, _):
            guard let characteristic = objects.characteristics[call.path] else {
                return refuse(call, .failed("no such characteristic"))
            }
            try handle(call, of: characteristic)
        default: refuse(call, .notSupported)
        }
    }

    private func properties(at path: String, of interface: String) -> BusProperties {
        if path == objects.advertisementPath, interface == BlueZName.advertisement {
            return machine.monitor.map(RelayObjects.advertisement) ?? [:]
        }
        return objects.tree[path]?[interface] ?? [:]
    }

    // MARK: - Stop

    /// Disconnects the phone; bluetoothd ends the rest when the bus closes.
    func stop(timeout: Duration) async {
        isStopped = true
        timer.cancel()
        endPhone()
        guard let client else { return }
        for phone in machine.phones {
            try? await client.disconnect(phone, timeout: timeout)
        }
    }
}

extension RelayMachine.Step {
    /// For a log line.
    fileprivate var text: String {
        switch self {
        case .powerOn: "switching the adapter on"
        case .setIdentity: "setting its name"
        case .register: "registering the services"
        case .unregister: "removing the services"
        case .advertise: "advertising"
        case .stopAdvertising: "ending the advertisement"
        case .disconnect: "disconnecting a phone"
        }
    }
}
