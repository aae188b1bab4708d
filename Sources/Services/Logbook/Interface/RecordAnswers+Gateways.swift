import Bytes
import Contract
import LogbookStores
import WebServer

/// What the store has of each gateway, and what it lacks. Changes nothing.
extension RecordAnswers {
    /// Ranges of missing numbers that are listed of a stream.
    static let missingRanges = 100

    /// Every gateway that the room or the store knows, by id.
    static func gateways(
        _ room: LiveRoom, _ health: LogbookHealth, in store: any LogbookStore
    ) throws(StoreFailure) -> WebAnswer {
        let accounts = try GatewayAccount.all(in: store)
        return gateways(
            room, health, Dictionary(accounts.map { ($0.gateway, $0) }, uniquingKeysWith: { $1 }),
            try store.sharers())
    }

    /// - Parameters:
    ///   - health: how the logbook itself is.
    ///   - kept: what the store has of each; nil where no records are kept.
    ///   - sharers: the logbooks that share the store, if several do.
    static func gateways(
        _ room: LiveRoom, _ health: LogbookHealth, _ kept: [GatewayID: GatewayAccount]? = nil,
        _ sharers: [StoreSharer] = []
    ) -> WebAnswer {
        let (heard, present, broker) = (room.gateways, room.present, room.broker)
        let all = Set(heard.keys).union((kept ?? [:]).keys).sorted()
        let tellings = all.map { gateway in
            GatewayTelling(
                kept?[gateway] ?? GatewayAccount(gateway), heard[gateway] ?? HeardGateway(),
                at: present.now, present.clock, hearsBroker: broker.isConnected,
                hasStore: kept != nil)
        }
        return json { json in
            health.writeBroker(into: &json)
            health.writeStore(into: &json)
            json.list("gateways", of: tellings) { $1.write(into: &$0) }
            if sharers.isEmpty { return }
            json.list("sharers", of: sharers) { json, sharer in
                sharer.write(into: &json)
                json.field("gateways", all.filter(sharer.parts.contains).map(\.slug))
            }
        }
    }

    static func streams(
        of gateway: GatewayID, after mark: StreamMark?, _ limit: Int, in store: any LogbookStore
    ) throws -> WebAnswer {
        let all = try StreamAccount.all(of: gateway, in: store)
        if all.isEmpty { throw unknownGateway(gateway.slug) }
        let behind = mark.map {
            StoredStream(gateway: gateway, epoch: $0.epoch, stream: $0.stream)
        }
        let found = all.filter { account in behind.map { $0 < account.state.stream } ?? true }
        let page = Page("streams", of: found, limit) {
            StreamMark($0.state.stream)
        } _: { account in
            JSONWriter.object { account.write(into: &$0, mostRanges: missingRanges) }
        }
        return json { page.write(into: &$0) }
    }
}
