/// A numbered stream of durable records: one kind of one erg or of the gateway.
package struct StreamID: Hashable, Sendable {
    /// nil for a stream of the gateway.
    package let station: StationID?
    /// Kind of the records.
    package let kind: StreamKind

    package init(station: StationID?, kind: StreamKind) {
        self.station = station
        self.kind = kind
    }
}
