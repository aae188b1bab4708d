import Bytes
import Contract
import LogbookStores
import WebServer

/// The state of gateways and of their record streams. Read only.
extension RecordRequestHandler {
    /// The largest number of missing ranges listed per stream.
    static let missingRanges = 100

    /// Returns every live or stored gateway, in order of id.
    static func gateways(
        _ room: LiveRoom, _ health: LogbookHealth, in store: any LogbookStore
    ) throws(StoreFailure) -> WebAnswer {
        let summaries = try GatewaySummary.all(in: store)
        return gateways(
            room, health, Dictionary(summaries.map { ($0.gateway, $0) }, uniquingKeysWith: { $1 }),
            try store.sharers())
    }

    /// - Parameters:
    ///   - health: the health of the logbook.
    ///   - stored: the stored state of each gateway; nil without a store.
    ///   - sharers: the logbooks that share the store, if several do.
    static func gateways(
        _ room: LiveRoom, _ health: LogbookHealth, _ stored: [GatewayID: GatewaySummary]? = nil,
        _ sharers: [StoreSharer] = []
    ) -> WebAnswer {
        let (live, present, broker) = (room.gateways, room.currentTime, room.broker)
        let all = Set(live.keys).union((stored ?? [:]).keys).sorted()
        let reports = all.map { gateway in
            GatewayReport(
                stored?[gateway] ?? GatewaySummary(gateway), live[gateway] ?? LiveGateway(),
                at: present.now, present.clock, isBrokerConnected: broker.isConnected,
                hasStore: stored != nil)
        }
        return json { json in
            health.writeBroker(into: &json)
            health.writeStore(into: &json)
            json.list("gateways", of: reports) { $1.write(into: &$0) }
            if sharers.isEmpty { return }
            json.list("sharers", of: sharers) { json, sharer in
                sharer.write(into: &json)
                json.field("gateways", all.filter(sharer.shards.contains).map(\.slug))
            }
        }
    }

    static func streams(
        of gateway: GatewayID, after cursor: StreamCursor?, _ limit: Int, in store: any LogbookStore
    ) throws -> WebAnswer {
        let all = try StreamSummary.all(of: gateway, in: store)
        if all.isEmpty { throw unknownGateway(gateway.slug) }
        let last = cursor.map {
            StoredStream(gateway: gateway, epoch: $0.epoch, stream: $0.stream)
        }
        let found = all.filter { summary in last.map { $0 < summary.state.stream } ?? true }
        let page = Page("streams", of: found, limit) {
            StreamCursor($0.state.stream)
        } _: { summary in
            JSONWriter.object { summary.write(into: &$0, mostRanges: missingRanges) }
        }
        return json { page.write(into: &$0) }
    }
}
