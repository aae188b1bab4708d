/// One numbered stream of durable records: a kind, of one erg or of the gateway itself.
package struct StreamID: Hashable, Sendable {
    /// nil for the gateway's own streams, `event` and `alert`.
    package let station: StationID?
    /// What its records are.
    package let kind: StreamKind

    package init(station: StationID?, kind: StreamKind) {
        self.station = station
        self.kind = kind
    }
}
