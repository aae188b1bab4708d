import BlueZLink
import Contract
import Rowing
import Timeline

extension Health {
    /// Creates the retained `health` of a snapshot.
    init(_ snapshot: GatewaySnapshot) {
        self.init(HealthAssessment(snapshot).problems)
        let adapters = snapshot.room.adapters
        adaptersUp = snapshot.adaptersUp
        slotsUsed = adapters.reduce(0) { $0 + $1.linksUsed }
        let limits = adapters.compactMap(\.linkLimit)
        slotsTotal = limits.count == adapters.count ? limits.reduce(0, +) : nil
        ergsOnline = snapshot.stations.count { $0.openSince != nil }
        ergsAsleep = snapshot.ergsAsleep
        ergsConfigured = snapshot.ergsConfigured
        isBrokerConnected = snapshot.publisher.isConnected
        brokerCertificateEnd = snapshot.publisher.certificates.broker
        ownCertificateEnd = snapshot.publisher.certificates.own
        backlogMessages = snapshot.recorder.backlog
        backlogAgeSeconds = snapshot.recorder.oldestUnpublishedAge.map {
            Int($0.components.seconds)
        }
        rejectedTotal = snapshot.publisher.rejected
        unsubscribedTotal = snapshot.publisher.unsubscribed
        tooLongTotal = snapshot.publisher.tooLong > 0 ? snapshot.publisher.tooLong : nil
        skippedTopics = snapshot.publisher.parked.map(\.topic)
        commandsRejectedTotal = snapshot.commandsRejected + snapshot.publisher.incomingDropped
        ringUsedPermille = Int((snapshot.recorder.usedFraction * 1000).rounded())
        ringReachSeconds = snapshot.recorder.reach.map { Int($0.components.seconds) }
        ringDroppedTotal = snapshot.recorder.droppedTotal
        diskBehindSeconds = Int(snapshot.recorder.diskDelay?.components.seconds ?? 0)
        worstCommit = snapshot.recorder.worstCommit
        loadStep = snapshot.load.shedding.level.rawValue
        queueDelay = snapshot.load.measurements.queueDelay
        processorPercent = snapshot.load.measurements.processorPercent
        diskFreeBytes = snapshot.host.diskFreeBytes
        cpuTemperatureDecidegrees = snapshot.host.processorDecidegrees
        isUndervoltage = snapshot.host.isUndervoltage
        notificationRate = snapshot.stations.reduce(.zero) { $0 + $1.valueRate }
        publishLatency = snapshot.publisher.latency
        lastSequencesOfGateway = snapshot.recorder.lastSequencesOfGateway
        ergs = snapshot.stations.map { ErgHealth($0, at: snapshot.at) }
        self.adapters = adapters.map(AdapterHealth.init)
    }
}

extension ErgHealth {
    fileprivate init(_ station: StationSnapshot, at now: BootInstant) {
        self.init(erg: station.station.slug, reconnects: station.link.reconnects)
        rssiDBm = station.link.rssi
        batteryPercent = station.batteryPercent
        guard let open = station.openSince else { return }
        linkAgeSeconds = Int(open.duration(to: now).wholeMilliseconds / 1000)
        notificationRate = station.valueRate
        silenceDeciseconds = Int(station.silence(at: now, since: open).wholeMilliseconds / 100)
    }
}

extension AdapterHealth {
    fileprivate init(_ adapter: RoomSnapshot.Adapter) {
        self.init(
            address: adapter.address, links: adapter.linksUsed, powerCycles: adapter.powerCycles)
        linkLimit = adapter.linkLimit
        guard let kernel = adapter.kernel else { return }
        bytesReceived = Int(kernel.bytesReceived)
        bytesSent = Int(kernel.bytesSent)
        errors = kernel.errors
    }
}
