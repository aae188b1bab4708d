import Rowing
import SDBus

@testable import BlueZLink

/// What BlueZ and the radios do in the stepped world.
extension SteppedWorld {
    mutating func carryOut(_ action: RoomMachine.Action) {
        switch action {
        case .startScan(let adapter) where adapters[adapter.path]?.isFrozen == true: break
        case .stopScan(let adapter) where adapters[adapter.path]?.isFrozen == true: break
        case .startScan(let adapter):
            if adapters[adapter.path]?.pending != nil {
                violations.append("scan during a connect on \(adapter.name)")
            }
            adapters[adapter.path]?.isScanning = true
            scans += 1
            showScan(of: adapter.path)
            plan(
                .tell(.scanAnswered(adapter: adapter.address, started: true, refused: false)),
                .milliseconds(50))
            plan(.hear(adapter: adapter.path), .milliseconds(350))
        case .stopScan(let adapter):
            adapters[adapter.path]?.isScanning = false
            showScan(of: adapter.path)
            plan(
                .tell(.scanAnswered(adapter: adapter.address, started: false, refused: false)),
                .milliseconds(30))
        case .link(let action): carryOut(action)
        case .publish(let serial, let status): statuses[serial] = status
        case .powerUp(let adapter): setPower(true, of: adapter.path)
        case .powerDown(let adapter, _):
            steps.append("power \(adapter.name) down")
            if adapters[adapter.path]?.isBroken == false {
                adapters[adapter.path]?.isFrozen = false
            }
            setPower(false, of: adapter.path)
        case .restartService: steps.append("restart")
        case .claim: break
        case .abandonClaim(let serial): steps.append("\(serial) abandoned")
        case .noteLoan(let serial, let loan):
            steps.append("\(serial) \(loan == nil ? "back" : "lent")")
        }
    }

    private mutating func setPower(_ isOn: Bool, of path: String) {
        guard adapters[path] != nil else { return }
        adapters[path]?.pending = nil
        adapters[path]?.isScanning = false
        if !isOn { adapters[path]?.hasStrangersScan = false }
        showScan(of: path)
        for (serial, monitor) in monitors where monitor.link == path { unlink(serial) }
        objects[path]?[BlueZName.adapter]?["Powered"] = .boolean(isOn)
        plan(
            .tell(
                .changed(
                    path: path, interface: BlueZName.adapter, ["Powered": .boolean(isOn)],
                    invalidated: [])), .milliseconds(200))
    }

    private mutating func carryOut(_ action: LinkMachine.Action) {
        if let path = subject(of: action), adapters[path]?.isFrozen == true { return }
        switch action {
        case .connect(let attempt): beginConnect(attempt)
        case .disconnect(let attempt): disconnect(attempt)
        case .remove(let attempt):
            unlink(attempt.serial)
            objects[attempt.path] = nil
            tell(.removed(path: attempt.path, interfaces: [BlueZName.device]))
        case .readServices(let attempt): plan(.readServices(attempt), .milliseconds(20))
        case .setUp(let attempt): plan(.tell(.link(attempt, .setUpEnded(nil))), .milliseconds(500))
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
        if adapter.pending != nil { violations.append("two connects on \(path)") }
        if adapter.isScanning { violations.append("connect during a scan on \(path)") }
        connects += 1
        if monitor.foreignConnects > 0 {
            monitors[attempt.serial]?.foreignConnects -= 1
            let failure = LinkFailure(.busy, "In Progress")
            return plan(.tell(.link(attempt, .connectAnswered(failure))), .milliseconds(20))
        }
        adapters[path]?.pending = attempt
        let isFull = monitors.values.count { $0.link == path } >= adapter.slots
        if !isThere(attempt.serial) {
            plan(.unreachable(attempt), .seconds(40))
        } else if isFull || monitor.aborts > 0 {
            if monitor.aborts > 0 { monitors[attempt.serial]?.aborts -= 1 }
            plan(.unreachable(attempt), .milliseconds(600))
        } else {
            let isSlow = adapters[path]?.hasStrangersScan == true
            plan(.connect(attempt), isSlow ? .milliseconds(8600) : .milliseconds(400))
        }
    }

    /// Whether a monitor can be heard: on, and held by nobody.
    private func isThere(_ serial: String) -> Bool {
        monitors[serial]?.isOn == true && air.holders[serial] == nil
    }

    mutating func letGo(_ serial: String) {
        monitors[serial]?.link = nil
        if air.holders[serial] == number { air.holders[serial] = nil }
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
        air.holders[serial] = number
    }

    /// A program that scans all the time, or left its scan behind.
    mutating func beginStrangersScan(_ path: String) {
        adapters[path]?.hasStrangersScan = true
        showScan(of: path)
    }

    private mutating func showScan(of path: String) {
        guard let adapter = adapters[path] else { return }
        let properties: BusProperties = [
            "Discovering": .boolean(adapter.isScanning || adapter.hasStrangersScan)
        ]
        objects[path]?[BlueZName.adapter]?.merge(properties) { $1 }
        plan(
            .tell(
                .changed(
                    path: path, interface: BlueZName.adapter, properties, invalidated: [])),
            .zero)
    }

    /// A connect that waits for a monitor gets it when it is switched on.
    private mutating func change(_ serial: String, isOn: Bool) {
        monitors[serial]?.isOn = isOn
        for adapter in adapters.values {
            guard isOn, let attempt = adapter.pending, attempt.serial == serial else { continue }
            plan(.connect(attempt), .milliseconds(300))
        }
    }

    /// BlueZ forgets a device that is not connected.
    mutating func forget(_ serial: String) {
        for path in objects.keys where path.hasSuffix("/dev_\(serial)") {
            guard monitors[serial]?.link == nil else { continue }
            objects[path] = nil
            for adapter in adapters.keys where adapters[adapter]?.pending?.path == path {
                adapters[adapter]?.pending = nil
            }
            tell(.removed(path: path, interfaces: [BlueZName.device]))
        }
    }

    private mutating func disconnect(_ attempt: LinkAttempt) {
        let path = RoomMachine.adapterPath(of: attempt)
        if adapters[path]?.pending == attempt {
            plan(.unreachable(attempt), .milliseconds(10))
        } else if monitors[attempt.serial]?.link == path {
            plan(.unlink(serial: attempt.serial), .seconds(2))
        }
    }

    mutating func happen(_ happening: Happening) {
        switch happening {
        case .tell(let event): tell(event)
        case .hear(let adapter): hear(adapter)
        case .connect(let attempt): connect(attempt)
        case .unreachable(let attempt): failConnect(attempt)
        case .unlink(let serial): unlink(serial)
        case .change(let serial, let isOn): change(serial, isOn: isOn)
        case .readServices(let attempt):
            tell(.serviceFound(objects))
            tell(.link(attempt, .servicesRead(complete: true)))
        }
    }

    private mutating func hear(_ path: String) {
        guard let adapter = adapters[path], adapter.isScanning else { return }
        for (serial, monitor) in monitors.sorted(by: { $0.key < $1.key })
        where isThere(serial) {
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
                tell(.added(path: device, interfaces))
            } else {
                tell(
                    .changed(
                        path: device, interface: BlueZName.device,
                        ["RSSI": .int16(Int16(monitor.rssi))], invalidated: []))
            }
        }
        plan(.hear(adapter: path), .seconds(1))
    }

    private mutating func connect(_ attempt: LinkAttempt) {
        let path = RoomMachine.adapterPath(of: attempt)
        guard adapters[path]?.pending == attempt else { return }
        guard isThere(attempt.serial) else {
            return plan(.unreachable(attempt), .seconds(40))
        }
        adapters[path]?.pending = nil
        monitors[attempt.serial]?.link = path
        air.holders[attempt.serial] = number
        change(attempt.path, ["Connected": .boolean(true)])
        tell(.link(attempt, .connectAnswered(nil)))
        let resolved: RoomMachine.Event = .changed(
            path: attempt.path, interface: BlueZName.device, ["ServicesResolved": .boolean(true)],
            invalidated: [])
        objects[attempt.path]?[BlueZName.device]?["ServicesResolved"] = .boolean(true)
        plan(.tell(resolved), .milliseconds(800))
    }

    private mutating func failConnect(_ attempt: LinkAttempt) {
        let path = RoomMachine.adapterPath(of: attempt)
        guard adapters[path]?.pending == attempt else { return }
        adapters[path]?.pending = nil
        let kind: LinkFailure.Kind = isThere(attempt.serial) ? .refused : .unreachable
        tell(.link(attempt, .connectAnswered(LinkFailure(kind, "le-connection-abort-by-local"))))
    }

    mutating func unlink(_ serial: String) {
        guard let path = monitors[serial]?.link else { return }
        letGo(serial)
        change(
            path + "/dev_\(serial)",
            ["Connected": .boolean(false), "ServicesResolved": .boolean(false)])
    }

    private mutating func change(_ path: String, _ properties: BusProperties) {
        objects[path]?[BlueZName.device]?.merge(properties) { $1 }
        tell(
            .changed(
                path: path, interface: BlueZName.device, properties, invalidated: []))
    }
}
