import Bytes
import Contract
import LogbookStores
import WebServer

/// What the store has of each gateway, and what it lacks. Changes nothing.
extension RecordAnswers {
    /// Ranges of missing numbers that are listed of a stream.
    static let missingRanges = 100

    /// - Parameter live: the newest messages of gateways that were heard of.
    static func gateways(
        _ live: [GatewayID: [LiveBoard.Kind: [UInt8]]], in store: any LogbookStore
    ) throws -> WebAnswer {
        let accounts = Dictionary(
            grouping: try StreamAccount.all(in: store), by: \.state.stream.gateway)
        let gateways = Set(accounts.keys).union(live.keys).sorted()
        return json { json in
            json.list("gateways", of: gateways) { json, gateway in
                let streams = accounts[gateway] ?? []
                json.field("gw", gateway.slug)
                for kind in [LiveBoard.Kind.availability, .health] {
                    guard let payload = live[gateway]?[kind] else { continue }
                    json.key(kind.rawValue)
                    json.value(json: payload)
                }
                json.field("stored", streams.sum { $0.state.extent.received.count })
                json.field("missing", streams.sum(\.lost))
                json.field("repeats", streams.sum(\.state.repeats))
                json.field("conflicts", streams.sum(\.state.conflicts))
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

extension [StreamAccount] {
    fileprivate func sum(_ count: (StreamAccount) -> UInt64) -> UInt64 {
        reduce(0) { $0 + count($1) }
    }
}
