import TestSupport

@testable import Gateway
@testable import Settings

/// Parses texts as `rowgate.toml`, `conf.d/1.toml`, `conf.d/2.toml`, ...
func configuration(
    _ texts: String..., hostName: String = "boathouse.local"
) throws(InvalidConfiguration) -> Configuration {
    let sources = texts.enumerated().map { index, text in
        Configuration.Source(
            path: index == 0 ? "rowgate.toml" : "conf.d/\(index).toml", text: Array(text.utf8))
    }
    return try Configuration.parse(sources, hostName: hostName)
}

/// Returns the problems of a configuration, one line each; empty if it is valid.
func problems(in texts: String..., hostName: String = "boathouse.local") -> [String] {
    let sources = texts.enumerated().map { index, text in
        Configuration.Source(
            path: index == 0 ? "rowgate.toml" : "conf.d/\(index).toml", text: Array(text.utf8))
    }
    do {
        _ = try Configuration.parse(sources, hostName: hostName)
        return []
    } catch {
        return error.problems.map(\.description)
    }
}

/// A minimal valid configuration, to put before the lines under test.
let anyErg = "bluetooth.discovery = \"any\"\n"

/// A gateway with one erg and an absent broker. Its files are in `folder`.
func oneErg(in folder: TemporaryFolder) -> String {
    """
    gateway.id = "test"
    ring.path = "\(folder.path("ring.log"))"
    ring.size_mib = 4
    control.socket = "\(folder.path("control.sock"))"
    broker.host = "127.0.0.1"
    broker.port = 1
    [[erg]]
    slug = "erg-1"
    serial = "430000001"
    """
}
