import BlueZLink
import MQTTPublishing
import Rowing

extension Health {
    /// What the retained `health` says of a moment.
    init(_ snapshot: GatewaySnapshot) {
        let assessment = HealthAssessment(snapshot)
        self.init(status: assessment.status, reasons: assessment.reasons)
        let adapters = snapshot.room.adapters
        adaptersUp = adapters.count { $0.isPowered }
        slotsUsed = adapters.reduce(0) { $0 + $1.linksUsed }
        let limits = adapters.compactMap(\.linkLimit)
        slotsTotal = limits.count == adapters.count ? limits.reduce(0, +) : nil
        ergsOnline = snapshot.stations.count { $0.openSince != nil }
        ergsConfigured = snapshot.ergsConfigured
        isBrokerConnected = snapshot.publisher.isConnected
        backlogMessages = snapshot.journal.backlog
        backlogAgeSeconds = snapshot.journal.oldestUnpublishedAge.map { Int($0.components.seconds) }
        rejectedTotal = snapshot.publisher.rejected
        unsubscribedTotal = snapshot.publisher.unsubscribed
        commandsRejectedTotal = snapshot.commandsRejected + snapshot.publisher.incomingDropped
        ringUsedPermille = Int((snapshot.journal.usedFraction * 1000).rounded())
        ringDroppedTotal = snapshot.journal.droppedTotal
        diskFreeBytes = snapshot.host.diskFreeBytes
        cpuTemperatureDecidegrees = snapshot.host.processorDecidegrees
        isUndervoltage = snapshot.host.isUndervoltage
        notificationsPerTenSeconds = snapshot.stations.reduce(0) { $0 + $1.valuesPerTenSeconds }
        publishLatency = snapshot.publisher.latency
        eventLastSequence = snapshot.journal.eventLastSequence
    }
}
