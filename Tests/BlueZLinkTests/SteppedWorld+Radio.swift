import SDBus
import Timeline

@testable import BlueZLink

/// The behaviour of BlueZ and the radios in the stepped world.
extension SteppedWorld {
    mutating func execute(_ action: RoomMachine.Action) {
        switch action {
        case .startScan(let adapter, let requestedAt) where adapters[adapter.path]?.isFrozen == true:
            answerFrozenScan(adapter, starts: true, requestedAt: requestedAt)
        case .stopScan(let adapter, let requestedAt) where adapters[adapter.path]?.isFrozen == true:
            answerFrozenScan(adapter, starts: false, requestedAt: requestedAt)
        case .startScan(let adapter, let requestedAt):
            if adapters[adapter.path]?.pending != nil {
                violations.append("scan during a connect on \(adapter.name)")
            }
            scans += 1
            let isAllowed =
                isPowered(adapter.path) && adapters[adapter.path]?.hasLeftoverScan == false
            adapters[adapter.path]?.isScanning = isAllowed
            showScan(of: adapter.path)
            schedule(
                .send(
                    .scanAnswered(
                        adapter: adapter.address, isStart: true, requestedAt: requestedAt,
                        isAllowed ? .done : .declined)),
                .milliseconds(50))
            guard isAllowed else { break }
            schedule(.reportMonitors(adapter: adapter.path), .milliseconds(350))
        case .stopScan(let adapter, let requestedAt):
            adapters[adapter.path]?.isScanning = false
            showScan(of: adapter.path)
            schedule(
                .send(
                    .scanAnswered(adapter: adapter.address, isStart: false, requestedAt: requestedAt, .done)),
                .milliseconds(30))
        case .link(let action): execute(action)
        case .publish(let serial, let status): statuses[serial] = status
        case .powerUp(let adapter) where adapters[adapter.path]?.isFrozen == true:
            schedule(
                .send(.powerUpAnswered(adapter: adapter.address, .stalled)), .milliseconds(2100))
        case .powerUp(let adapter):
            schedule(.power(path: adapter.path, isOn: true), .milliseconds(200))
        case .powerDown(let adapter, _):
            steps.append("power \(adapter.name) down")
            if adapters[adapter.path]?.recoveryTrigger == .powerCycle {
                adapters[adapter.path]?.isFrozen = false
            }
            adapters[adapter.path]?.isGoingDown = true
            cancelConnect(on: adapter.path)
            schedule(.power(path: adapter.path, isOn: false), .milliseconds(200))
        case .restartService(let adapter):
            steps.append("restart")
            send(.restartAnswered(adapter: adapter, isGranted: mayRestartService))
            if mayRestartService { schedule(.restart, .milliseconds(500)) }
        case .claim: break
        case .abandonClaim(let serial): steps.append("\(serial) abandoned")
        case .noteRelease(let serial, let release):
            steps.append("\(serial) \(release == nil ? "back" : "lent")")
        case .noteSleep(let serial, let idle):
            steps.append("\(serial) \(idle == nil ? "awake" : "asleep")")
        }
    }

    /// A scan that was on when the radio froze goes on for bluetoothd, and cannot be stopped; any
    /// other cannot be started.
    private mutating func answerFrozenScan(
        _ adapter: AdapterObject, starts: Bool, requestedAt: BootInstant
    ) {
        guard let state = adapters[adapter.path], state.failsLate else { return }
        let isFine = starts && state.isScanning
        schedule(
            .send(
                .scanAnswered(
                    adapter: adapter.address, isStart: starts, requestedAt: requestedAt,
                    isFine ? .done : .stalled)),
            starts && !isFine ? .seconds(4) : .milliseconds(20))
    }

    private mutating func setPower(_ isOn: Bool, of path: String) {
        guard adapters[path] != nil else { return }
        cancelConnect(on: path)
        adapters[path]?.isGoingDown = false
        adapters[path]?.isScanning = false
        if !isOn { adapters[path]?.endForeignScan() }
        showScan(of: path)
        for serial in monitors.keys.sorted() where monitors[serial]?.link == path {
            unlink(serial)
        }
        for (serial, monitor) in monitors where monitor.forgottenLink == path { release(serial) }
        change(path, ["Powered": .boolean(isOn)], of: BlueZName.adapter)
    }

    private mutating func cancelConnect(on path: String) {
        guard let attempt = adapters[path]?.pending else { return }
        adapters[path]?.pending = nil
        let failure = LinkFailure(.adapterNotReady, "le-connection-abort-by-local")
        schedule(.send(.link(attempt, .connectAnswered(failure))), .milliseconds(20))
    }

    private mutating func execute(_ action: LinkMachine.Action) {
        if let path = subject(of: action), adapters[path]?.isFrozen == true {
            return executeOnFrozenRadio(action, on: path)
        }
        switch action {
        case .connect(let attempt): beginConnect(attempt)
        case .disconnect(let attempt): disconnect(attempt)
        case .remove(let attempt):
            unlink(attempt.serial)
            objects[attempt.path] = nil
            send(.removed(path: attempt.path, interfaces: [BlueZName.device]))
        case .readServices(let attempt): schedule(.readServices(attempt), .milliseconds(20))
        case .setUp(let attempt): schedule(.send(.link(attempt, .setUpEnded(nil))), .milliseconds(500))
        case .open(let attempt):
            monitors[attempt.serial]?.isStreaming = true
            monitors[attempt.serial]?.openings += 1
            onLink?(attempt.serial, true, now)
        case .close(let attempt, let reason):
            monitors[attempt.serial]?.isStreaming = false
            monitors[attempt.serial]?.closures.append(reason)
            onLink?(attempt.serial, false, now)
        }
    }

    /// Of a frozen radio's links and connects bluetoothd answers only that a connect was given up.
    private mutating func executeOnFrozenRadio(_ action: LinkMachine.Action, on path: String) {
        guard adapters[path]?.failsLate == true else { return }
        switch action {
        case .connect(let attempt): adapters[path]?.pending = attempt
        case .disconnect(let attempt) where adapters[path]?.pending == attempt:
            adapters[path]?.pending = nil
            let failure = LinkFailure(.connectRefused, "br-connection-canceled")
            schedule(.send(.link(attempt, .connectAnswered(failure))), .milliseconds(10))
        default: break
        }
    }

    /// The adapter that a radio operation needs.
    private func subject(of action: LinkMachine.Action) -> String? {
        switch action {
        case .connect(let attempt), .disconnect(let attempt), .remove(let attempt),
            .setUp(let attempt):
            RoomMachine.adapterPath(of: attempt)
        case .readServices, .open, .close: nil
        }
    }

    private mutating func beginConnect(_ attempt: LinkAttempt) {
        let path = RoomMachine.adapterPath(of: attempt)
        guard let adapter = adapters[path], let monitor = monitors[attempt.serial] else { return }
        connects += 1
        // bluetoothd refuses this itself, without the radio.
        guard isPowered(path) else {
            let failure = LinkFailure(.adapterNotReady, "Resource Not Ready")
            return schedule(.send(.link(attempt, .connectAnswered(failure))), .milliseconds(20))
        }
        if adapter.pending != nil { violations.append("two connects on \(path)") }
        if adapter.isScanning { violations.append("connect during a scan on \(path)") }
        if monitor.foreignConnects > 0 {
            monitors[attempt.serial]?.foreignConnects -= 1
            let failure = LinkFailure(.busy, "In Progress")
            return schedule(.send(.link(attempt, .connectAnswered(failure))), .milliseconds(20))
        }
        if monitor.hasStaleConnect {
            let failure = LinkFailure(.busy, "In Progress")
            return schedule(.send(.link(attempt, .connectAnswered(failure))), .milliseconds(20))
        }
        adapters[path]?.pending = attempt
        let isFull = isFull(path)
        if !isReachable(attempt.serial) {
            schedule(.unreachable(attempt), .seconds(40))
        } else if isFull, adapter.fullness != .refused {
            let isReported = adapter.fullness == .reported
            schedule(isReported ? .full(attempt) : .forgotten(attempt), .milliseconds(300))
        } else if isFull || monitor.aborts > 0 {
            if monitor.aborts > 0 { monitors[attempt.serial]?.aborts -= 1 }
            schedule(.unreachable(attempt), .milliseconds(600))
        } else {
            let isSlow = adapters[path]?.hasForeignScan == true
            schedule(.connect(attempt), isSlow ? .milliseconds(8600) : .milliseconds(400))
        }
    }

    private func isPowered(_ path: String) -> Bool {
        objects[path]?[BlueZName.adapter]?["Powered"] == .boolean(true)
            && adapters[path]?.isGoingDown == false
    }

    private func isFull(_ path: String) -> Bool {
        monitors.values.count { $0.link == path } >= adapters[path]?.slots ?? 0
    }

    private func isLinked(_ attempt: LinkAttempt) -> Bool {
        monitors[attempt.serial]?.link == RoomMachine.adapterPath(of: attempt)
    }

    private func isFrozen(_ attempt: LinkAttempt) -> Bool {
        adapters[RoomMachine.adapterPath(of: attempt)]?.isFrozen == true
    }

    /// Whether a monitor advertises: on, and not connected.
    private func isReachable(_ serial: String) -> Bool {
        monitors[serial]?.isOn == true && sharedMonitors.holders[serial] == nil
    }

    mutating func release(_ serial: String) {
        monitors[serial]?.link = nil
        monitors[serial]?.forgottenLink = nil
        if sharedMonitors.holders[serial] == number { sharedMonitors.holders[serial] = nil }
    }

    /// A link that a killed client left behind.
    mutating func leaveLink(of serial: String, on path: String) {
        let device = path + "/dev_\(serial)"
        objects[device] = [
            BlueZName.device: [
                "Adapter": .objectPath(path), "Name": .string("PM5 \(serial) Row"),
                "Connected": .boolean(true), "ServicesResolved": .boolean(true),
            ]
        ]
        monitors[serial]?.link = path
        sharedMonitors.holders[serial] = number
    }

    /// A program that scans all the time, or left its scan behind; in a wedged bluetoothd it may not
    /// let others scan.
    mutating func beginForeignScan(_ path: String, blocksOtherScans: Bool = false) {
        adapters[path]?.hasForeignScan = true
        adapters[path]?.hasLeftoverScan = blocksOtherScans
        if blocksOtherScans { adapters[path]?.isScanning = false }
        change(path, ["Discovering": .boolean(true)], of: BlueZName.adapter)
    }

    private mutating func showScan(of path: String) {
        guard let adapter = adapters[path] else { return }
        let isDiscovering = adapter.isScanning || adapter.hasForeignScan
        schedule(
            .set(
                path: path, interface: BlueZName.adapter,
                ["Discovering": .boolean(isDiscovering)]), .zero)
    }

    /// A connect that waits for a monitor gets it when it is switched on.
    private mutating func change(_ serial: String, isOn: Bool) {
        monitors[serial]?.isOn = isOn
        for (_, adapter) in adapters.sorted(by: { $0.key < $1.key }) {
            guard isOn, let attempt = adapter.pending, attempt.serial == serial else { continue }
            schedule(.connect(attempt), .milliseconds(300))
        }
    }

    /// BlueZ forgets a device that is not connected.
    mutating func forget(_ serial: String) {
        for path in objects.keys.sorted() where path.hasSuffix("/dev_\(serial)") {
            guard monitors[serial]?.link == nil else { continue }
            objects[path] = nil
            for adapter in adapters.keys.sorted() where adapters[adapter]?.pending?.path == path {
                adapters[adapter]?.pending = nil
            }
            send(.removed(path: path, interfaces: [BlueZName.device]))
        }
    }

    private mutating func disconnect(_ attempt: LinkAttempt) {
        let path = RoomMachine.adapterPath(of: attempt)
        monitors[attempt.serial]?.hasStaleConnect = false
        if adapters[path]?.pending == attempt {
            // The controller had it already; the kernel forgets it (Linux 6.12).
            if isAnswered(attempt, within: .milliseconds(20)) {
                monitors[attempt.serial]?.forgottenLink = path
                sharedMonitors.holders[attempt.serial] = number
            }
            schedule(.unreachable(attempt), .milliseconds(10))
        } else if monitors[attempt.serial]?.link == path {
            schedule(.unlink(serial: attempt.serial), .seconds(2))
        }
    }

    mutating func perform(_ event: ScheduledEvent) {
        switch event {
        case .send(let event): send(event)
        case .set(let path, let interface, let properties):
            change(path, properties, of: interface)
        case .power(let path, let isOn): setPower(isOn, of: path)
        case .restart: restartService()
        case .reportMonitors(let adapter): reportMonitors(adapter)
        // If the controller does not answer, bluetoothd does not either.
        case .connect(let attempt), .unreachable(let attempt), .full(let attempt),
            .forgotten(let attempt):
            if isFrozen(attempt) { return }
            switch event {
            case .connect: connect(attempt)
            case .full: refuseForFullness(attempt)
            case .forgotten: forget(attempt.serial)
            default: failConnect(attempt)
            }
        case .resolve(let attempt):
            guard isLinked(attempt) else { return }
            change(attempt.path, ["ServicesResolved": .boolean(true)])
        case .show(let attempt):
            guard isLinked(attempt) else { return }
            change(attempt.path, ["Connected": .boolean(true)])
        case .unlink(let serial): unlink(serial)
        case .change(let serial, let isOn): change(serial, isOn: isOn)
        case .readServices(let attempt):
            send(.serviceFound(objects))
            send(.link(attempt, .servicesRead(complete: true)))
        }
    }

    private mutating func reportMonitors(_ path: String) {
        guard let adapter = adapters[path], adapter.isScanning, !adapter.isFrozen else { return }
        for (serial, monitor) in monitors.sorted(by: { $0.key < $1.key })
        where isReachable(serial) {
            let device = path + "/dev_\(serial)"
            if objects[device] == nil {
                let interfaces: BusInterfaces = [
                    BlueZName.device: [
                        "Adapter": .objectPath(path), "Name": .string("PM5 \(serial) Row"),
                        "Address": .string("F4:30:00:00:00:0\(serial.suffix(1))"),
                        "Connected": .boolean(false), "ServicesResolved": .boolean(false),
                        "RSSI": .int16(Int16(monitor.rssi)),
                    ]
                ]
                objects[device] = interfaces
                send(.added(path: device, interfaces))
            } else {
                send(
                    .changed(
                        path: device, interface: BlueZName.device,
                        ["RSSI": .int16(Int16(monitor.rssi))], invalidated: []))
            }
        }
        schedule(.reportMonitors(adapter: path), .seconds(1))
    }

    private mutating func connect(_ attempt: LinkAttempt) {
        let path = RoomMachine.adapterPath(of: attempt)
        guard adapters[path]?.pending == attempt else { return }
        guard isReachable(attempt.serial) else {
            return schedule(.unreachable(attempt), .seconds(40))
        }
        guard !isFull(path) else { return failConnect(attempt) }
        adapters[path]?.pending = nil
        monitors[attempt.serial]?.link = path
        sharedMonitors.holders[attempt.serial] = number
        if hasKernel {
            send(.kernelLinks(kernelLinks))
            schedule(.show(attempt), .milliseconds(200))
        } else {
            change(attempt.path, ["Connected": .boolean(true)])
        }
        send(.link(attempt, .connectAnswered(nil)))
        schedule(.resolve(attempt), .milliseconds(800))
    }

    private mutating func failConnect(_ attempt: LinkAttempt) {
        let path = RoomMachine.adapterPath(of: attempt)
        guard adapters[path]?.pending == attempt else { return }
        adapters[path]?.pending = nil
        let kind: LinkFailure.Kind = isReachable(attempt.serial) ? .connectRefused : .unreachable
        send(.link(attempt, .connectAnswered(LinkFailure(kind, "le-connection-abort-by-local"))))
    }

    /// By adapter address.
    private var kernelLinks: [String: Int] {
        Dictionary(
            uniqueKeysWithValues: adapters.map { path, adapter in
                (adapter.address, monitors.values.count { $0.link == path })
            })
    }

    private mutating func refuseForFullness(_ attempt: LinkAttempt) {
        adapters[RoomMachine.adapterPath(of: attempt)]?.pending = nil
        let failure = LinkFailure(.noSlot, "le-connection-concurrent-connection-limit")
        send(.link(attempt, .connectAnswered(failure)))
    }

    mutating func unlink(_ serial: String) {
        guard let path = monitors[serial]?.link else { return }
        release(serial)
        change(
            path + "/dev_\(serial)",
            ["Connected": .boolean(false), "ServicesResolved": .boolean(false)])
    }

    private mutating func change(
        _ path: String, _ properties: BusProperties, of interface: String = BlueZName.device
    ) {
        guard objects[path] != nil else { return }
        objects[path]?[interface]?.merge(properties) { $1 }
        send(.changed(path: path, interface: interface, properties, invalidated: []))
    }
}
