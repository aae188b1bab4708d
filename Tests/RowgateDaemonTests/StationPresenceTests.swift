import HostRuntime
import MQTTPublishing
import Rowing
import Synchronization
import TestSupport
import Testing

@testable import RowgateDaemon

/// What a station tells of its link, when it has none.
struct StationPresenceTests {
    /// Goal: a release and a missing slot reach the retained state once each, and so does the end
    /// of it. Method: link statuses as the room link sends them, and the news that come of it.
    @Test func presenceIsToldOnceForEachChange() async throws {
        let told = Mutex<[StationReport.Presence]>([])
        let outlet = StationOutlet(
            record: { news in
                told.withLock { $0 += news.events.map { _ in news.presence } }
                return true
            },
            live: { _, _ in }, retain: { _, _ in })
        let pipeline = StationPipeline(
            station: try #require(StationID("erg-1")),
            gateway: try #require(GatewayID("boathouse")), resuming: nil, keepsRaw: false,
            outlet: outlet, log: JournalLog(subsystem: "test", threshold: .error))
        let loan = Loan(cause: .request, until: nil)
        let phases: [LinkPhase] = [
            .searching, .connecting, .released(loan), .released(loan), .searching,
            .parked(reason: "hci0 holds 7 of 7 links"), .waiting, .streaming,
        ]
        for phase in phases {
            pipeline.executor.queue.async { @Sendable in
                pipeline.linkDidUpdate(LinkStatus(phase: phase))
            }
        }
        #expect(await pipeline.snapshot().link.phase == .streaming)
        #expect(
            told.withLock { $0 } == [
                .released, .linked, .parked(reason: "hci0 holds 7 of 7 links"), .linked,
            ])
    }
}
