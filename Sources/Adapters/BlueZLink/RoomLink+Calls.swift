import PM5Codec
import Rowing
import SDBus
import Timeline

/// Executes the machine's actions as calls to bluetoothd, and returns the results to the machine.
///
/// Changes `lines`: the stream of a link and what is known of its monitor.
extension RoomLink {
    /// A stop may take 2.6 s in all. bluetoothd needs 1.9 to 2.3 s for a Disconnect, and executes
    /// it even if the caller has left, so a late answer is not awaited.
    private var farewellTimeout: Duration {
        guard let stopBegun else { return .seconds(15) }
        return max(
            .milliseconds(200), .milliseconds(2200) - stopBegun.duration(to: clock.now()))
    }

    func powerUp(_ adapter: AdapterObject) {
        log.debug("switching \(adapter.name) on")
        Task {
            let verdict = await setPower(true, of: adapter)
            take(.powerUpAnswered(adapter: adapter.address, verdict))
        }
    }

    func powerDown(_ adapter: AdapterObject, _ reason: RoomMachine.PowerCycleReason) {
        words.notePowerCycle(of: adapter.name, reason)
        Task { _ = await setPower(false, of: adapter) }
    }

    private func setPower(_ isOn: Bool, of adapter: AdapterObject) async -> CallVerdict {
        guard let client else { return .declined }
        let begun = clock.now()
        do throws(BusError) {
            try await client.setPower(isOn, of: adapter.path)
            return .done
        } catch {
            log.debug("switching \(adapter.name) \(isOn ? "on" : "off"): \(error)")
            return CallVerdict(error, took: begun.duration(to: clock.now()))
        }
    }

    func restartService(for adapter: String) {
        guard let client else { return }
        words.noteServiceRestart()
        Task {
            var isGranted = true
            do throws(BusError) {
                try await client.restartService()
            } catch {
                isGranted = false
                log.warning(
                    "bluetooth.service was not restarted (\(error.message)); remedy: "
                        + (error.isDenied ? Self.polkitRemedy : "systemctl status bluetooth"),
                    event: .adapterHangs)
            }
            take(.restartAnswered(adapter: adapter, isGranted: isGranted))
        }
    }

    private static let polkitRemedy =
        "install /usr/share/doc/rowgate/examples/50-rowgate.rules as it says, "
        + "or: systemctl restart bluetooth"

    func startScan(_ adapter: AdapterObject, asked: BootInstant) {
        guard let client else { return }
        let begun = clock.now()
        Task {
            var verdict = CallVerdict.done
            do throws(BusError) {
                try await client.startScan(adapter.path)
            } catch {
                verdict = CallVerdict(error, took: begun.duration(to: clock.now()))
                // "In progress" means our own scan.
                if verdict == .declined, error.isInProgress { verdict = .done }
                if verdict != .done { log.debug("\(adapter.name) does not scan: \(error)") }
            }
            take(
                .scanAnswered(adapter: adapter.address, isStart: true, asked: asked, verdict))
        }
    }

    func stopScan(_ adapter: AdapterObject, asked: BootInstant) -> Task<Void, Never> {
        let timeout = farewellTimeout
        let begun = clock.now()
        return Task {
            var verdict = CallVerdict.done
            do throws(BusError) {
                try await client?.stopScan(adapter.path, timeout: timeout)
            } catch {
                verdict = CallVerdict(stoppingScan: error, took: begun.duration(to: clock.now()))
                log.debug("\(adapter.name) did not stop scanning: \(error)")
            }
            take(
                .scanAnswered(adapter: adapter.address, isStart: false, asked: asked, verdict))
        }
    }

    func connect(_ attempt: LinkAttempt) {
        guard let client else { return }
        let begun = clock.now()
        Task {
            var failure: LinkFailure?
            do throws(BusError) {
                try await client.connect(attempt.path, timeout: LinkMachine.Limit.connect)
            } catch  where error.isAlreadyConnected {
                // Equivalent to a connection that we made.
            } catch {
                failure = LinkFailure(
                    connecting: error, took: begun.duration(to: clock.now()))
            }
            if let failure {
                log.debug(failure.detail ?? failure.words, [("monitor", attempt.serial)])
            }
            take(.link(attempt, .connectAnswered(failure)))
        }
    }

    func disconnect(_ attempt: LinkAttempt) -> Task<Void, Never> {
        let timeout = farewellTimeout
        return Task {
            do throws(BusError) {
                try await client?.disconnect(attempt.path, timeout: timeout)
            } catch {
                log.debug("disconnect: \(error)", [("monitor", attempt.serial)])
            }
        }
    }

    func remove(_ attempt: LinkAttempt) {
        guard let client else { return }
        let line = lines[attempt.serial]
        words.noteRemoval(of: line?.seat.name, attempt.serial, firmware: line?.firmware)
        Task {
            do throws(BusError) {
                try await client.remove(
                    attempt.path, from: RoomMachine.adapterPath(of: attempt))
            } catch {
                log.debug("remove: \(error)", [("monitor", attempt.serial)])
            }
        }
    }

    /// ServicesResolved may arrive before the objects (bluez#1489), so all objects are read again.
    func readServices(_ attempt: LinkAttempt) {
        guard let client else { return }
        Task {
            do throws(BusError) {
                try await client.managedObjects { @Sendable [weak self] objects in
                    self?.assumeIsolated { $0.servicesRead(objects, for: attempt) }
                }
            } catch {
                log.debug("objects: \(error)", [("monitor", attempt.serial)])
                take(.link(attempt, .servicesRead(complete: false)))
            }
        }
    }

    private func servicesRead(_ objects: BusObjectTree, for attempt: LinkAttempt) {
        take(.serviceFound(objects))
        let found = machine.tree.characteristics(of: attempt.path)
        let complete = found[.generalStatus] != nil
        take(.link(attempt, .servicesRead(complete: complete)))
    }

    // MARK: - Streams

    func newStream(for attempt: LinkAttempt, to seat: StationSeat) -> NotificationStream {
        NotificationStream(seat: seat, clock: clock, waitingOn: sockets) { @Sendable [weak self] in
            self?.later { $0.take(.link(attempt, .streamEnded)) }
        }
    }

    func open(_ attempt: LinkAttempt) {
        let serial = attempt.serial
        guard var line = lines[serial], let preparation = preparation(of: attempt),
            let stream = preparation.takeStream()
        else { return }
        stream.open(preparation.identity, through: MonitorLink(attempt: attempt, room: self))
        line.preparation = nil
        line.stream = stream
        line.streamAttempt = attempt
        line.signalled = preparation.signalled
        let before = line.firmware
        line.firmware = preparation.identity.firmwareRevision
        lines[serial] = line
        if let before, let after = line.firmware, before != after {
            words.about(line.seat.name, serial).notice(
                "the firmware of PM5 \(serial) was \(before) and is \(after)",
                [("monitor", serial)])
        }
    }

    func close(_ attempt: LinkAttempt, _ reason: LinkClosure) {
        guard let line = lines[attempt.serial], line.streamAttempt == attempt else { return }
        line.stream?.close(reason)
        lines[attempt.serial]?.stream = nil
        lines[attempt.serial]?.streamAttempt = nil
        lines[attempt.serial]?.signalled = [:]
    }

    /// Handles a value of a characteristic that was subscribed with StartNotify.
    func takeSignalledValue(_ value: [UInt8]?, from path: String) {
        guard let value, let device = BlueZName.device(ofCharacteristic: path),
            let serial = machine.tree.devices[device]?.serial, let line = lines[serial]
        else { return }
        if let id = line.signalled[path] {
            line.stream?.deliver(id, value)
        } else {
            line.preparation?.take(value, from: path)
        }
    }
}
