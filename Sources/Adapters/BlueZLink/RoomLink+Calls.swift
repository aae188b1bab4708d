import PM5Codec
import Rowing
import SDBus
import Timeline

/// Executes the machine's actions as calls to bluetoothd, and returns the results to the machine.
extension RoomLink {
    /// A stop may take 2.6 s in all. bluetoothd needs 1.9 to 2.3 s for a Disconnect, and executes
    /// it even if the caller has disconnected, so a late answer is not awaited.
    private var shutdownTimeout: Duration {
        guard let stopBegun else { return .seconds(15) }
        return max(
            .milliseconds(200), .milliseconds(2200) - stopBegun.duration(to: clock.now()))
    }

    func powerUp(_ adapter: AdapterObject) {
        log.debug("switching \(adapter.name) on")
        Task {
            let verdict = await setPower(true, of: adapter)
            process(.powerUpAnswered(adapter: adapter.address, verdict))
        }
    }

    func powerDown(_ adapter: AdapterObject, _ reason: RoomMachine.PowerCycleReason) {
        logger.logPowerCycle(of: adapter.name, reason)
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
        logger.logServiceRestart()
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
            process(.restartAnswered(adapter: adapter, isGranted: isGranted))
        }
    }

    private static let polkitRemedy =
        "install /usr/share/doc/rowgate/examples/50-rowgate.rules as it says, "
        + "or: systemctl restart bluetooth"

    func startScan(_ adapter: AdapterObject, requestedAt: BootInstant) {
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
                if verdict != .done { log.debug("\(adapter.name) did not start scanning: \(error)") }
            }
            process(
                .scanAnswered(adapter: adapter.address, isStart: true, requestedAt: requestedAt, verdict))
        }
    }

    func stopScan(_ adapter: AdapterObject, requestedAt: BootInstant) -> Task<Void, Never> {
        let timeout = shutdownTimeout
        let begun = clock.now()
        return Task {
            var verdict = CallVerdict.done
            do throws(BusError) {
                try await client?.stopScan(adapter.path, timeout: timeout)
            } catch {
                verdict = CallVerdict(stoppingScan: error, took: begun.duration(to: clock.now()))
                log.debug("\(adapter.name) did not stop scanning: \(error)")
            }
            process(
                .scanAnswered(adapter: adapter.address, isStart: false, requestedAt: requestedAt, verdict))
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
                log.debug(failure.detail ?? failure.message, [("monitor", attempt.serial)])
            }
            process(.link(attempt, .connectAnswered(failure)))
        }
    }

    func disconnect(_ attempt: LinkAttempt) -> Task<Void, Never> {
        let timeout = shutdownTimeout
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
        let serial = attempt.serial
        logger.logRemoval(of: name(serial), serial, firmware: connections.firmware(of: serial))
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
                process(.link(attempt, .servicesRead(complete: false)))
            }
        }
    }

    private func servicesRead(_ objects: BusObjectTree, for attempt: LinkAttempt) {
        process(.serviceFound(objects))
        let found = machine.tree.characteristics(of: attempt.path)
        let complete = found[.generalStatus] != nil
        process(.link(attempt, .servicesRead(complete: complete)))
    }

    // MARK: - Streams

    func newStream(for attempt: LinkAttempt, to station: StationEndpoint) -> NotificationStream {
        NotificationStream(station: station, clock: clock, waitingOn: sockets) { @Sendable [weak self] in
            self?.later { $0.process(.link(attempt, .streamEnded)) }
        }
    }

    func open(_ attempt: LinkAttempt) {
        let serial = attempt.serial
        let before = connections.firmware(of: serial)
        connections.open(attempt, through: MonitorLink(attempt: attempt, room: self))
        relay(attempt, holding: connections.held(by: serial))
        if let before, let after = connections.firmware(of: serial), before != after {
            logger.scopedLog(name(serial), serial).notice(
                "firmware of PM5 \(serial) changed from \(before) to \(after)",
                [("monitor", serial)])
        }
    }

    func close(_ attempt: LinkAttempt, _ reason: LinkClosure) {
        endRelay(of: attempt)
        connections.close(attempt, reason)
    }

    /// Handles a value of a characteristic that was subscribed with StartNotify.
    func handleSignalledValue(_ value: [UInt8]?, from path: String) {
        guard let value, let device = BlueZName.device(ofCharacteristic: path),
            let serial = machine.tree.devices[device]?.serial
        else { return }
        connections.deliver(value, from: path, of: serial)
    }
}
