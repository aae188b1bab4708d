import PM5Codec
import Timeline

/// A station, as its link sees it. Every call arrives on the station's own queue.
package protocol ErgLinkListener: AnyObject, Sendable {
    /// Subscriptions stand; values follow, from `now` on. That may be some seconds ago: what came
    /// while the subscriptions were made was kept until all of them stood.
    func linkDidOpen(_ monitor: MonitorIdentity, through link: any ErgLink, at now: BootInstant)

    /// A value arrived. `bytes` is valid only during the call.
    func linkDidReceive(
        _ characteristic: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant)

    /// The link is gone; `linkDidOpen` follows when it is back.
    func linkDidClose(_ reason: LinkClosure, at now: BootInstant)

    /// The figures changed.
    func linkDidUpdate(_ status: LinkStatus)
}

/// One monitor's link, as its station sees it: the way out.
package protocol ErgLink: Sendable {
    /// Writes one value of at most 20 bytes, in the order of the calls.
    ///
    /// Throws when the link is down or the monitor answers the write with an error.
    func write(_ value: [UInt8], to characteristic: CharacteristicID) async throws
}
