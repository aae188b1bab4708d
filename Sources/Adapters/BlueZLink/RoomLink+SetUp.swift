import PM5Codec
import Rowing
import SDBus

/// Prepares a resolved link: reads the monitor's identity, subscribes, sets the sample rate.
extension RoomLink {
    func setUp(_ attempt: LinkAttempt) async {
        var failure: LinkFailure?
        do throws(LinkFailure) {
            try await prepare(attempt)
        } catch {
            failure = error
            connections.endPreparation(of: attempt)
        }
        if let failure { log.debug(failure.message, [("monitor", attempt.serial)]) }
        process(.link(attempt, .setUpEnded(failure)))
    }

    private func prepare(_ attempt: LinkAttempt) async throws(LinkFailure) {
        guard let client, let station = connections.station(of: attempt.serial) else {
            throw LinkFailure(.serviceLost, "no bus")
        }
        let preparation = LinkPreparation(
            attempt: attempt,
            identity: MonitorIdentity(
                serial: attempt.serial,
                address: machine.tree.devices[attempt.path]?.address ?? "",
                adapter: BlueZName.lastComponent(of: RoomMachine.adapterPath(of: attempt))),
            stream: newStream(for: attempt, to: station))
        connections.begin(preparation)
        try await identify(preparation, client)
        try await probe(preparation, client)
        try await subscribe(preparation, client)
        try await setSampleRate(preparation, client)
    }

    /// Throws if the attempt ended meanwhile.
    private func ensureCurrent(_ attempt: LinkAttempt) throws(LinkFailure) {
        guard machine.monitors[attempt.serial]?.attempt == attempt else {
            throw LinkFailure(.dropped, "the attempt ended")
        }
    }

    // MARK: - Identity

    /// Reads the device information; texts that the firmware lacks or refuses stay unknown.
    private func identify(
        _ preparation: LinkPreparation, _ client: BlueZClient
    ) async throws(LinkFailure) {
        let attempt = preparation.attempt
        if let serial = try await text(.serialNumber, attempt, client), serial != attempt.serial {
            throw LinkFailure(
                .wrongMonitor, "advertised as \(attempt.serial), but its serial number is \(serial)")
        }
        preparation.identity.model = try await text(.modelNumber, attempt, client)
        preparation.identity.hardwareRevision = try await text(.hardwareRevision, attempt, client)
        preparation.identity.firmwareRevision = try await text(.firmwareRevision, attempt, client)
        preparation.identity.manufacturer = try await text(.manufacturerName, attempt, client)
        preparation.identity.machineType = try await value(.ergMachineType, attempt, client)?
            .first.map(ErgMachineType.init(rawValue:))
    }

    private func text(
        _ id: CharacteristicID, _ attempt: LinkAttempt, _ client: BlueZClient
    ) async throws(LinkFailure) -> String? {
        try await value(id, attempt, client).map(DeviceInformation.text)
    }

    private func value(
        _ id: CharacteristicID, _ attempt: LinkAttempt, _ client: BlueZClient
    ) async throws(LinkFailure) -> [UInt8]? {
        try ensureCurrent(attempt)
        guard let source = machine.tree.characteristics(of: attempt.path)[id], source.isReadable
        else { return nil }
        do throws(BusError) {
            return try await client.read(source)
        } catch {
            let failure = LinkFailure(settingUp: error)
            // Every firmware has the serial number: if it cannot be read, the cache is stale.
            guard failure.kind == .setUpRefused, id != .serialNumber else { throw failure }
            return nil
        }
    }

    // MARK: - Method of subscription

    /// Finds out once per monitor whether it notifies before it confirms a subscription.
    ///
    /// Until bluetoothd has the confirmation, it drops values for AcquireNotify's socket and
    /// signals values for StartNotify (bluez 5.82, src/gatt-client.c; bleak#1885). The bus
    /// preserves order, so a value that is signalled before StartNotify is answered came too early.
    /// The probe uses the status, before any characteristic is subscribed whose values come only
    /// once.
    private func probe(
        _ preparation: LinkPreparation, _ client: BlueZClient
    ) async throws(LinkFailure) {
        let attempt = preparation.attempt
        try ensureCurrent(attempt)
        guard let machine = machine.monitors[attempt.serial], !machine.isProbed,
            let subject = essential(of: attempt)
        else { return }
        preparation.probed = subject.path
        var refusal: BusError?
        do throws(BusError) {
            // Values behind the reply are handled before the call returns.
            try await client.startNotify(subject) { @Sendable [weak self] in
                self?.assumeIsolated { $0.connections.preparation(of: attempt)?.probed = nil }
            }
            try await client.stopNotify(subject)
        } catch { refusal = error }
        // Not in a `defer`: the compiler of Swift 6.0.3 crashes if it captures `preparation`.
        preparation.probed = nil
        if let refusal {
            let failure = LinkFailure(settingUp: refusal)
            // If the characteristic is refused here, it will be refused again when it matters.
            guard failure.kind == .setUpRefused || failure.kind == .busy else { throw failure }
            return log.debug("probe: \(refusal)", [("monitor", attempt.serial)])
        }
        let isEarly = preparation.hasProbedEarly
        if isEarly {
            log.debug(
                "PM5 \(attempt.serial): sends values before it confirms a subscription; "
                    + "receiving them as D-Bus signals", [("monitor", attempt.serial)])
        }
        process(.link(attempt, .subscriptionProbed(isEarly: isEarly)))
    }

    /// The characteristic that a link cannot do without.
    private func essential(of attempt: LinkAttempt) -> CharacteristicObject? {
        let present = machine.tree.characteristics(of: attempt.path)
        let wanted = SubscriptionOrder.wanted(carrier(of: attempt), of: present)
        return present[SubscriptionOrder.essential(wanted)].flatMap { $0.notifies ? $0 : nil }
    }

    private func carrier(of attempt: LinkAttempt) -> NotificationCarrier {
        configuration.carriers[attempt.serial] ?? configuration.carrier
    }

    // MARK: - Subscriptions

    /// Subscribes one after the other, as ATT requires. Looks again after each, because more
    /// characteristics may be exported meanwhile.
    private func subscribe(
        _ preparation: LinkPreparation, _ client: BlueZClient
    ) async throws(LinkFailure) {
        let attempt = preparation.attempt
        let carrier = carrier(of: attempt)
        var tried: Set<CharacteristicID> = []
        var wanted: [CharacteristicID] = []
        while true {
            try ensureCurrent(attempt)
            let present = machine.tree.characteristics(of: attempt.path)
            wanted = SubscriptionOrder.wanted(carrier, of: present)
            let next = wanted.first { !tried.contains($0) && present[$0]?.notifies == true }
            guard let next, let characteristic = present[next] else { break }
            tried.insert(next)
            let isEssential = next == SubscriptionOrder.essential(wanted)
            try await subscribe(characteristic, preparation, isEssential: isEssential, client)
        }
        let present = preparation.identity.notifying
        if let missing = SubscriptionOrder.missing(of: wanted, in: present) {
            let firmware = connections.firmware(of: attempt.serial)
            guard firmware != preparation.identity.firmwareRevision || firmware == nil else { return }
            logger.scopedLog(name(attempt.serial), attempt.serial).info(
                "the firmware of PM5 \(attempt.serial) does not send \(missing)",
                [("monitor", attempt.serial)])
        }
    }

    /// Subscribes by socket; by signals if sockets are refused or known to lose values.
    private func subscribe(
        _ characteristic: CharacteristicObject, _ preparation: LinkPreparation, isEssential: Bool,
        _ client: BlueZClient
    ) async throws(LinkFailure) {
        let id = characteristic.id
        let bySignal = machine.monitors[preparation.attempt.serial]?.prefersSignals ?? false
        do throws(BusError) {
            if !bySignal, let socket = try await socket(of: characteristic, client) {
                preparation.listen(to: id, on: socket)
            } else {
                preparation.signalled[characteristic.path] = id
                try await client.startNotify(characteristic)
            }
            preparation.identity.notifying.append(id)
        } catch {
            preparation.signalled[characteristic.path] = nil
            let failure = LinkFailure(settingUp: error)
            let isRefusal = failure.kind == .setUpRefused || failure.kind == .busy
            guard isRefusal, !isEssential else { throw failure }
            let serial = preparation.attempt.serial
            logger.scopedLog(name(serial), serial).info(
                "PM5 \(serial) rejected the subscription to \(id): \(error.message)", [("monitor", serial)])
        }
    }

    /// Returns nil if BlueZ offers no socket and StartNotify may work.
    private func socket(
        of characteristic: CharacteristicObject, _ client: BlueZClient
    ) async throws(BusError) -> LinkDescriptor? {
        do throws(BusError) {
            return try await client.acquireNotify(characteristic)
        } catch {
            let kind = LinkFailure(settingUp: error).kind
            guard kind == .setUpRefused || kind == .busy else { throw error }
            return nil
        }
    }

    // MARK: - Sample rate

    /// If a monitor refuses, it keeps its own rate; the link is still useful.
    private func setSampleRate(
        _ preparation: LinkPreparation, _ client: BlueZClient
    ) async throws(LinkFailure) {
        let attempt = preparation.attempt
        try ensureCurrent(attempt)
        guard let target = machine.tree.characteristics(of: attempt.path)[.sampleRate] else {
            return
        }
        do throws(BusError) {
            try await client.write([configuration.sampleRate.rawValue], to: target)
        } catch {
            let failure = LinkFailure(settingUp: error)
            guard failure.kind == .setUpRefused else { throw failure }
            logger.scopedLog(name(attempt.serial), attempt.serial).info(
                "PM5 \(attempt.serial) rejected the sample rate and keeps its own: \(error.message)",
                [("monitor", attempt.serial)])
        }
    }
}
