import PM5Codec
import Timeline

/// Receives the events of one monitor's link. Every call arrives on the station's own queue.
package protocol ErgLinkListener: AnyObject, Sendable {
    /// All subscriptions are active. Values follow, with times from `now` on. `now` may be some seconds
    /// ago, because values that arrive while subscribing are buffered.
    func linkDidOpen(_ monitor: MonitorIdentity, through link: any ErgLink, at now: BootInstant)

    /// Receives a value. `bytes` is valid only during the call.
    func linkDidReceive(
        _ characteristic: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant)

    /// The link closed; `linkDidOpen` follows when it is open again.
    func linkDidClose(_ reason: LinkClosure, at now: BootInstant)

    /// The status of the link changed.
    func linkDidUpdate(_ status: LinkStatus)
}

/// Sends values to one monitor.
package protocol ErgLink: Sendable {
    /// Writes one value of at most 20 bytes, in the order of the calls.
    ///
    /// - Throws: if the link is closed or the monitor answers the write with an error.
    func write(_ value: [UInt8], to characteristic: CharacteristicID) async throws
}
