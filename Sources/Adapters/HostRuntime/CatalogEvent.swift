/// Lines of the systemd journal that may need an administrator, each with its `MESSAGE_ID=`.
///
/// `journalctl -x` shows the explanation and the remedy, which are in `packaging/rowgate.catalog`.
/// An identifier never changes its meaning. The events that the gateway records and publishes are
/// different: see `GatewayEvent` and `SessionEvent`.
package enum CatalogEvent: String, CaseIterable, Sendable {
    case ready = "f2376b4a3a9d46f6899c18d78dfad0db"
    case ringUnavailable = "79612425f6bc454294558a8eb5901a5d"
    case ringRefuses = "f90c41f52d06435a80b6e9f6943cc51a"
    case ringDropped = "283cff76679645939689ee3653622160"
    case ringDamaged = "e5f20e57c110423eac09e15b4c9150b1"
    case bluetoothProblem = "82510639d9574f748624625c67160b3e"
    case adapterHangs = "0fdf9419cb084650aa89fb9f649f33ef"
    case monitorUnreachable = "67a7d595628445e09751743894971304"
    case brokerUnreachable = "8681139178e24863bf1080843e1eaa11"
    case brokerRefuses = "e860cff2b5364398b8130d1990e39bcc"
    case cannotKeepUp = "5d0c2b7a94e84a0fb7f6c1f3a2e86d19"
    case queueBlocked = "86de0664542e4d6caf07d5c19591c20b"

    /// The journal field of the line.
    package var field: (String, String) { ("MESSAGE_ID", rawValue) }
}
