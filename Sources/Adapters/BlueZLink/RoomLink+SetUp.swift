import PM5Codec
import Rowing
import SDBus

/// From a resolved link to one that may be opened: who is it, what does it send, how often.
///
/// Changes `preparation` in `lines`.
extension RoomLink {
    func setUp(_ attempt: LinkAttempt) async {
        var failure: LinkFailure?
        do throws(LinkFailure) {
            try await prepare(attempt)
        } catch {
            failure = error
            if preparation(of: attempt) != nil {
                lines[attempt.serial]?.preparation = nil
            }
        }
        if let failure { log.debug(failure.words, [("monitor", attempt.serial)]) }
        take(.link(attempt, .setUpEnded(failure)))
    }

    /// The set-up of this very attempt, while it is under way; nil when a later one took its place.
    func preparation(of attempt: LinkAttempt) -> LinkPreparation? {
        guard let preparation = lines[attempt.serial]?.preparation, preparation.attempt == attempt
        else { return nil }
        return preparation
    }

    private func prepare(_ attempt: LinkAttempt) async throws(LinkFailure) {
        guard let client, let seat = lines[attempt.serial]?.seat else {
            throw LinkFailure(.serviceLost, "no bus")
        }
        let preparation = LinkPreparation(
            attempt: attempt,
            identity: MonitorIdentity(
                serial: attempt.serial,
                address: machine.tree.devices[attempt.path]?.address ?? "",
                adapter: BlueZName.lastComponent(of: RoomMachine.adapterPath(of: attempt))),
            stream: newStream(for: attempt, to: seat))
        lines[attempt.serial]?.preparation = preparation
        try await identify(preparation, client)
        try await probe(preparation, client)
        try await subscribe(preparation, client)
        try await setSampleRate(preparation, client)
    }

    /// Stops work for an attempt that ended meanwhile.
    private func ensureCurrent(_ attempt: LinkAttempt) throws(LinkFailure) {
        guard machine.monitors[attempt.serial]?.attempt == attempt else {
            throw LinkFailure(.dropped, "the attempt ended")
        }
    }

    // MARK: - Who

    /// Reads the device information; texts that the firmware lacks or refuses stay unknown.
    private func identify(
        _ preparation: LinkPreparation, _ client: BlueZClient
    ) async throws(LinkFailure) {
        let attempt = preparation.attempt
        if let serial = try await text(.serialNumber, attempt, client), serial != attempt.serial {
            throw LinkFailure(.wrongMonitor, "advertised \(attempt.serial), answered \(serial)")
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
            // The serial number is there on every firmware: not to be had means a stale cache.
            guard failure.kind == .setUpRefused, id != .serialNumber else { throw failure }
            return nil
        }
    }

    // MARK: - Which way

    /// Finds out, once for each monitor, whether it notifies before it confirms a subscription.
    ///
    /// Until bluetoothd has the confirmation it drops what is for AcquireNotify's socket, and
    /// signals what is for StartNotify (bluez 5.82, src/gatt-client.c; bleak#1885). The bus keeps
    /// order, so a value that is signalled before StartNotify is answered came too early. The
    /// status tells, before anything is subscribed that comes only once.
    private func probe(
        _ preparation: LinkPreparation, _ client: BlueZClient
    ) async throws(LinkFailure) {
        let attempt = preparation.attempt
        try ensureCurrent(attempt)
        guard let machine = machine.monitors[attempt.serial], !machine.isProbed,
            let subject = vital(of: attempt)
        else { return }
        preparation.probed = subject.path
        var refusal: BusError?
        do throws(BusError) {
            // Values behind the reply are taken before the call returns.
            try await client.startNotify(subject) { @Sendable [weak self] in
                self?.assumeIsolated { $0.preparation(of: attempt)?.probed = nil }
            }
            try await client.stopNotify(subject)
        } catch { refusal = error }
        // Not by `defer`: the compiler of Swift 6.0.3 crashes at one that captures `preparation`.
        preparation.probed = nil
        if let refusal {
            let failure = LinkFailure(settingUp: refusal)
            // Whoever refuses this will say so again when it matters.
            guard failure.kind == .setUpRefused || failure.kind == .busy else { throw failure }
            return log.debug("probe: \(refusal)", [("monitor", attempt.serial)])
        }
        let isEarly = preparation.hasProbedEarly
        if isEarly {
            log.debug(
                "PM5 \(attempt.serial): sends values before it confirms a subscription; "
                    + "they are taken as D-Bus signals", [("monitor", attempt.serial)])
        }
        take(.link(attempt, .subscriptionProbed(isEarly: isEarly)))
    }

    /// The characteristic without which a link is no use.
    private func vital(of attempt: LinkAttempt) -> CharacteristicObject? {
        let present = machine.tree.characteristics(of: attempt.path)
        let wanted = SubscriptionOrder.wanted(carrier(of: attempt), of: present)
        return present[SubscriptionOrder.vital(wanted)].flatMap { $0.notifies ? $0 : nil }
    }

    private func carrier(of attempt: LinkAttempt) -> NotificationCarrier {
        configuration.carriers[attempt.serial] ?? configuration.carrier
    }

    // MARK: - What

    /// Subscribes one after the other, as ATT does; looks again after each, because
    /// characteristics may be exported while this runs.
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
            let isVital = next == SubscriptionOrder.vital(wanted)
            try await subscribe(characteristic, preparation, isVital: isVital, client)
        }
        let present = preparation.identity.notifying
        if let missing = SubscriptionOrder.missing(of: wanted, in: present) {
            let line = lines[attempt.serial]
            guard line?.firmware != preparation.identity.firmwareRevision || line?.firmware == nil
            else { return }
            words.about(line?.seat.name, attempt.serial).info(
                "the firmware of PM5 \(attempt.serial) does not send \(missing)",
                [("monitor", attempt.serial)])
        }
    }

    /// By socket; by signals where that is refused, or where sockets are known to lose values.
    private func subscribe(
        _ characteristic: CharacteristicObject, _ preparation: LinkPreparation, isVital: Bool,
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
            guard isRefusal, !isVital else { throw failure }
            let serial = preparation.attempt.serial
            words.about(name(serial), serial).info(
                "PM5 \(serial) refuses to send \(id): \(error.message)", [("monitor", serial)])
        }
    }

    /// nil where BlueZ hands out no socket and StartNotify may do.
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

    // MARK: - How often

    /// A monitor that refuses keeps its own rate, which is no reason to do without it.
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
            words.about(name(attempt.serial), attempt.serial).info(
                "PM5 \(attempt.serial) refused the sample rate, and keeps its own: \(error.message)",
                [("monitor", attempt.serial)])
        }
    }
}
